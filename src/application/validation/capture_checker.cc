#include "application/validation/capture_checker.h"

#include <string_view>
#include <unordered_map>

namespace awf {

void CheckCaptureNames(const Workflow& workflow, std::vector<Finding>& findings) {
  std::unordered_map<std::string_view, const State*> owners;
  const auto enter = [&](const State& state, const std::string& name, const Position& position, const char* field) {
    if (name.empty()) return;
    const auto [owner, is_new] = owners.try_emplace(name, &state);
    if (is_new) return;
    findings.push_back({Severity::kError,
                        {"WORKFLOW.PARSE.INVALID_VALUE",
                         "the name '" + name + "' is captured already, by state '" + owner->second->name + "'",
                         "give each capture its own name", position, state.name, field}});
  };
  for (const State& state : workflow.states) {
    enter(state, state.capture.stdout_name, state.capture.stdout_position, "capture.stdout");
    enter(state, state.capture.stderr_name, state.capture.stderr_position, "capture.stderr");
  }
}

}  // namespace awf

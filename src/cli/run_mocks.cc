#include "cli/run_mocks.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>

#include "application/language/vocabulary.h"
#include "domain/joined.h"
#include "domain/json.h"
#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

constexpr std::string_view kPrefix = "states.";
constexpr std::array<std::string_view, 5> kTexts = {"Output", "Stderr", "Status", "Error", "ErrorCode"};

std::string MeantOrAll(const std::string& wanted, const std::vector<std::string>& names) {
  if (std::string hint = DidYouMean(wanted, names); !hint.empty() || names.empty()) return hint;
  return "there are " + Joined(names, ", ");
}

std::vector<std::string> FieldNames() {
  std::vector<std::string> names;
  for (const std::string_view name : CommonResultFields()) names.emplace_back(name);
  for (const std::string_view name : AgentResultFields()) names.emplace_back(name);
  return names;
}

json::value ValueOf(const std::string& field, const std::string& text) {
  if (std::ranges::find(kTexts, field) != kTexts.end()) return json::value(text);
  boost::system::error_code fault;
  json::value value = json::parse(text, fault);
  return fault ? json::value(text) : value;
}

}  // namespace

std::expected<const State*, Error> StateNamed(const Workflow& workflow, const std::string& name,
                                              const std::string& option) {
  if (const State* state = workflow.Find(name)) return state;
  std::vector<std::string> names;
  names.reserve(workflow.states.size());
  for (const State& state : workflow.states) names.push_back(state.name);
  return Fail("USER.INPUT.INVALID_FORMAT", option + ": there is no state '" + name + "'", MeantOrAll(name, names));
}

std::expected<StateResults, Error> ParseMocks(const Workflow& workflow,
                                              const std::vector<std::pair<std::string, std::string>>& mocks) {
  std::map<std::string, json::object> results;
  for (const auto& [path, value] : mocks) {
    const std::size_t dot = path.rfind('.');
    if (!path.starts_with(kPrefix) || dot < kPrefix.size()) {
      return Fail("USER.INPUT.INVALID_FORMAT", "--mock: '" + path + "' is not states.STATE.FIELD",
                  "example: --mock states.build.Output='2 warnings'");
    }
    const std::string name = path.substr(kPrefix.size(), dot - kPrefix.size()), field = path.substr(dot + 1);
    const auto state = StateNamed(workflow, name, "--mock");
    if (!state) return std::unexpected(state.error());
    const std::vector<std::string> fields = FieldNames();
    if (std::ranges::find(fields, field) == fields.end()) {
      return Fail("USER.INPUT.INVALID_FORMAT", "--mock: results have no field '" + field + "'",
                  MeantOrAll(field, fields));
    }
    json::object& result = results[name];
    if (result.empty()) result = {{"Output", ""}, {"Stderr", ""}, {"ExitCode", 0}, {"Status", "success"}};
    result[field] = ValueOf(field, value);
  }
  StateResults mocked;
  for (auto& [name, result] : results) mocked[name] = std::make_shared<const json::object>(std::move(result));
  return mocked;
}

}  // namespace awf::cli

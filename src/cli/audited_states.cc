#include "cli/audited_states.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "domain/json.h"
#include "infrastructure/telemetry/run_store.h"

namespace awf::cli {
namespace {

std::string Text(const json::object& record, std::string_view key) {
  const json::value* value = record.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t Number(const json::object& record, std::string_view key, std::int64_t otherwise) {
  const json::value* value = record.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : otherwise;
}

class States {
 public:
  void Take(const json::object& record) {
    const std::string type = Text(record, "type");
    if (type == "run.started") {
      Interrupt();  // what is open was so when an earlier owner died
    } else if (type == "step.started") {
      Started(record);
    } else if (type == "step.completed") {
      Completed(record);
    }
  }

  void Interrupt() {
    for (auto& [name, open] : open_) {
      if (open > 0) At(name).status = telemetry::kInterrupted;
      open = 0;
    }
  }

  std::vector<AuditedState> Taken() { return std::move(states_); }

 private:
  void Started(const json::object& record) {
    const std::string name = Text(record, "step");
    AuditedState& state = At(name);
    state.type = Text(record, "kind");
    state.status = "running";
    state.code.clear();
    state.error.clear();
    if (Number(record, "attempt", 1) > 1) return;  // of an entry that was counted
    ++state.runs;
    ++open_[name];
  }

  void Completed(const json::object& record) {
    const std::string name = Text(record, "step");
    AuditedState& state = At(name);
    state.duration += std::chrono::milliseconds(Number(record, "duration_ms", 0));
    state.attempts += static_cast<int>(std::clamp<std::int64_t>(Number(record, "attempt", 1), 1, 1000));
    state.exit_code = static_cast<int>(std::clamp<std::int64_t>(Number(record, "exit_code", 0), 0, 255));
    state.code = Text(record, "code");
    state.error = Text(record, "error");
    if (open_[name] > 0) --open_[name];
    state.status = open_[name] > 0 ? "running" : Text(record, "status");
  }

  AuditedState& At(const std::string& name) {
    const auto [found, fresh] = positions_.try_emplace(name, states_.size());
    if (fresh) states_.push_back({name, {}, {}, 0, 0, 0, {}, {}, {}});
    return states_[found->second];
  }

  std::vector<AuditedState> states_;
  std::map<std::string, std::size_t> positions_;
  std::map<std::string, int> open_;
};

}  // namespace

std::expected<std::vector<AuditedState>, Error> ReadAuditedStates(const std::filesystem::path& audit, bool live) {
  errno = 0;
  std::ifstream file(audit, std::ios::binary);
  if (!file && errno == ENOENT) return std::vector<AuditedState>();
  States states;
  for (std::string line; std::getline(file, line);) {
    json::error_code fault;
    const json::value record = json::parse(line, fault);
    if (!fault && record.is_object()) states.Take(record.get_object());
  }
  if (!file.eof()) {
    return Fail("SYSTEM.IO.READ_FAILED",
                "cannot read " + audit.string() + ": " + std::generic_category().message(errno != 0 ? errno : EIO));
  }
  if (!live) states.Interrupt();
  return states.Taken();
}

}  // namespace awf::cli

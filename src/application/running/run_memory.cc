#include "application/running/run_memory.h"

namespace awf {

RunMemory::RunMemory(RunState state, Scope base, RunJournal* journal, std::stop_source halt)
    : base_(std::move(base)),
      journal_(journal),
      halt_(std::move(halt)),
      state_(std::move(state)),
      captures_(std::make_shared<const json::object>(state_.captures)) {}

std::expected<void, Error> RunMemory::Record(const json::object& record) {
  const std::lock_guard order(order_);
  if (auto failure = Failure()) return std::unexpected(std::move(*failure));
  if (journal_ != nullptr) {
    if (auto written = journal_->Append(record); !written) return std::unexpected(Broken(std::move(written.error())));
  }
  std::string refused;
  {
    const std::lock_guard lock(mutex_);
    const auto applied = state_.Apply(record);
    if (!applied) refused = applied.error();
    if (const json::value* captures = record.if_contains("captures"); captures && !captures->get_object().empty()) {
      captures_ = std::make_shared<const json::object>(state_.captures);
    }
  }
  if (refused.empty()) return {};
  return std::unexpected(
      Broken({"SYSTEM.INTERNAL.UNMAPPED", "the run's own record was refused: " + refused, {}, {}, {}, {}}));
}

Error RunMemory::Broken(Error error) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = error;
  }
  halt_.request_stop();
  return error;
}

std::optional<Error> RunMemory::Failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Scope RunMemory::Values() const {
  Scope scope = base_;
  const std::lock_guard lock(mutex_);
  scope.states = state_.results;
  scope.namespaces["captures"] = captures_;
  return scope;
}

std::shared_ptr<const json::object> RunMemory::ResultOf(const std::string& state) const {
  const std::lock_guard lock(mutex_);
  const auto found = state_.results.find(state);
  return found == state_.results.end() ? nullptr : found->second;
}

std::shared_ptr<const AgentSession> RunMemory::SessionOf(const std::string& state) const {
  const std::lock_guard lock(mutex_);
  const auto found = state_.sessions.find(state);
  return found == state_.sessions.end() ? nullptr : found->second;
}

int RunMemory::Entered() const {
  const std::lock_guard lock(mutex_);
  return state_.entered;
}

std::string RunMemory::Cursor() const {
  const std::lock_guard lock(mutex_);
  return state_.cursor;
}

bool RunMemory::HasBegun(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  return state_.loops.contains(path) || state_.parallels.contains(path);
}

LoopProgress RunMemory::Loop(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto found = state_.loops.find(path);
  return found == state_.loops.end() ? LoopProgress() : found->second;
}

std::vector<std::string> RunMemory::Succeeded(const std::string& parallel) const {
  const std::lock_guard lock(mutex_);
  const auto found = state_.parallels.find(parallel);
  return found == state_.parallels.end() ? std::vector<std::string>() : found->second.succeeded;
}

std::vector<std::pair<std::string, json::object>> RunMemory::Results() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, json::object>> results;
  results.reserve(state_.order.size());
  for (const std::string& name : state_.order) results.emplace_back(name, *state_.results.at(name));
  return results;
}

}  // namespace awf

#include "infrastructure/telemetry/audit_steps.h"

#include <optional>
#include <string_view>

namespace awf::telemetry {
namespace {

std::string StepOf(const json::object& record) {
  const json::value* step = record.if_contains("step");
  return step != nullptr && step->is_string() ? std::string(step->get_string()) : std::string();
}

std::optional<std::int64_t> CountOf(const json::object& record, std::string_view key) {
  const json::value* count = record.if_contains(key);
  if (count == nullptr || !count->is_int64() || count->get_int64() < 0) return std::nullopt;
  return count->get_int64();
}

// Takes what the completion of a step claims off `seen`; `last`: no other step of that name is open.
std::string Settle(const json::object& record, std::string_view key, std::int64_t& seen, bool last,
                   const std::string& step, std::string_view what) {
  const auto claimed = CountOf(record, key);
  if (claimed && (last ? *claimed == seen : *claimed <= seen)) {
    seen -= *claimed;
    return {};
  }
  std::string reason = "step '" + step + "' claims ";
  reason.append(claimed ? std::to_string(*claimed) : "no number of").append(" ").append(what);
  return reason.append(", its records are ").append(std::to_string(seen));
}

}  // namespace

std::string AuditSteps::Take(const AuditRecord& record) {
  const json::object& fields = record.all.get_object();
  const std::string& type = record.type;
  if (type == "recovered") return {};
  if (type == "run.started") {
    const json::value* resumed = fields.if_contains("resumed");
    if (started_ && (resumed == nullptr || *resumed != json::value(true)))
      return "the run starts anew, and not by a resume";
    started_ = true;
    ended_ = false;
    open_.clear();  // left open by an owner that died
    return {};
  }
  if (ended_) return "a record '" + type + "' follows the end of the run";
  if (type == "step.started") return Started(fields);
  if (type == "tool.call") return Happened(fields, &Open::calls, "a tool call");
  if (type == "bypass") return Happened(fields, &Open::bypasses, "a bypass");
  if (type == "step.completed") return Completed(fields);
  if (type == "run.completed") return RunCompleted(record);
  return {};
}

std::string AuditSteps::Started(const json::object& record) {
  const std::string step = StepOf(record);
  if (step.empty()) return "a step without a name";
  ++open_[step].steps;
  return {};
}

std::string AuditSteps::Happened(const json::object& record, std::int64_t Open::* count, const std::string& what) {
  const std::string step = StepOf(record);
  const auto found = open_.find(step);
  if (found == open_.end()) return what + " of step '" + step + "', which is not running";
  ++(found->second.*count);
  return {};
}

std::string AuditSteps::Completed(const json::object& record) {
  const std::string step = StepOf(record);
  const auto found = open_.find(step);
  if (found == open_.end()) return "step '" + step + "' completes without having started";
  Open& open = found->second;
  const bool last = --open.steps == 0;
  std::string reason = Settle(record, "tool_calls", open.calls, last, step, "tool calls");
  if (reason.empty()) reason = Settle(record, "bypasses", open.bypasses, last, step, "bypasses");
  if (last) open_.erase(found);
  return reason;
}

std::string AuditSteps::RunCompleted(const AuditRecord& record) {
  ended_ = true;
  if (!open_.empty()) return "the run completes while step '" + open_.begin()->first + "' is running";
  const std::int64_t records = record.seq + 1;
  const auto claimed = CountOf(record.all.get_object(), "records");
  if (claimed == records) return {};
  return "the run claims " + (claimed ? std::to_string(*claimed) : "no number of") + " records, they are " +
         std::to_string(records);
}

}  // namespace awf::telemetry

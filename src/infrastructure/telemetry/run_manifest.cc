#include "infrastructure/telemetry/run_manifest.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "domain/masker.h"
#include "domain/timestamp.h"

namespace awf::telemetry {
namespace {

constexpr std::array<std::string_view, 4> kStatuses{"running", "completed", "failed", "cancelled"};

json::object InputsOf(const RunManifest& manifest) {
  json::object inputs;
  for (const auto& [name, value] : manifest.inputs)
    inputs[name] = manifest.secret_inputs.contains(name) ? std::string(kMask) : value;
  return inputs;
}

json::object WorkflowOf(const RunManifest& manifest) {
  json::object workflow{
      {"name", manifest.workflow}, {"version", manifest.version}, {"file", manifest.file}, {"sha256", manifest.sha256}};
  if (!manifest.resumed_sha256.empty()) {
    json::array digests;
    for (const std::string& digest : manifest.resumed_sha256) digests.emplace_back(digest);
    workflow["resumed_sha256"] = std::move(digests);
  }
  return workflow;
}

// The numbers of run.json's counts by name, in its order: for both directions.
template <class Counts, class Visitor>
void ForEachCount(Counts& counts, const Visitor& visit) {
  visit("steps", counts.steps);
  visit("tool_calls", counts.tool_calls);
  visit("tool_errors", counts.tool_errors);
  visit("denials", counts.denials);
  visit("bypasses", counts.bypasses);
  visit("tokens_input", counts.tokens_input);
  visit("tokens_output", counts.tokens_output);
}

// Reads the members of one object by name and type; the first fault is kept.
class Members {
 public:
  Members(const json::object& object, std::string where, std::string& fault)
      : object_(object), where_(std::move(where)), fault_(fault) {}

  void Text(std::string_view key, std::string& to, bool required = true) {
    if (const json::value* value = Find(key, required)) {
      if (const json::string* text = value->if_string()) {
        to = std::string(*text);
      } else {
        Bad(key, "is no text");
      }
    }
  }
  template <class Number>
  void Integer(std::string_view key, Number& to, bool required = true) {
    const json::value* value = Find(key, required);
    if (value == nullptr) return;
    json::error_code out_of_range;
    const auto number = value->is_int64() || value->is_uint64() ? value->to_number<Number>(out_of_range) : Number{};
    if (out_of_range || value->is_double() || !value->is_number()) return Bad(key, "is no fitting integer");
    to = number;
  }
  void Flag(std::string_view key, bool& to) {
    if (const json::value* value = Find(key, true)) {
      if (value->is_bool()) {
        to = value->get_bool();
      } else {
        Bad(key, "is not true or false");
      }
    }
  }
  bool Time(std::string_view key, WallClock::time_point& to, bool required) {
    std::string text;
    Text(key, text, required);
    if (text.empty()) return false;
    const auto time = ParseUtcMilliseconds(text);
    if (!time) return Bad(key, "is no time"), false;
    to = *time;
    return true;
  }
  const json::object* Object(std::string_view key, bool required) {
    const json::value* value = Find(key, required);
    if (value == nullptr) return nullptr;
    if (!value->is_object()) Bad(key, "is no object");
    return value->if_object();
  }
  const json::value* Find(std::string_view key, bool required) {
    const json::value* value = object_.if_contains(key);
    if (value == nullptr && required) Bad(key, "is missing");
    return value;
  }
  void Bad(std::string_view key, std::string_view what) {
    if (fault_.empty()) fault_ = where_ + std::string(key) + " " + std::string(what);
  }

 private:
  const json::object& object_;
  const std::string where_;
  std::string& fault_;
};

void ReadWorkflow(const json::object& object, RunManifest& manifest, std::string& fault) {
  Members members(object, "workflow.", fault);
  members.Text("name", manifest.workflow);
  members.Text("version", manifest.version);
  members.Text("file", manifest.file);
  members.Text("sha256", manifest.sha256);
  const json::value* digests = members.Find("resumed_sha256", false);
  if (digests == nullptr) return;
  if (!digests->is_array()) return members.Bad("resumed_sha256", "is no list");
  for (const json::value& digest : digests->get_array()) {
    if (!digest.is_string()) return members.Bad("resumed_sha256", "holds what is no text");
    manifest.resumed_sha256.emplace_back(digest.get_string());
  }
}

void ReadInputs(const json::object& object, RunManifest& manifest, std::string& fault) {
  Members members(object, "inputs.", fault);
  for (const auto& [key, value] : object) {
    const std::string name(key);
    members.Text(name, manifest.inputs[name]);
    if (manifest.inputs[name] == kMask) manifest.secret_inputs.insert(name);
  }
}

void ReadCounts(const json::object& object, RunCounts& counts, std::string& fault) {
  Members members(object, "counts.", fault);
  ForEachCount(counts, [&](std::string_view name, auto& count) { members.Integer(name, count); });
  members.Flag("tokens_estimated", counts.tokens_estimated);
  const json::value* cost = members.Find("cost_usd", false);
  if (cost == nullptr) return;
  if (!cost->is_number()) return members.Bad("cost_usd", "is no number");
  counts.cost_usd = cost->to_number<double>();
}

void ReadEnd(Members& members, RunManifest& manifest, std::string& fault) {
  WallClock::time_point ended;
  if (members.Time("ended_at", ended, false)) {
    manifest.ended = ended;
    std::int64_t duration = 0;
    members.Integer("duration_ms", duration);
    manifest.duration = std::chrono::milliseconds(duration);
    members.Integer("exit_code", manifest.exit_code);
  }
  if (const json::object* error = members.Object("error", false)) {
    manifest.error.emplace();
    Members parts(*error, "error.", fault);
    parts.Text("code", manifest.error->code);
    parts.Text("message", manifest.error->message);
    parts.Text("step", manifest.error->step);
  }
}

void ReadAll(const json::object& object, ReadBackManifest& out, std::string& fault) {
  RunManifest& manifest = out.manifest;
  Members members(object, "", fault);
  members.Text("run_id", out.run_id);
  if (const json::object* workflow = members.Object("workflow", true)) ReadWorkflow(*workflow, manifest, fault);
  if (const json::object* inputs = members.Object("inputs", true)) ReadInputs(*inputs, manifest, fault);
  if (const json::object* owner = members.Object("owner", true)) {
    Members parts(*owner, "owner.", fault);
    parts.Integer("pid", out.owner.pid);
    parts.Integer("start_time", out.owner.start_time);
  }
  members.Text("awf_version", manifest.awf_version);
  members.Text("trace_id", manifest.trace_id);
  members.Text("root_span_id", manifest.root_span_id, false);
  members.Text("working_dir", manifest.working_dir, false);
  members.Integer("resumes", manifest.resumes, false);
  members.Text("only_state", manifest.only_state, false);
  members.Text("status", manifest.status);
  if (std::ranges::find(kStatuses, manifest.status) == kStatuses.end()) members.Bad("status", "is none that awf knows");
  members.Time("started_at", manifest.started, true);
  ReadEnd(members, manifest, fault);
  if (const json::object* counts = members.Object("counts", true)) ReadCounts(*counts, manifest.counts, fault);
  if (const json::object* audit = members.Object("audit", true)) {
    Members parts(*audit, "audit.", fault);
    parts.Integer("seq", manifest.audit.seq);
    parts.Text("hash", manifest.audit.hash);
  }
}

// Fields of /proc/PID/stat behind the name of the program, which may hold anything, also spaces and parentheses.
struct ProcessStat {
  char state = 'X';
  std::uint64_t start_time = 0;
};

ProcessStat ReadProcess(int pid) {
  ProcessStat process;
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::ostringstream stat;
  stat << file.rdbuf();  // unlike an iterator it does not throw when the process ends meanwhile
  const std::string text = std::move(stat).str();
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return process;
  std::istringstream fields(text.substr(name_end + 1));
  fields >> process.state;            // field 3
  constexpr int kFieldsBetween = 18;  // the start time is field 22
  std::string skipped;
  for (int i = 0; i < kFieldsBetween; ++i) fields >> skipped;
  fields >> process.start_time;
  return process;
}

}  // namespace

std::optional<std::chrono::milliseconds> RunManifest::Worked() const {
  if (!ended) return std::nullopt;
  return duration ? *duration : std::chrono::floor<std::chrono::milliseconds>(*ended - started);
}

bool RunOwner::Alive() const {
  if (pid <= 0 || start_time == 0) return false;
  const ProcessStat process = ReadProcess(pid);
  return process.start_time == start_time && process.state != 'Z' && process.state != 'X';
}

RunOwner RunOwner::ThisProcess() {
  const int pid = static_cast<int>(::getpid());
  return {pid, ProcessStartTime(pid)};
}

json::object CountsJson(const RunCounts& counts) {
  json::object out;
  ForEachCount(counts, [&](std::string_view name, auto count) { out[name] = count; });
  out["tokens_estimated"] = counts.tokens_estimated;
  if (counts.cost_usd) out["cost_usd"] = *counts.cost_usd;
  return out;
}

json::object ToJson(const RunManifest& manifest, const std::string& run_id, const RunOwner& owner) {
  json::object run{{"run_id", run_id},
                   {"workflow", WorkflowOf(manifest)},
                   {"inputs", InputsOf(manifest)},
                   {"owner", {{"pid", owner.pid}, {"start_time", owner.start_time}}},
                   {"awf_version", manifest.awf_version},
                   {"working_dir", manifest.working_dir},
                   {"trace_id", manifest.trace_id},
                   {"root_span_id", manifest.root_span_id},
                   {"resumes", manifest.resumes},
                   {"status", manifest.status},
                   {"started_at", UtcMilliseconds(manifest.started)}};
  if (!manifest.only_state.empty()) run["only_state"] = manifest.only_state;
  if (manifest.ended) {
    run["ended_at"] = UtcMilliseconds(*manifest.ended);
    run["duration_ms"] = manifest.Worked()->count();
    run["exit_code"] = manifest.exit_code;
  }
  if (manifest.error) {
    run["error"] = {
        {"code", manifest.error->code}, {"message", manifest.error->message}, {"step", manifest.error->step}};
  }
  run["counts"] = CountsJson(manifest.counts);
  run["audit"] = {{"seq", manifest.audit.seq}, {"hash", manifest.audit.hash}};
  return run;
}

std::expected<ReadBackManifest, std::string> ParseManifest(std::string_view text) {
  json::error_code fault;
  const json::value value = json::parse(text, fault);
  if (fault) return std::unexpected("it is no JSON: " + fault.message());
  if (!value.is_object()) return std::unexpected("it is no JSON object");
  ReadBackManifest out;
  std::string wrong;
  ReadAll(value.get_object(), out, wrong);
  if (!wrong.empty()) return std::unexpected(wrong);
  return out;
}

std::uint64_t ProcessStartTime(int pid) { return ReadProcess(pid).start_time; }

}  // namespace awf::telemetry

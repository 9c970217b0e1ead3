// RunManifest: what run.json of a run folder holds, and its two directions: to JSON and back.
//
// Passive. Unmasked in memory of the run itself; masked when it is written, and as written when it was read back.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "application/records/run_recorder.h"
#include "domain/json.h"
#include "domain/record_sinks.h"
#include "domain/time.h"

namespace awf::telemetry {

struct RunManifest {
  std::string workflow, version, file, sha256, awf_version;
  std::map<std::string, std::string> inputs;
  std::set<std::string> secret_inputs;  // read back: those whose value is the mask
  std::string trace_id;
  std::string status = "running";  // then completed, failed, cancelled
  WallClock::time_point started;
  std::optional<WallClock::time_point> ended;
  // With `ended`: the time that awf worked on the run, over all its owners; absent: from start to end.
  std::optional<std::chrono::milliseconds> duration;
  int exit_code = 0;           // with ended
  std::optional<Error> error;  // with ended
  RunCounts counts;
  AuditHead audit;
  SpanId root_span_id;                      // of the last root span
  std::string working_dir;                  // absolute; a resumed run works there again
  std::vector<std::string> resumed_sha256;  // of the workflows that --reload took, in order
  int resumes = 0;                          // how often the run was taken up again
  std::string only_state;                   // --step: the one state that it ran; such a run cannot be resumed

  // Absent while it has not ended.
  std::optional<std::chrono::milliseconds> Worked() const;
};

// The process that a run belongs to. Its start time tells it from another one that got its pid later.
struct RunOwner {
  int pid = 0;
  std::uint64_t start_time = 0;  // clock ticks since boot

  // A process that has ended and waits for its parent to notice does not live.
  bool Alive() const;
  static RunOwner ThisProcess();
};

// What run.json says, its run id included.
struct ReadBackManifest {
  std::string run_id;
  RunManifest manifest;
  RunOwner owner;
};

json::object CountsJson(const RunCounts& counts);
json::object ToJson(const RunManifest& manifest, const std::string& run_id, const RunOwner& owner);

// Strict: what ToJson writes and nothing else, though keys may be missing that older versions did not write. The error
// is a phrase for a message.
std::expected<ReadBackManifest, std::string> ParseManifest(std::string_view text);

// Start time of a process in clock ticks since boot, 0 when there is none.
std::uint64_t ProcessStartTime(int pid);

}  // namespace awf::telemetry

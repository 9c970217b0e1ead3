// AuditCollection: a file, shared by all runs of a machine, that gets one line at the start and one at the end of a
// run: who ran what, how it ended, and the head of its audit, for whoever collects them.
//
// In addition to the run folder, never instead of it. A line is at most 4096 bytes and written at once, appended, so
// lines of several runs don't mix; the file is opened anew for each, so it may be rotated meanwhile. Thread-safe.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "domain/json.h"
#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "domain/time.h"

namespace awf::telemetry {

struct CollectedRun {
  std::string run_id, workflow, version, user, host;
  std::filesystem::path folder;
  std::map<std::string, std::string> inputs;  // unmasked
  std::set<std::string> secret_inputs;
  bool resumed = false;
};

struct CollectedEnd {
  std::string status;
  int exit_code = 0;  // of the process; 128 + the signal that ends it
  std::chrono::milliseconds duration{0};
  std::optional<Error> error;
  AuditHead head;
};

class AuditCollection {
 public:
  using Clock = std::function<WallClock::time_point()>;

  // The file is made (0600) when there is none; its folder is not. SYSTEM.IO.WRITE_FAILED when it cannot be opened for
  // appending; `origin`, for the message, is who named the path. `masker` outlives the collection.
  static std::expected<AuditCollection, Error> Open(const std::filesystem::path& path, const std::string& origin,
                                                    const Masker& masker, Clock clock = WallClock::now);

  std::expected<void, Error> Started(const CollectedRun& run) const;
  std::expected<void, Error> Completed(const CollectedRun& run, const CollectedEnd& end) const;

 private:
  AuditCollection(std::filesystem::path path, std::string origin, const Masker& masker, Clock clock);
  // A line in parts, in their order. Names and texts may be shortened, names least.
  struct Line {
    json::object kind, names, facts, texts, head;
  };
  Line NewLine(std::string_view type, const CollectedRun& run) const;
  std::string Render(Line line) const;
  std::expected<void, Error> Write(std::string text) const;
  std::unexpected<Error> Failure(int error_number) const;

  std::filesystem::path path_;  // absolute
  std::string origin_;
  const Masker* masker_;
  Clock clock_;
};

}  // namespace awf::telemetry

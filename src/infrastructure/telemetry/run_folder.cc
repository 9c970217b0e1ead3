#include "infrastructure/telemetry/run_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "domain/random_id.h"
#include "domain/timestamp.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

constexpr std::size_t kLongestRunId = 64;

Error WriteFailure(const std::filesystem::path& path, int error_number) {
  Error error;
  error.code =
      error_number == EACCES || error_number == EPERM ? "SYSTEM.IO.PERMISSION_DENIED" : "SYSTEM.IO.WRITE_FAILED";
  error.message = "cannot write " + path.string() + ": " + std::generic_category().message(error_number);
  return error;
}

bool IsRunId(std::string_view text) {
  if (text.empty() || text.size() > kLongestRunId || text.front() == '.' || text.front() == '-') return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
}

std::expected<void, Error> MakePrivate(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return std::unexpected(WriteFailure(folder, errno));
  struct stat info{};
  if (::stat(folder.c_str(), &info) != 0) return std::unexpected(WriteFailure(folder, errno));
  if (!S_ISDIR(info.st_mode)) return std::unexpected(WriteFailure(folder, ENOTDIR));
  return {};
}

// The storage and what is missing above it, all 0700 as the XDG convention wants it.
std::expected<void, Error> MakeWithParents(const std::filesystem::path& folder) {
  std::filesystem::path built;
  for (const std::filesystem::path& part : folder) {
    built /= part;
    if (auto made = MakePrivate(built); !made) return made;
  }
  return {};
}

// A new file with that content, on disk when this returns.
std::expected<void, Error> WriteNew(const std::filesystem::path& path, std::string_view text) {
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return std::unexpected(WriteFailure(path, errno));
  if (const int error = WriteAll(fd.get(), text)) return std::unexpected(WriteFailure(path, error));
  if (::fsync(fd.get()) != 0) return std::unexpected(WriteFailure(path, errno));
  return {};
}

json::object InputsOf(const RunManifest& manifest) {
  json::object inputs;
  for (const auto& [name, value] : manifest.inputs)
    inputs[name] = manifest.secret_inputs.contains(name) ? std::string(kMask) : value;
  return inputs;
}

json::object CountsOf(const RunCounts& counts) {
  json::object out{{"steps", counts.steps},
                   {"tool_calls", counts.tool_calls},
                   {"tool_errors", counts.tool_errors},
                   {"denials", counts.denials},
                   {"bypasses", counts.bypasses},
                   {"tokens_input", counts.tokens_input},
                   {"tokens_output", counts.tokens_output},
                   {"tokens_estimated", counts.tokens_estimated}};
  if (counts.cost_usd) out["cost_usd"] = *counts.cost_usd;
  return out;
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path, std::string run_id)
    : path_(std::move(path)), run_id_(std::move(run_id)) {}

std::expected<RunFolder, Error> RunFolder::Create(const std::filesystem::path& storage, const std::string& run_id,
                                                  WallClock::time_point now) {
  if (!run_id.empty() && !IsRunId(run_id)) {
    return Fail("USER.INPUT.INVALID_FORMAT", "run id '" + run_id + "' is malformed",
                "Use letters, digits, '-', '_' and '.', at most 64, the first a letter or digit.");
  }
  const std::filesystem::path runs = std::filesystem::absolute(storage) / "runs";
  if (auto made = MakeWithParents(runs); !made) return std::unexpected(made.error());
  for (;;) {
    const std::string id = run_id.empty() ? CompactUtc(now) + "-" + RandomHex(4) : run_id;
    const std::filesystem::path path = runs / id;
    if (::mkdir(path.c_str(), 0700) == 0) return RunFolder(path, id);
    if (errno != EEXIST) return std::unexpected(WriteFailure(path, errno));
    if (!run_id.empty()) {
      return Fail("USER.INPUT.INVALID_FORMAT", "run id '" + run_id + "' is taken",
                  "Leave --run-id out, or choose another.");
    }
  }
}

std::expected<void, Error> RunFolder::WriteWorkflow(std::string_view text) const {
  return WriteNew(path_ / "workflow.yaml", text);
}

std::expected<void, Error> RunFolder::WriteManifest(const RunManifest& manifest, const Masker& masker) const {
  const int pid = static_cast<int>(::getpid());
  json::object run{{"run_id", run_id_},
                   {"workflow",
                    {{"name", manifest.workflow},
                     {"version", manifest.version},
                     {"file", manifest.file},
                     {"sha256", manifest.sha256}}},
                   {"inputs", InputsOf(manifest)},
                   {"owner", {{"pid", pid}, {"start_time", ProcessStartTime(pid)}}},
                   {"awf_version", manifest.awf_version},
                   {"trace_id", manifest.trace_id},
                   {"status", manifest.status},
                   {"started_at", UtcMilliseconds(manifest.started)}};
  if (manifest.ended) {
    run["ended_at"] = UtcMilliseconds(*manifest.ended);
    run["duration_ms"] = std::chrono::floor<std::chrono::milliseconds>(*manifest.ended - manifest.started).count();
    run["exit_code"] = manifest.exit_code;
  }
  if (manifest.error) {
    run["error"] = {
        {"code", manifest.error->code}, {"message", manifest.error->message}, {"step", manifest.error->step}};
  }
  run["counts"] = CountsOf(manifest.counts);
  run["audit"] = {{"seq", manifest.audit.seq}, {"hash", manifest.audit.hash}};

  const std::filesystem::path path = path_ / "run.json", temporary = path_ / "run.json.new";
  const std::string text = json::serialize(RepairStrings(masker.MaskJson(run))) + "\n";
  ::unlink(temporary.c_str());  // left by a crash of an earlier owner
  if (auto written = WriteNew(temporary, text); !written) return written;
  if (::rename(temporary.c_str(), path.c_str()) != 0) return std::unexpected(WriteFailure(path, errno));
  return {};
}

std::uint64_t ProcessStartTime(int pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::ostringstream stat;
  stat << file.rdbuf();  // unlike an iterator it does not throw when the process ends meanwhile
  const std::string text = std::move(stat).str();
  const std::size_t name_end = text.rfind(')');  // the name may hold anything, also spaces and parentheses
  if (name_end == std::string::npos) return 0;
  constexpr int kFieldsBefore = 19;  // what follows the name is field 3, the start time field 22
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < kFieldsBefore; ++i) fields >> skipped;
  std::uint64_t ticks = 0;
  fields >> ticks;
  return ticks;
}

}  // namespace awf::telemetry

#include "infrastructure/telemetry/audit_collection.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "domain/timestamp.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

constexpr std::size_t kLongestCollected = 4096;  // line feed included
constexpr std::size_t kNames = 1536;             // room for user, host, workflow and version together
constexpr std::size_t kCutList = 96;             // room for `cut`
constexpr mode_t kPrivate = 0600;

// No wait for the reader of a pipe: a run must not hang on who collects it.
Fd OpenForAppending(const std::filesystem::path& path) {
  return Fd(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, kPrivate));
}

// A last line that somebody's full disk has cut.
bool EndsInTheMiddle(int fd, const std::filesystem::path& path) {
  struct stat info{};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return false;
  const Fd reader(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // it need not be readable
  char last = '\n';
  return reader && ::pread(reader.get(), &last, 1, info.st_size - 1) == 1 && last != '\n';
}

}  // namespace

AuditCollection::AuditCollection(std::filesystem::path path, std::string origin, const Masker& masker, Clock clock)
    : path_(std::move(path)), origin_(std::move(origin)), masker_(&masker), clock_(std::move(clock)) {}

std::expected<AuditCollection, Error> AuditCollection::Open(const std::filesystem::path& path,
                                                            const std::string& origin, const Masker& masker,
                                                            Clock clock) {
  std::error_code no_working_directory;
  const std::filesystem::path whole = std::filesystem::absolute(path, no_working_directory);
  AuditCollection collection(no_working_directory ? path : whole, origin, masker, std::move(clock));
  if (!OpenForAppending(collection.path_)) return collection.Failure(errno);
  return collection;
}

std::unexpected<Error> AuditCollection::Failure(int error_number) const {
  return Fail("SYSTEM.IO.WRITE_FAILED",
              "cannot write " + path_.string() + ", which " + origin_ +
                  " names: " + std::generic_category().message(error_number),
              "Make it writable, or set AWF_AUDIT_LOG=off.");
}

AuditCollection::Line AuditCollection::NewLine(std::string_view type, const CollectedRun& run) const {
  Line line;
  line.kind = {{"v", 1}, {"time", UtcMilliseconds(clock_())}, {"type", type}, {"execution_id", run.run_id}};
  line.names = {{"user", run.user}, {"host", run.host}, {"workflow", run.workflow}};
  if (!run.version.empty()) line.names["version"] = run.version;
  return line;
}

std::expected<void, Error> AuditCollection::Started(const CollectedRun& run) const {
  Line line = NewLine("workflow.started", run);
  line.facts["resumed"] = run.resumed;
  line.texts["folder"] = run.folder.string();
  json::object inputs;
  for (const auto& [name, value] : run.inputs)
    inputs[name] = run.secret_inputs.contains(name) ? std::string(kMask) : value;
  line.texts["inputs"] = std::move(inputs);
  return Write(Render(std::move(line)));
}

std::expected<void, Error> AuditCollection::Completed(const CollectedRun& run, const CollectedEnd& end) const {
  Line line = NewLine("workflow.completed", run);
  line.facts = {{"status", end.status}, {"exit_code", end.exit_code}, {"duration_ms", end.duration.count()}};
  if (end.error) {
    line.facts["code"] = end.error->code;
    line.texts["error"] = end.error->message;
  }
  line.head["head"] = {{"seq", end.head.seq}, {"hash", end.head.hash}};
  return Write(Render(std::move(line)));
}

// Masked, repaired, cut. The line feed is the last byte.
std::string AuditCollection::Render(Line line) const {
  json::array cut;
  const auto cut_to = [&cut](json::object& part, std::size_t limit) {
    for (const std::string& name : CutToFit(part, limit)) cut.emplace_back(name);
  };
  json::object all = std::move(line.kind);
  std::size_t taken = kCutList;
  for (json::object* part : {&line.names, &line.facts, &line.head, &line.texts}) {
    if (part != &line.head) *part = RepairStrings(masker_->MaskJson(*part)).get_object();
    if (part == &line.names) cut_to(*part, kNames);
    if (part == &line.texts) cut_to(*part, kLongestCollected - taken - json::serialize(all).size());
    taken += json::serialize(*part).size();
  }
  for (const json::object* part : {&line.names, &line.facts, &line.texts, &line.head}) {
    if (part == &line.head && !cut.empty()) all["cut"] = cut;
    for (const auto& [key, value] : *part) all[key] = value;
  }
  return json::serialize(all) + "\n";
}

std::expected<void, Error> AuditCollection::Write(std::string text) const {
  const Fd fd = OpenForAppending(path_);
  if (!fd) return Failure(errno);
  if (EndsInTheMiddle(fd.get(), path_)) text.insert(0, "\n");
  ssize_t written = -1;
  do {
    written = ::write(fd.get(), text.data(), text.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return Failure(errno);
  if (std::cmp_less(written, text.size())) return Failure(ENOSPC);  // what is there stays: others write behind it
  return {};
}

}  // namespace awf::telemetry

// awf audit verify RUN|FILE: whether the audit of a run is the one that awf wrote.
#include <algorithm>
#include <cctype>
#include <optional>
#include <system_error>

#include "application/language/characters.h"
#include "cli/commands.h"
#include "cli/finding_text.h"
#include "cli/print_result.h"
#include "cli/stored_run_text.h"
#include "domain/terminal_text.h"
#include "infrastructure/telemetry/audit_verifier.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;
using telemetry::AuditStatus;
using telemetry::AuditVerdict;
using telemetry::StoredRun;

constexpr const char* kAuditFile = "audit.jsonl";
constexpr int kNotProven = 3;
constexpr std::size_t kHashLength = 64;

// What is to be verified, and what is known of it.
struct Subject {
  fs::path file;
  std::string stored_id;  // of a run of the storage; empty: a file that was named
  telemetry::AuditExpectation expected;
  int owner_pid = 0;                  // of a live run
  bool resumable = false;             // a run of the storage that can be taken up again
  std::vector<std::string> warnings;  // why less is known than could be
};

bool IsHash(std::string_view text) {
  return text.size() == kHashLength && std::ranges::all_of(text, [](unsigned char c) { return std::isxdigit(c) != 0; });
}

void Learn(Subject& subject, const telemetry::RunManifest& manifest, bool ended) {
  subject.expected.ended = ended;
  if (manifest.audit.seq < 0) return;
  if (IsHash(manifest.audit.hash)) {
    subject.expected.recorded = manifest.audit;
  } else {  // a pattern of the user's own can take it for a secret
    subject.warnings.push_back("the head is compared with nothing: run.json does not tell it");
  }
}

Subject SubjectOf(const StoredRun& run) {
  Subject subject;
  subject.file = run.folder / kAuditFile;
  subject.stored_id = run.run_id;
  subject.expected.run_id = run.run_id;
  if (run.status == telemetry::kDamaged) {
    subject.warnings.push_back("the head is compared with nothing: " + run.fault);
    return subject;
  }
  subject.expected.live = run.status == "running";
  subject.owner_pid = run.owner_pid;
  subject.resumable = run.Resumable();
  Learn(subject, run.manifest, run.status != "running" && run.status != telemetry::kInterrupted);
  return subject;
}

// The audit of a run folder wherever it lies, with the run.json beside it; any other file stands alone.
Subject SubjectOf(const fs::path& path) {
  std::error_code ignored;
  Subject subject;
  subject.file = fs::is_directory(path, ignored) ? path / kAuditFile : path;
  if (subject.file.filename() != kAuditFile) return subject;
  const fs::path folder = subject.file.parent_path();
  if (!fs::exists(folder / "run.json", ignored)) return subject;
  const auto read = telemetry::RunFolder::ReadManifest(folder);
  if (!read) {
    subject.warnings.push_back("the head is compared with nothing: " + read.error().message);
    return subject;
  }
  const bool running = read->manifest.status == "running";
  subject.expected.run_id = read->run_id;
  subject.expected.live = running && read->owner.Alive();
  if (subject.expected.live) subject.owner_pid = read->owner.pid;
  Learn(subject, read->manifest, !running);
  return subject;
}

// A run has no '/' in its name, and begins with no '.'.
bool IsSurelyPath(const std::string& target) {
  return target.find('/') != std::string::npos || target == "." || target == "..";
}

bool MayBePath(const std::string& target) {
  std::error_code ignored;
  return target.ends_with(".jsonl") || fs::is_regular_file(target, ignored);
}

std::expected<StoredRun, Error> FindRun(const AuditVerifyOptions& options) {
  const auto store = OpenRunStore(options.global);
  if (!store) return std::unexpected(store.error());
  return store->Find(options.target);
}

// The whole id of a run wins over a file of that name in the current folder, a file over the beginning of an id.
std::expected<Subject, Error> FindSubject(const AuditVerifyOptions& options) {
  const std::string& target = options.target;
  if (IsSurelyPath(target)) return SubjectOf(fs::path(target));
  const auto run = FindRun(options);
  if (run && run->run_id == target) return SubjectOf(*run);
  if (MayBePath(target)) return SubjectOf(fs::path(target));
  if (!run) return std::unexpected(run.error());
  return SubjectOf(*run);
}

// What was judged: "run ID" or "file ./x".
std::string Named(const Subject& subject) {
  if (!subject.stored_id.empty()) return "run " + subject.stored_id;
  const std::string file = subject.file.string();
  return "file " + (subject.file.has_parent_path() ? file : "./" + file);
}

std::unexpected<Error> MalformedHead() {
  return Fail("USER.INPUT.INVALID_FORMAT", "--head needs the 64 hex digits of a hash",
              "awf run --verbose and -f json show the head of a run.");
}

// Empty when none was given. One that is empty by mistake, of a variable that was never set, must not pass.
std::expected<std::string, Error> ReadHead(const std::optional<std::string>& given) {
  if (!given) return std::string();
  std::expected<std::string, Error> head = *given;
  for (char& c : *head) c = ToLower(c);
  if (!IsHash(*head)) head = MalformedHead();
  return head;
}

int ExitCode(const AuditVerdict& verdict, bool live) {
  const bool fine = verdict.status == AuditStatus::kOk || (verdict.status == AuditStatus::kOpen && live);
  return fine ? 0 : kNotProven;
}

std::string HintOf(const AuditVerdict& verdict, const Subject& subject) {
  if (verdict.status == AuditStatus::kBroken)
    return verdict.fault->record == 0 ? "nothing in it is proven" : "the records before that one are proven";
  if (verdict.status == AuditStatus::kOk || subject.expected.live) return {};
  return subject.resumable ? "awf resume " + subject.expected.run_id + " takes the run up again, in the same file" : "";
}

std::string ResultLine(const AuditVerdict& verdict, const Subject& subject) {
  if (const auto& fault = verdict.fault) {
    return "BROKEN at record " + std::to_string(fault->record) + " (line " + std::to_string(fault->line) +
           "): " + fault->reason;
  }
  const std::int64_t records = verdict.Records();
  std::string line =
      std::string(ToString(verdict.status)) + ": " + std::to_string(records) + (records == 1 ? " record" : " records");
  if (records > 0) line += ", head " + verdict.head.hash;
  if (verdict.status == AuditStatus::kOk) return line;
  line += ": " + verdict.open;
  if (subject.owner_pid != 0) line += " (process " + std::to_string(subject.owner_pid) + ")";
  return line;
}

std::string Text(const AuditVerdict& verdict, const Subject& subject, const GlobalOptions& global) {
  LineStyle style = StyleOfStdout(global);
  style.columns = 0;  // a hash that is cut is none
  const bool fine = ExitCode(verdict, subject.expected.live) == 0;
  const std::string_view look = verdict.status == AuditStatus::kBroken ? "31" : fine ? "32" : "33";
  std::string text = StyledLine(PrintableLine(ResultLine(verdict, subject)), look, style);
  if (global.quiet) return text;
  text += PrintableLine("Checked: " + Named(subject)) + "\n";
  for (const std::string& warning : verdict.warnings) text += "Warning: " + PrintableLine(warning) + "\n";
  const std::string hint = HintOf(verdict, subject);
  if (!hint.empty() && !global.no_hints) text += "Hint: " + PrintableLine(hint) + "\n";
  return text;
}

json::object Json(const AuditVerdict& verdict, const Subject& subject, bool head_given) {
  json::object out{{"status", ToString(verdict.status)},
                   {"run_id", JsonText(verdict.run_id)},
                   {"file", JsonText(subject.file.string())},
                   {"records", verdict.Records()},
                   {"head", verdict.head.hash},
                   {"live", subject.expected.live}};
  if (const auto& fault = verdict.fault) {
    out["record"] = fault->record;
    out["line"] = fault->line;
    out["reason"] = JsonText(fault->reason);
  } else if (!verdict.open.empty()) {
    out["reason"] = JsonText(verdict.open);
  }
  json::array compared;
  if (subject.expected.recorded) compared.emplace_back("run.json");
  if (head_given) compared.emplace_back("--head");
  out["compared"] = std::move(compared);
  json::array warnings;
  for (const std::string& warning : verdict.warnings) warnings.push_back(JsonText(warning));
  out["warnings"] = std::move(warnings);
  out["exit_code"] = ExitCode(verdict, subject.expected.live);
  return out;
}

}  // namespace

int AuditVerifyCommand(const AuditVerifyOptions& options) {
  GlobalOptions global = options.global;
  if (options.json) global.format = OutputFormat::kJson;
  const auto head = ReadHead(options.head);
  if (!head) return ReportErrors({head.error()}, global);
  auto subject = FindSubject(options);
  if (!subject) return ReportErrors({subject.error()}, global);
  subject->expected.head = *head;
  auto verdict = telemetry::VerifyAuditFile(subject->file, subject->expected);
  if (!verdict) return ReportErrors({verdict.error()}, global);
  verdict->warnings.insert(verdict->warnings.end(), subject->warnings.begin(), subject->warnings.end());
  const int exit_code = ExitCode(*verdict, subject->expected.live);
  if (global.format == OutputFormat::kJson)
    return PrintResult(JsonLine(Json(*verdict, *subject, !head->empty())), global, exit_code);
  return PrintResult(Text(*verdict, *subject, global), global, exit_code);
}

}  // namespace awf::cli

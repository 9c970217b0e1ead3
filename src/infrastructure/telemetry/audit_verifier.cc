#include "infrastructure/telemetry/audit_verifier.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>

#include "domain/timestamp.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/file_failure.h"
#include "infrastructure/telemetry/record_cut.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::telemetry {
namespace {

constexpr std::chrono::seconds kClockMoves{1};
constexpr std::size_t kBlock = 256 * 1024;
constexpr std::size_t kParsed = 64 * 1024;  // room for a record in memory; longer ones take more

constexpr std::string_view kNoHash = "0000000000000000000000000000000000000000000000000000000000000000";

std::string Counted(std::int64_t records) { return std::to_string(records) + (records == 1 ? " record" : " records"); }

}  // namespace

bool AuditVerifier::Take(std::string_view bytes) {
  while (!bytes.empty() && !chain_fault_) {
    const std::size_t feed = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, feed);
    if (partial_.size() + piece.size() >= kLongestLine) {
      ++line_;
      chain_fault_ = cut_ ? cut_->fault : Here("it is longer than any record");
    } else if (feed == std::string_view::npos) {
      partial_.append(piece);
    } else if (partial_.empty()) {
      TakeLine(piece);
    } else {
      partial_.append(piece);
      TakeLine(partial_);
      partial_.clear();
    }
    bytes.remove_prefix(feed == std::string_view::npos ? bytes.size() : feed + 1);
  }
  return !chain_fault_;
}

void AuditVerifier::TakeLine(std::string_view line) {
  ++line_;
  std::array<unsigned char, kParsed> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as it is used
  json::monotonic_resource memory(buffer.data(), buffer.size());
  auto record = ParseAuditLine(line, &memory);
  if (!record && record.error().unparsable) return TakeUnparsable(line, std::move(record.error().reason));
  std::string reason = record ? ChainFault(*record) : std::move(record.error().reason);
  if (cut_ && (!reason.empty() || !Answers(*record))) {
    chain_fault_ = std::move(cut_->fault);
  } else if (!reason.empty()) {
    chain_fault_ = Here(std::move(reason));
  } else {
    Accept(*record);
  }
}

void AuditVerifier::TakeUnparsable(std::string_view line, std::string reason) {
  if (cut_) {
    chain_fault_ = std::move(cut_->fault);
  } else {
    cut_ = CutLine{Here(std::move(reason)), line.size(), Sha256Hex(line)};
  }
}

RecordPlace AuditVerifier::Due() const {
  const AuditHead& head = verdict_.head;
  const bool first = head.seq < 0;
  return {head.seq + 1, first ? expected_.run_id : verdict_.run_id, first ? std::string(kNoHash) : head.hash};
}

// Empty, or why the record is not the one that is due.
std::string AuditVerifier::ChainFault(const AuditRecord& record) const {
  const RecordPlace due = Due();
  if (record.seq != due.seq) return "its seq is " + std::to_string(record.seq) + ", not " + std::to_string(due.seq);
  if (!due.run.empty() && record.run != due.run) return "it is of run " + record.run + ", not of " + due.run;
  if (record.prev != due.prev) return "its prev is not the hash of the record before";
  if (Sha256Hex(record.line.hashed) != record.line.hash) return "its hash is not that of its text";
  if (record.type == "recovered" && !cut_) return "it answers to a cut line that is not there";
  return {};
}

// Whether the record tells of the cut line before it.
bool AuditVerifier::Answers(const AuditRecord& record) const {
  if (record.type != "recovered") return false;
  const json::object& fields = record.all.get_object();
  const json::value* bytes = fields.if_contains("dropped_bytes");
  const json::value* digest = fields.if_contains("dropped_sha256");
  return bytes != nullptr && bytes->is_int64() && std::cmp_equal(bytes->get_int64(), cut_->size) && digest != nullptr &&
         digest->is_string() && std::string_view(digest->get_string()) == cut_->sha256;
}

void AuditVerifier::Accept(const AuditRecord& record) {
  const auto keep = [this](std::optional<AuditFault>& fault, std::string reason) {
    if (!fault && !reason.empty()) fault = Here(std::move(reason));
  };
  if (record.type != "recovered" && !std::exchange(started_, true) && record.type != "run.started") {
    keep(start_fault_, "the first record is '" + record.type + "', not 'run.started'");
  }
  cut_.reset();
  keep(steps_fault_, steps_.Take(record));
  CheckTime(record);
  CheckHeads(record);
  if (record.seq == 0) verdict_.run_id = record.run;
  verdict_.head.seq = record.seq;
  verdict_.head.hash = record.line.hash;
  last_type_ = record.type;
  last_line_ = line_;
}

void AuditVerifier::CheckTime(const AuditRecord& record) {
  if (record.seq > 0 && record.time + kClockMoves < last_time_ && times_back_++ == 0)
    verdict_.warnings.push_back("the clock went back from " + UtcMilliseconds(last_time_) + " to " +
                                UtcMilliseconds(record.time) + " at record " + std::to_string(record.seq));
  last_time_ = record.time;
}

void AuditVerifier::CheckHeads(const AuditRecord& record) {
  if (record.line.hash == expected_.head) given_at_ = record.seq;
  if (!expected_.recorded || recorded_fault_) return;
  const AuditHead& head = *expected_.recorded;
  if (record.seq == head.seq && record.line.hash != head.hash) {
    recorded_fault_ = Here("its hash is not the head in run.json, " + head.hash);
  } else if (expected_.ended && record.seq == head.seq + 1) {
    recorded_fault_ = Here("it follows the last record that run.json tells of");
  }
}

AuditFault AuditVerifier::Here(std::string reason) const { return {verdict_.Records(), line_, std::move(reason)}; }

std::optional<AuditFault> AuditVerifier::RecordedHeadFault() const {
  if (recorded_fault_ || !expected_.recorded || expected_.recorded->seq <= verdict_.head.seq) return recorded_fault_;
  return AuditFault{verdict_.Records(), line_ + 1,
                    "it is missing: run.json tells of " + Counted(expected_.recorded->seq + 1)};
}

std::optional<AuditFault> AuditVerifier::GivenHeadFault() const {
  if (expected_.head.empty() || given_at_ == verdict_.head.seq) return std::nullopt;
  if (given_at_ < 0) return AuditFault{verdict_.head.seq, last_line_, "no record has the head that was given"};
  if (expected_.live) return std::nullopt;
  const std::int64_t more = verdict_.head.seq - given_at_;
  return AuditFault{verdict_.head.seq, last_line_,
                    "the head that was given is that of record " + std::to_string(given_at_) + ", and " +
                        Counted(more) + (more == 1 ? " follows it" : " follow it")};
}

std::string AuditVerifier::WhyOpen() const {
  if (expected_.live) return "the run goes on";
  std::string why = "truncated or killed";
  if (expected_.recorded && expected_.recorded->seq > verdict_.head.seq)
    why += "; run.json tells of " + Counted(expected_.recorded->seq + 1);
  return why;
}

AuditVerdict AuditVerifier::Verdict(AuditStatus status, std::optional<AuditFault> fault) {
  if (times_back_ > 1) verdict_.warnings.front() += ", and " + std::to_string(times_back_ - 1) + " times more";
  verdict_.status = status;
  verdict_.fault = std::move(fault);
  return std::move(verdict_);
}

// What stands behind the last line feed, and a cut line that nothing has answered to.
void AuditVerifier::CheckEnd() {
  if (chain_fault_ || expected_.live) return;
  if (cut_) {
    chain_fault_ = std::move(cut_->fault);
  } else if (!partial_.empty()) {
    ++line_;
    CheckUnended();
  }
}

// A crash or a full disk leaves the beginning of a record, which takes nothing from those before it.
void AuditVerifier::CheckUnended() {
  const auto& recorded = expected_.recorded;
  if (!BeginsRecord(partial_, Due())) {
    chain_fault_ = Here("its line does not end, and is not the beginning of that record");
  } else if (expected_.ended && recorded && verdict_.head.seq >= recorded->seq) {
    chain_fault_ = Here("it follows the last record that run.json tells of");
  } else {
    begun_ = true;
  }
}

AuditVerdict AuditVerifier::Finish() {
  CheckEnd();
  if (chain_fault_) return Verdict(AuditStatus::kBroken, std::move(chain_fault_));
  if (start_fault_) return Verdict(AuditStatus::kBroken, std::move(start_fault_));
  const bool open = begun_ || last_type_ != "run.completed";
  if (open) verdict_.open = WhyOpen();
  if (open && !expected_.live) return Verdict(AuditStatus::kOpen, {});
  if (auto fault = RecordedHeadFault()) return Verdict(AuditStatus::kBroken, std::move(fault));
  if (auto fault = GivenHeadFault()) return Verdict(AuditStatus::kBroken, std::move(fault));
  if (steps_fault_) return Verdict(AuditStatus::kBroken, std::move(steps_fault_));
  return Verdict(open ? AuditStatus::kOpen : AuditStatus::kOk, {});
}

std::expected<AuditVerdict, Error> VerifyAuditFile(const std::filesystem::path& path, AuditExpectation expectation) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a pipe nobody writes to must not block
  if (!fd) return ReadFailure(path, errno);
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return ReadFailure(path, errno);
  if (S_ISDIR(info.st_mode)) return ReadFailure(path, EISDIR);
  if (!S_ISREG(info.st_mode)) return ReadFailure(path, "it is no regular file");
  AuditVerifier verifier(std::move(expectation));
  const auto block = std::make_unique<std::array<char, kBlock>>();
  for (bool wants_more = true; wants_more;) {
    const ssize_t got = ::read(fd.get(), block->data(), block->size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadFailure(path, errno);
    if (got == 0) break;
    wants_more = verifier.Take({block->data(), static_cast<std::size_t>(got)});
  }
  return verifier.Finish();
}

}  // namespace awf::telemetry

// AuditVerifier: whether an audit file is the one that awf wrote: every record whole, in its place, chained to the one
// before; its end there, its head the one that is known from elsewhere; its records in agreement with each other.
//
// Checks in the order of docs/audit.md and names the first fault of the first check that fails. Reads the file in one
// pass in constant memory. Used by one thread.
#pragma once

#include <cstdint>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/record_sinks.h"
#include "infrastructure/telemetry/audit_line.h"
#include "infrastructure/telemetry/audit_steps.h"

namespace awf::telemetry {

// What is known of the run from elsewhere.
struct AuditExpectation {
  std::string run_id;  // empty: that of the first record
  // A process works on the run: the end may be missing, and a last line be half written.
  bool live = false;
  // As run.json tells it. `ended`: it was written when the run had ended, so no record follows it; else it is the head
  // that an earlier owner left, if any.
  std::optional<AuditHead> recorded;
  bool ended = false;
  std::string head;  // hash that somebody kept; empty: none
};

enum class AuditStatus { kOk, kOpen, kBroken };

constexpr std::string_view ToString(AuditStatus status) {
  switch (status) {
    case AuditStatus::kOk:
      return "ok";
    case AuditStatus::kOpen:
      return "open";
    case AuditStatus::kBroken:
      return "broken";
  }
  return "broken";
}

struct AuditFault {
  std::int64_t record = 0;  // from 0, as seq; the first that is not as it was written
  std::int64_t line = 1;    // from 1
  std::string reason;       // a phrase
};

struct AuditVerdict {
  AuditStatus status = AuditStatus::kOk;
  std::string run_id;  // as the records tell it
  AuditHead head;      // of the last record that holds
  std::optional<AuditFault> fault;
  std::string open;                   // why it is open: a phrase
  std::vector<std::string> warnings;  // whole sentences without a stop at the end

  std::int64_t Records() const { return head.seq + 1; }  // that hold
};

class AuditVerifier {
 public:
  explicit AuditVerifier(AuditExpectation expectation) : expected_(std::move(expectation)) {}

  // The file, in pieces of any size. False: a fault is found already, and no more bytes are needed.
  bool Take(std::string_view bytes);
  AuditVerdict Finish();

 private:
  // A line that only a record `recovered` behind it can explain.
  struct CutLine {
    AuditFault fault;
    std::size_t size = 0;
    std::string sha256;
  };

  void TakeLine(std::string_view line);
  void TakeUnparsable(std::string_view line, std::string reason);
  std::string ChainFault(const AuditRecord& record) const;
  bool Answers(const AuditRecord& record) const;
  void Accept(const AuditRecord& record);
  void CheckTime(const AuditRecord& record);
  void CheckHeads(const AuditRecord& record);
  AuditFault Here(std::string reason) const;  // the record that is due, in the line that was taken last
  void CheckEnd();
  void CheckUnended();
  RecordPlace Due() const;
  std::optional<AuditFault> RecordedHeadFault() const;
  std::optional<AuditFault> GivenHeadFault() const;
  std::string WhyOpen() const;
  AuditVerdict Verdict(AuditStatus status, std::optional<AuditFault> fault);

  const AuditExpectation expected_;
  std::string partial_;  // of a line whose end has not been taken
  std::int64_t line_ = 0;
  AuditVerdict verdict_;
  std::optional<CutLine> cut_;
  AuditSteps steps_;
  std::string last_type_;
  WallClock::time_point last_time_;
  std::int64_t last_line_ = 0, times_back_ = 0;
  bool begun_ = false;    // a last record is there in part
  bool started_ = false;  // the record that has to be run.started was taken
  // Faults of later checks, kept until the earlier ones have passed.
  std::optional<AuditFault> start_fault_, recorded_fault_, steps_fault_;
  std::optional<AuditFault> chain_fault_;
  std::int64_t given_at_ = -1;  // the record whose hash is expected_.head
};

// SYSTEM.IO.READ_FAILED when the file cannot be read.
std::expected<AuditVerdict, Error> VerifyAuditFile(const std::filesystem::path& path, AuditExpectation expectation);

}  // namespace awf::telemetry

// For tests: audit files made record by record, with chains that hold whatever their records say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/test_time.h"
#include "domain/timestamp.h"
#include "infrastructure/telemetry/audit_verifier.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::telemetry {

class AuditChain {
 public:
  explicit AuditChain(std::string run = "r") : run_(std::move(run)) {}

  // `fields`: the inside of an object, R"("step":"a")", or empty.
  AuditChain& Add(std::string_view type, std::string_view fields = {}) {
    std::string line = R"({"v":1,"seq":)" + std::to_string(lines_.size() - static_cast<std::size_t>(cut_lines_)) +
                       R"(,"time":")" + UtcMilliseconds(At(now)) + R"(","run":")" + run_ + R"(","type":")";
    line.append(type).append("\"");
    if (!fields.empty()) line.append(",").append(fields);
    line.append(R"(,"prev":")").append(prev_).append("\"");
    prev_ = Sha256Hex(line);
    lines_.push_back(line + R"(,"hash":")" + prev_ + "\"}");
    now += 100;
    return *this;
  }
  // A line that is no record.
  AuditChain& AddCut(std::string line) {
    lines_.push_back(std::move(line));
    ++cut_lines_;
    return *this;
  }
  AuditChain& Recovered(std::string_view cut) {
    return Add("recovered",
               R"("dropped_bytes":)" + std::to_string(cut.size()) + R"(,"dropped_sha256":")" + Sha256Hex(cut) + "\"");
  }
  AuditChain& RunStarted(bool resumed = false) {
    return Add("run.started", resumed ? R"("resumed":true)" : R"("resumed":false)");
  }
  AuditChain& Step(const std::string& name) { return Add("step.started", R"("step":")" + name + "\""); }
  AuditChain& Call(const std::string& name) { return Add("tool.call", R"("step":")" + name + "\""); }
  AuditChain& Bypass(const std::string& name) { return Add("bypass", R"("step":")" + name + "\""); }
  AuditChain& StepEnd(const std::string& name, int calls = 0, int bypasses = 0) {
    return Add("step.completed", R"("step":")" + name + R"(","tool_calls":)" + std::to_string(calls) +
                                     R"(,"bypasses":)" + std::to_string(bypasses));
  }
  AuditChain& RunEnd(int more = 0) {
    return Add("run.completed",
               R"("records":)" + std::to_string(static_cast<int>(lines_.size()) - cut_lines_ + 1 + more));
  }

  std::vector<std::string>& lines() { return lines_; }
  const std::string& Head() const { return prev_; }
  std::string Text() const {
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

  long long now = 1793700900000;  // of the next record

 private:
  const std::string run_;
  std::vector<std::string> lines_;
  int cut_lines_ = 0;
  std::string prev_ = std::string(64, '0');
};

// "ok 4", "open 2: truncated or killed", "1 (line 2): its seq is 2, not 1"
inline std::string Told(const AuditVerdict& verdict) {
  if (const auto& fault = verdict.fault)
    return std::to_string(fault->record) + " (line " + std::to_string(fault->line) + "): " + fault->reason;
  std::string told = std::string(ToString(verdict.status)) + " " + std::to_string(verdict.Records());
  return verdict.open.empty() ? told : told + ": " + verdict.open;
}

inline AuditVerdict VerifyText(std::string_view text, AuditExpectation expected = {}, std::size_t piece = 1U << 20) {
  AuditVerifier verifier(std::move(expected));
  while (!text.empty() && verifier.Take(text.substr(0, piece))) text.remove_prefix(std::min(piece, text.size()));
  return verifier.Finish();
}

}  // namespace awf::telemetry

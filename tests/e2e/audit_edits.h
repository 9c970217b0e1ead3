// Random edits of the audit of a real run, each with the place where a verifier has to find it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/telemetry/audit_verifier.h"
#include "infrastructure/telemetry/run_folder.h"

namespace awf::e2e {

// An audit file taken apart, and where a fault in it has to be found.
class EditedAudit {
 public:
  struct Place {
    std::int64_t record, line;
  };

  explicit EditedAudit(const std::filesystem::path& folder) : text_(FileText(folder / "audit.jsonl")) {
    std::istringstream lines(text_);
    std::int64_t record = 0;
    std::size_t start = 0;
    for (std::string line; std::getline(lines, line); start += line.size() + 1) {
      boost::system::error_code fault;
      const boost::json::value value = boost::json::parse(line, fault);
      lines_.push_back({line, start, record, fault.failed(), !fault && value.at("type") == "run.completed"});
      if (!fault) ++record;
    }
    records_ = record;
    const auto read = telemetry::RunFolder::ReadManifest(folder);
    EXPECT_TRUE(read);
    expected_.run_id = read->run_id;
    expected_.recorded = read->manifest.audit;
    expected_.ended = true;
  }

  struct Line {
    std::string text;
    std::size_t start;
    std::int64_t record;  // its number; of a cut line that of the record that is due
    bool cut, ends_run;
  };

  const std::string& text() const { return text_; }
  const std::vector<Line>& lines() const { return lines_; }
  std::size_t LineAt(std::size_t byte) const {
    const auto behind = std::ranges::upper_bound(lines_, byte, {}, &Line::start);
    return static_cast<std::size_t>(behind - lines_.begin()) - 1;
  }
  // Where a fault is told that shows in line `i` of the edited text, the lines before it being as they were.
  Place At(std::size_t i) const {
    const std::int64_t record = i < lines_.size() ? lines_[i].record : records_;
    const bool unanswered = i > 0 && lines_[i - 1].cut;
    return {record, static_cast<std::int64_t>(unanswered ? i : i + 1)};
  }
  std::int64_t records() const { return records_; }
  telemetry::AuditVerdict Verify(const std::string& text, bool with_run_json = true) const {
    telemetry::AuditVerifier verifier(with_run_json ? expected_ : telemetry::AuditExpectation());
    verifier.Take(text);
    return verifier.Finish();
  }
  static std::string Joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }
  std::vector<std::string> Texts() const {
    std::vector<std::string> texts;
    for (const Line& line : lines_) texts.push_back(line.text);
    return texts;
  }

 private:
  std::string text_;
  std::vector<Line> lines_;
  std::int64_t records_ = 0;
  telemetry::AuditExpectation expected_;
};

class AuditEdits {
 public:
  AuditEdits(const EditedAudit& subject, unsigned seed) : subject_(subject), random_(seed) {}

  void One() {
    switch (Below(9)) {
      case 0:
        return Flip();
      case 1:
        return Drop();
      case 2:
        return Insert();
      case 3:
        return SwapBytes();
      case 4:
        return DropLine();
      case 5:
        return CopyLine();
      case 6:
        return SwapLines();
      case 7:
        return CutAt(Below(subject_.text().size()));
      default:
        return CutAt(subject_.lines()[Below(subject_.lines().size())].start);
    }
  }

 private:
  std::size_t Below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  // Any byte, more often one that means something.
  char Byte() {
    static constexpr std::string_view kSpecial = "\n\r\t \"\\{}[],:0127abcdefABCDEFx\0\xff\xef";
    return Below(2) == 0 ? static_cast<char>(Below(256)) : kSpecial[Below(kSpecial.size())];
  }

  void Expect(const std::string& text, EditedAudit::Place place, const std::string& edit) const {
    const telemetry::AuditVerdict verdict = subject_.Verify(text);
    const bool exact = verdict.fault && verdict.fault->record == place.record && verdict.fault->line == place.line;
    EXPECT_TRUE(exact) << edit << ": record " << place.record << ", line " << place.line << " is the first; told was "
                       << ToString(verdict.status) << " "
                       << (verdict.fault ? std::to_string(verdict.fault->record) + ", line " +
                                               std::to_string(verdict.fault->line) + ": " + verdict.fault->reason
                                         : verdict.open);
  }

  void Flip() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size());
    const char byte = Byte();
    if (byte == text[at]) return One();
    text[at] = byte;
    Expect(text, subject_.At(subject_.LineAt(at)), "byte " + std::to_string(at) + " changed");
  }

  void Drop() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size());
    if (at + 1 == text.size()) return CutAt(at);
    text.erase(at, 1);
    Expect(text, subject_.At(subject_.LineAt(at)), "byte " + std::to_string(at) + " dropped");
  }

  void Insert() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size() + 1);
    const char byte = Byte();
    text.insert(at, 1, byte);
    const std::string edit = "a byte inserted at " + std::to_string(at);
    if (at == subject_.text().size()) return Expect(text, subject_.At(subject_.lines().size()), edit);
    // A line feed beside a line feed is an empty line behind that line.
    const std::size_t line = subject_.LineAt(at);
    const bool before_feed = subject_.text()[at] == '\n';
    Expect(text, subject_.At(byte == '\n' && before_feed ? line + 1 : line), edit);
  }

  void SwapBytes() {
    std::string text = subject_.text();
    const std::size_t at = Below(text.size() - 1);
    if (text[at] == text[at + 1]) return One();
    std::swap(text[at], text[at + 1]);
    Expect(text, subject_.At(subject_.LineAt(at)), "bytes swapped at " + std::to_string(at));
  }

  void DropLine() {
    std::vector<std::string> lines = subject_.Texts();
    const std::size_t line = Below(lines.size());
    if (line + 1 == lines.size()) return CutAt(subject_.lines()[line].start);
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(line));
    Expect(EditedAudit::Joined(lines), subject_.At(line), "line " + std::to_string(line + 1) + " dropped");
  }

  void CopyLine() {
    std::vector<std::string> lines = subject_.Texts();
    const std::size_t line = Below(lines.size());
    std::size_t to = Below(lines.size() + 1);
    if (to == line) ++to;  // before itself is behind itself
    const std::string copy = lines[line];
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(to), copy);
    Expect(EditedAudit::Joined(lines), subject_.At(to),
           "line " + std::to_string(line + 1) + " copied before line " + std::to_string(to + 1));
  }

  void SwapLines() {
    std::vector<std::string> lines = subject_.Texts();
    if (lines.size() < 2) return One();
    const std::size_t a = Below(lines.size()), b = Below(lines.size());
    if (lines[a] == lines[b]) return One();
    std::swap(lines[a], lines[b]);
    Expect(EditedAudit::Joined(lines), subject_.At(std::min(a, b)),
           "lines " + std::to_string(a + 1) + " and " + std::to_string(b + 1) + " swapped");
  }

  // Records that are missing at the end, one of them in part, show by the end that is missing. Only a file that is cut
  // behind an earlier end of the run, before it was taken up again, is whole in itself: run.json shows that.
  void CutAt(std::size_t at) {
    const std::string text = subject_.text().substr(0, at), edit = "cut at " + std::to_string(at);
    const std::size_t line = subject_.LineAt(at);
    const bool at_start = at == subject_.lines()[line].start;
    const bool unanswered = line > 0 && subject_.lines()[line - 1].cut;
    if (unanswered) return Expect(text, subject_.At(line), edit);
    if (!at_start || line == 0 || !subject_.lines()[line - 1].ends_run) {
      const telemetry::AuditVerdict verdict = subject_.Verify(text);
      EXPECT_EQ(verdict.status, telemetry::AuditStatus::kOpen) << edit;
      EXPECT_EQ(verdict.Records(), subject_.lines()[line].record) << edit;
      EXPECT_EQ(verdict.open,
                "truncated or killed; run.json tells of " + std::to_string(subject_.records()) + " records");
      return;
    }
    EXPECT_EQ(subject_.Verify(text, false).status, telemetry::AuditStatus::kOk) << edit;
    Expect(text, subject_.At(line), edit);
  }

  const EditedAudit& subject_;
  std::mt19937 random_;
};

}  // namespace awf::e2e

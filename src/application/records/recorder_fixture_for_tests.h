// For tests of the records of a run: sinks that keep what they get as text, and a recorder with a run, a step and a
// call to tell it of.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <expected>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "application/records/run_recorder.h"
#include "domain/test_time.h"

namespace awf {

inline constexpr char kTrace[] = "4bf92f3577b34da6a3ce929d0e0e4736";
inline constexpr char kRoot[] = "1111111111111111";
inline constexpr char kStep[] = "2222222222222222";

// "info message {fields} error=… step=… span=…"
struct FakeLog : LogSink {
  bool Write(const LogRecord& r) override {
    const std::lock_guard lock(mutex);
    if (fails) return false;
    std::string line(ToString(r.level));
    line += " " + r.message + " " + json::serialize(r.fields);
    if (!r.error.empty()) line += " error=" + r.error;
    if (!r.step.empty()) line += " step=" + r.step;
    line += " span=" + r.span_id;
    if (r.whole_seconds) line += " s";
    lines.push_back(line);
    attempts.push_back(r.attempt);
    return true;
  }
  std::string Name() const override { return name; }
  std::mutex mutex;
  std::string name = "log.jsonl";
  std::vector<std::string> lines;
  std::vector<int> attempts;
  bool fails = false;
};

struct FakeAudit : AuditSink {
  std::expected<void, Error> Append(std::string_view type, const json::object& fields, Durability durability) override {
    const std::lock_guard lock(mutex);
    if (fails) return Fail("SYSTEM.IO.WRITE_FAILED", "cannot write audit.jsonl: No space left on device");
    ++head.seq;
    head.hash = "hash" + std::to_string(head.seq);
    lines.push_back(std::string(type) + " " + json::serialize(fields) +
                    (durability == Durability::kOnDisk ? " disk" : ""));
    return {};
  }
  AuditHead Head() const override {
    const std::lock_guard lock(mutex);
    return head;
  }
  std::string Digest(std::string_view text) const override { return "sha[" + std::string(text) + "]"; }
  mutable std::mutex mutex;
  AuditHead head;
  std::vector<std::string> lines;
  bool fails = false;
};

struct FakeSpans : SpanSink {
  bool Write(const SpanRecord& span) override {
    const std::lock_guard lock(mutex);
    if (fails) return false;
    spans.push_back(span);
    return true;
  }
  std::string Name() const override { return "trace.json"; }
  std::string Failure() const override { return fails ? "No space left on device" : ""; }
  std::mutex mutex;
  std::vector<SpanRecord> spans;
  bool fails = false;
};

inline std::string Text(const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  return json::serialize(json::value(std::get<double>(value)));
}

inline std::vector<std::string> Texts(const Attributes& attributes) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : attributes) texts.push_back(key + "=" + Text(value));
  return texts;
}

class RunRecorderTest : public testing::Test {
 protected:
  RunRecorderTest() {
    start_.run_id = "r";
    start_.trace_id = kTrace;
    start_.span_id = kRoot;
    start_.workflow = "review";
    start_.version = "1.0";
    start_.workflow_sha256 = "abc";
    start_.inputs = {{"name", "value"}, {"pin", "1234"}};
    start_.time = At(1000);
    step_.run_id = "r";
    step_.step = step_.path = "work";
    step_.kind = StepKind::kAgent;
    step_.trace_id = kTrace;
    step_.span_id = kStep;
    call_.call = "9f02c4d17be6a038";
    call_.tool = "Grep";
    call_.source = "builtin";
    call_.request_id = "7";
    call_.client_call_id = "toolu_1";
    call_.time = At(2000);
    call_.bytes_in = 20;
  }

  RunRecorder Make(bool spans = true) {
    return RunRecorder(
        {"me", "box", "0.1.0", {"pin"}}, {{&log_}, &audit_, spans ? &spans_ : nullptr},
        [this](const Error& e) { failures_.push_back(e.code); }, [] { return At(5000); });
  }

  CallEnd Ended(CallOutcome outcome, std::string error = {}, std::string type = {}) {
    CallEnd end;
    end.outcome = outcome;
    end.duration = std::chrono::microseconds(6500);
    end.error = std::move(error);
    end.error_type = std::move(type);
    end.bytes_out = 90;
    return end;
  }

  FakeLog log_;
  FakeAudit audit_;
  FakeSpans spans_;
  std::vector<std::string> failures_;
  RunStart start_;
  StepContext step_;
  CallRecord call_;
};

}  // namespace awf

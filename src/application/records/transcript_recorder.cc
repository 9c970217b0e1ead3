#include "application/records/transcript_recorder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "application/records/transcript_payloads.h"
#include "domain/captured_content.h"
#include "domain/parse_json.h"
#include "domain/tool_observer.h"

namespace awf {
namespace {

using namespace transcript;

TokenUsage Less(TokenUsage total, const TokenUsage& part) {
  total.input = std::max<std::int64_t>(total.input - part.input, 0);
  total.output = std::max<std::int64_t>(total.output - part.output, 0);
  total.cached = std::max<std::int64_t>(total.cached - part.cached, 0);
  if (total.cost_usd) *total.cost_usd -= part.cost_usd.value_or(0);
  return total;
}

void Add(TokenUsage& sum, const TokenUsage& part) {
  sum.input += part.input;
  sum.output += part.output;
  sum.cached += part.cached;
  if (part.cost_usd) sum.cost_usd = sum.cost_usd.value_or(0) + *part.cost_usd;
}

// The input of a use as the router would have captured it.
std::string CapturedInput(const std::string& input) {
  if (input.size() <= kLongestContent) return input;
  const auto parsed = ParseJson(input);
  return parsed && parsed->is_object() ? CapturedArguments(parsed->get_object(), input.size()) : CapturedText(input);
}

void Put(std::string& beginning, std::uint64_t& bytes, std::string_view text) {
  beginning += text.substr(0, kLongestContent - std::min(beginning.size(), kLongestContent));
  bytes += text.size();
}

}  // namespace

TranscriptRecorder::TranscriptRecorder(TranscriptSink& sink, TranscriptContent content,
                                       std::function<void()> on_failure, Clock clock)
    : sink_(sink), content_(content), on_failure_(std::move(on_failure)), clock_(std::move(clock)) {}

TranscriptRecord TranscriptRecorder::New(const StepContext& step, std::string_view type) const {
  TranscriptRecord record;
  record.type = type;
  record.path = step.path;
  record.attempt = step.attempt;
  record.time = clock_();
  return record;
}

TranscriptRecorder::OpenStep* TranscriptRecorder::Find(const StepContext& step) {
  const auto found = open_.find(step.span_id);
  return found == open_.end() ? nullptr : &found->second;
}

void TranscriptRecorder::Write(const Records& records) {
  for (const TranscriptRecord& record : records) {
    if (sink_.Write(record)) continue;
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(failed_, true)) continue;
    }
    if (on_failure_) on_failure_();
  }
}

void TranscriptRecorder::RunStarted(const RunStart& start) {
  {
    const std::lock_guard lock(mutex_);
    workflow_ = start.workflow;
    version_ = start.version;
  }
  TranscriptRecord record{"run.started", {}, 1, start.time, {{"workflow", start.workflow}, {"version", start.version}}};
  if (start.resumed) record.payload["resumed"] = true;
  Write({std::move(record)});
}

void TranscriptRecorder::RunEnded(const RunEnd& end) {
  TranscriptRecord record{"run.completed", {}, 1, clock_(), {}};
  {
    const std::lock_guard lock(mutex_);
    record.payload = {{"workflow", workflow_}, {"version", version_}};
  }
  record.payload["status"] = end.status;
  record.payload["exit_code"] = end.exit_code;
  if (end.error) AddError(record.payload, *end.error, content_);
  Write({std::move(record)});
}

void TranscriptRecorder::StepStarted(const StepContext& step, const StepStart& start) {
  {
    const std::lock_guard lock(mutex_);
    open_[step.span_id].start = start;
  }
  TranscriptRecord record = New(step, "step.started");
  record.time = start.time;
  record.payload = StepPayload(step, start.provider, start.model);
  Write({std::move(record)});
}

void TranscriptRecorder::CallStarted(const StepContext& step, const CallRecord& call) {
  std::string id = call.client_call_id;
  {
    const std::lock_guard lock(mutex_);
    if (OpenStep* open = Find(step)) {
      id = open->uses.Called(call.client_call_id, call.tool);
      open->call_ids[call.call] = id;
    }
  }
  TranscriptRecord record = New(step, "tool.call");
  record.time = call.time;
  record.payload = CallPayload(call, id, content_);
  Write({std::move(record)});
}

void TranscriptRecorder::CallFinished(const StepContext& step, const CallRecord& call, const CallEnd& end) {
  std::string id = call.client_call_id;
  {
    const std::lock_guard lock(mutex_);
    if (OpenStep* open = Find(step)) {
      if (auto node = open->call_ids.extract(call.call)) id = std::move(node.mapped());
    }
  }
  TranscriptRecord record = New(step, "tool.result");
  record.payload = ResultPayload(call, id, end, content_);
  Write({std::move(record)});
}

void TranscriptRecorder::Bypassed(const StepContext& step, const NativeUse& use) {
  TranscriptRecord record = New(step, "bypass");
  {
    const std::lock_guard lock(mutex_);
    const OpenStep* open = Find(step);
    record.payload =
        BypassPayload(use, open == nullptr ? nullptr : open->uses.OpenNative(use.client_call_id), content_);
  }
  Write({std::move(record)});
}

// A use stands behind the message that tells it, a result in front of it.
void TranscriptRecorder::MessageSaid(const StepContext& step, const AgentMessage& message) {
  Records records, behind;
  {
    const std::lock_guard lock(mutex_);
    if (OpenStep* open = Find(step)) {
      for (const MessageBlock& block : message.blocks) {
        if (block.type == "tool_use") NoteUse(step, block, *open, behind);
        if (block.type == "tool_result") NoteResult(step, block, *open, records);
      }
    }
  }
  records.push_back(New(step, "message."));
  records.back().type += ToString(message.role);
  records.back().payload = MessagePayload(message, content_);
  std::ranges::move(behind, std::back_inserter(records));
  Write(records);
}

void TranscriptRecorder::NoteUse(const StepContext& step, const MessageBlock& block, OpenStep& open,
                                 Records& records) const {
  AgentUse use;
  use.id = block.call_id;
  use.tool = block.tool.empty() ? block.name : block.tool;
  use.native = block.native;
  use.bytes = block.text.size();
  use.time = clock_();
  if (content_ == TranscriptContent::kFull) use.input = CapturedInput(block.text);
  for (const AgentUse& claim : open.uses.Used(std::move(use))) AddClaim(step, claim, records);
}

void TranscriptRecorder::NoteResult(const StepContext& step, const MessageBlock& block, OpenStep& open,
                                    Records& records) const {
  const auto use = open.uses.Ended(block.call_id);
  if (!use) return;
  if (!use->told) AddClaim(step, *use, records);
  records.push_back(New(step, "tool.result"));
  records.back().payload = ClaimedResultPayload(*use, block, content_);
}

void TranscriptRecorder::AddClaim(const StepContext& step, const AgentUse& use, Records& records) const {
  records.push_back(New(step, "tool.call"));
  records.back().time = use.time;
  records.back().payload = ClaimPayload(use, content_);
}

void TranscriptRecorder::TokensUsed(const StepContext& step, const TokenUsage& usage) {
  const std::lock_guard lock(mutex_);
  if (OpenStep* open = Find(step)) open->attempt_usage = usage;
}

void TranscriptRecorder::CommandOutput(const StepContext& step, bool is_stderr, std::string_view text) {
  const std::lock_guard lock(mutex_);
  OpenStep* open = Find(step);
  if (open == nullptr) return;
  Stream& stream = is_stderr ? open->err : open->out;
  std::string unkept;
  Put(content_ == TranscriptContent::kFull ? stream.text : unkept, stream.bytes, text);
}

// But for the usage, which the end of a step knows better.
void TranscriptRecorder::EndAttempt(const StepContext& step, OpenStep& open, Records& records) const {
  for (const AgentUse& claim : open.uses.Finish()) AddClaim(step, claim, records);
  json::array blocks;
  if (open.out.bytes > 0) blocks.push_back(StreamBlock("stdout", open.out.text, open.out.bytes, content_));
  if (open.err.bytes > 0) blocks.push_back(StreamBlock("stderr", open.err.text, open.err.bytes, content_));
  open.out = open.err = {};
  if (blocks.empty()) return;
  records.push_back(New(step, "message.assistant"));
  records.back().payload = {{"role", "assistant"}, {"blocks", std::move(blocks)}};
}

void TranscriptRecorder::AddUsage(const StepContext& step, const TokenUsage& usage, Records& records) const {
  if (usage.input == 0 && usage.output == 0) return;
  records.push_back(New(step, "usage"));
  records.back().payload = UsagePayload(usage);
}

void TranscriptRecorder::StepRetried(const StepContext& step, const StepRetry& /*retry*/) {
  Records records;
  {
    const std::lock_guard lock(mutex_);
    OpenStep* open = Find(step);
    if (open == nullptr) return;
    EndAttempt(step, *open, records);
    const TokenUsage usage = std::exchange(open->attempt_usage, {});
    Add(open->told_usage, usage);
    AddUsage(step, usage, records);
  }
  Write(records);
}

void TranscriptRecorder::StepEnded(const StepContext& step, const StepEnd& end) {
  Records records;
  {
    const std::lock_guard lock(mutex_);
    if (auto node = open_.extract(step.span_id)) {
      EndAttempt(step, node.mapped(), records);
      // What the attempts before had used and nobody told until now is in the last one's.
      AddUsage(step, Less(end.usage, node.mapped().told_usage), records);
    }
  }
  records.push_back(New(step, "step.completed"));
  json::object& payload = records.back().payload;
  payload = StepPayload(step, end.provider, end.model);
  payload["status"] = ToString(end.status);
  if (end.error) AddError(payload, *end.error, content_);
  Write(records);
}

}  // namespace awf

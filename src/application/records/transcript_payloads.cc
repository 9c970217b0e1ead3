#include "application/records/transcript_payloads.h"

#include <chrono>
#include <initializer_list>
#include <utility>

#include "application/records/call_records.h"
#include "domain/parse_json.h"

namespace awf::transcript {
namespace {

constexpr std::string_view kRouter = "router", kAgent = "agent_emitted", kNative = "native";

void MarkCut(json::object& payload, std::string_view member) { payload["cut"] = json::array{member}; }

// As JSON where it is that, else as text.
void AddInput(json::object& payload, const std::string& input, bool cut, TranscriptContent content) {
  if (content != TranscriptContent::kFull || input.empty()) return;
  auto parsed = ParseJson(input);
  payload["input"] = parsed ? std::move(*parsed) : json::value(json::string(input));
  if (cut) MarkCut(payload, "input");
}

bool IsOfTool(const std::string& type) { return type == "tool_use" || type == "tool_result"; }

json::object BlockOf(const MessageBlock& block, TranscriptContent content) {
  json::object out{{"type", block.type}};
  if (!block.name.empty()) out["name"] = block.name;
  if (!block.call_id.empty()) out["call_id"] = block.call_id;
  if (!IsOfTool(block.type) && content != TranscriptContent::kNone) out["text"] = block.text;
  out["bytes"] = block.text.size();
  if (block.is_error) out["is_error"] = true;
  return out;
}

json::object CallHead(const std::string& call_id, const std::string& client_call_id, const std::string& name,
                      std::string_view source, std::string_view fidelity) {
  json::object payload{{"call_id", call_id}};
  if (!client_call_id.empty()) payload["client_call_id"] = client_call_id;
  payload["name"] = name;
  payload["source"] = source;
  payload["fidelity"] = fidelity;
  return payload;
}

json::object RouterHead(const CallRecord& call, const std::string& client_call_id) {
  return CallHead(call.call, client_call_id, call.tool, call.source, kRouter);
}

json::object ClaimHead(const AgentUse& use) {
  return CallHead(use.id, {}, use.tool, use.native ? kNative : kUnknownSource, kAgent);
}

}  // namespace

void AddError(json::object& payload, const Error& error, TranscriptContent content) {
  payload["code"] = error.code;
  if (content != TranscriptContent::kNone) payload["error"] = error.message;
}

json::object StepPayload(const StepContext& step, const std::string& provider, const std::string& model) {
  json::object payload{{"name", step.step}, {"kind", ToString(step.kind)}};
  if (!provider.empty()) payload["provider"] = provider;
  if (!model.empty()) payload["model"] = model;
  return payload;
}

json::object MessagePayload(const AgentMessage& message, TranscriptContent content) {
  json::array blocks;
  blocks.reserve(message.blocks.size());
  for (const MessageBlock& block : message.blocks) blocks.push_back(BlockOf(block, content));
  return {{"role", ToString(message.role)}, {"blocks", std::move(blocks)}};
}

json::object StreamBlock(std::string_view name, std::string_view text, std::uint64_t bytes, TranscriptContent content) {
  json::object block{{"type", "stream"}, {"name", name}};
  if (content == TranscriptContent::kFull) {
    block["text"] = text;
    if (text.size() < bytes) MarkCut(block, "text");
  }
  block["bytes"] = bytes;
  return block;
}

json::object CallPayload(const CallRecord& call, const std::string& client_call_id, TranscriptContent content) {
  json::object payload = RouterHead(call, client_call_id);
  AddInput(payload, call.arguments, ArgumentsWereCut(call), content);
  payload["bytes"] = call.bytes_in;
  return payload;
}

json::object ResultPayload(const CallRecord& call, const std::string& client_call_id, const CallEnd& end,
                           TranscriptContent content) {
  json::object payload = RouterHead(call, client_call_id);
  payload["outcome"] = ToString(end.outcome);
  if (content == TranscriptContent::kFull && !end.result.empty()) {
    payload["output"] = end.result;
    if (ResultWasCut(end)) MarkCut(payload, "output");
  }
  const std::string error = CallErrorText(end);
  if (content != TranscriptContent::kNone && !error.empty()) payload["error"] = error;
  payload["bytes"] = end.bytes_out;
  payload["duration_ms"] = std::chrono::round<std::chrono::milliseconds>(end.duration).count();
  return payload;
}

json::object ClaimPayload(const AgentUse& use, TranscriptContent content) {
  json::object payload = ClaimHead(use);
  AddInput(payload, use.input, use.input.size() < use.bytes, content);
  payload["bytes"] = use.bytes;
  return payload;
}

json::object ClaimedResultPayload(const AgentUse& use, const MessageBlock& result, TranscriptContent content) {
  json::object payload = ClaimHead(use);
  payload["outcome"] = ToString(result.is_error ? CallOutcome::kError : CallOutcome::kOk);
  if (content == TranscriptContent::kFull) payload["output"] = result.text;
  payload["bytes"] = result.text.size();
  return payload;
}

json::object BypassPayload(const NativeUse& bypass, const AgentUse* use, TranscriptContent content) {
  json::object payload{{"native_tool", bypass.tool}, {"call_id", bypass.client_call_id}};
  if (use != nullptr) AddInput(payload, use->input, use->input.size() < use->bytes, content);
  return payload;
}

json::object UsagePayload(const TokenUsage& usage) {
  json::object payload{{"input_tokens", usage.input}, {"output_tokens", usage.output}};
  if (usage.cached > 0) payload["cached"] = usage.cached;
  if (usage.cost_usd) payload["cost_usd"] = *usage.cost_usd;
  payload["estimated"] = usage.estimated;
  return payload;
}

}  // namespace awf::transcript

// The payloads of transcript records. Pure functions.
//
// Texts are whole, or as captured; the name of a member that is only a beginning is in `cut`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "application/records/transcript_recorder.h"
#include "application/records/use_matcher.h"
#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf::transcript {

// `error` of runs and steps: its code, and unless it is kNone its message.
void AddError(json::object& payload, const Error& error, TranscriptContent content);

json::object StepPayload(const StepContext& step, const std::string& provider, const std::string& model);

json::object MessagePayload(const AgentMessage& message, TranscriptContent content);
// What a stream of a command began with; `bytes` in all.
json::object StreamBlock(std::string_view name, std::string_view text, std::uint64_t bytes, TranscriptContent content);

// `client_call_id`: the agent's; may be empty.
json::object CallPayload(const CallRecord& call, const std::string& client_call_id, TranscriptContent content);
json::object ResultPayload(const CallRecord& call, const std::string& client_call_id, const CallEnd& end,
                           TranscriptContent content);
// What the agent claims.
json::object ClaimPayload(const AgentUse& use, TranscriptContent content);
json::object ClaimedResultPayload(const AgentUse& use, const MessageBlock& result, TranscriptContent content);

// `use`: what is known of it beside; may be null.
json::object BypassPayload(const NativeUse& bypass, const AgentUse* use, TranscriptContent content);

json::object UsagePayload(const TokenUsage& usage);

}  // namespace awf::transcript

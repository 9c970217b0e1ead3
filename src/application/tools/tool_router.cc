#include "application/tools/tool_router.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "domain/captured_content.h"
#include "domain/random_id.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kMaxErrorCharacters = 200;  // of a log line's error (docs: observability, 3)
// What a client calls itself, its tools and ids may be as long as a frame; records are not.
constexpr std::size_t kMaxNameBytes = 1000;
constexpr std::size_t kMaxShownName = 100;

std::string Bounded(std::string_view text) { return std::string(Utf8Prefix(text, kMaxNameBytes)); }

// The first line, at most 200 characters, valid UTF-8.
std::string LogError(std::string_view text) {
  constexpr std::size_t kLongestCharacter = 4;
  text = text.substr(0, text.find('\n'));
  std::string error = RepairUtf8(text.substr(0, kLongestCharacter * kMaxErrorCharacters));
  const std::string_view shown = FirstCharacters(error, kMaxErrorCharacters);
  if (shown.size() == error.size()) return error;
  // Marked, so that what of a secret stands before the cut is masked.
  error.resize(FirstCharacters(error, kMaxErrorCharacters - 1).size());
  return error.append(kCutMark);
}

// Without building the text: arguments may hold a whole file.
std::uint64_t SerializedSize(const json::object& arguments) {
  json::serializer serializer;
  serializer.reset(&arguments);
  std::array<char, 4096> buffer{};
  std::uint64_t size = 0;
  while (!serializer.done()) size += serializer.read(buffer.data(), buffer.size()).size();
  return size;
}

std::uint64_t ContentSize(const ToolResult& result) {
  std::uint64_t size = 0;
  for (const Content& content : result.content) {
    if (const auto* text = std::get_if<TextContent>(&content)) size += text->text.size();
    if (const auto* image = std::get_if<ImageContent>(&content)) size += image->data.size();
  }
  return size;
}

std::string_view FirstText(const ToolResult& result) {
  for (const Content& content : result.content) {
    if (const auto* text = std::get_if<TextContent>(&content)) return text->text;
  }
  return {};
}

// Clients lose results without a text.
void EnsureText(ToolResult& result) {
  if (!FirstText(result).empty()) return;
  std::erase_if(result.content, [](const Content& content) { return std::holds_alternative<TextContent>(content); });
  result.content.insert(result.content.begin(), TextContent{"(no output)"});
}

CallEnd Failed(CallOutcome outcome, std::string_view error, std::string_view error_type) {
  CallEnd end;
  end.outcome = outcome;
  end.error = LogError(error);
  end.error_type = error_type;
  return end;
}

// How a call that ran ended, for the record.
CallEnd EndOf(const ToolResult& result, bool cancelled) {
  const ResultFields& fields = result.fields;
  const std::string_view text = fields.log_error.empty() ? FirstText(result) : std::string_view(fields.log_error);
  CallEnd end;
  if (fields.lost) {
    end = Failed(CallOutcome::kLost, text, "proxy_lost");
  } else if (cancelled || fields.cancelled) {
    end = Failed(CallOutcome::kCancelled, "cancelled by client", "cancelled");
  } else if (!fields.denied.empty()) {
    end = Failed(CallOutcome::kDenied, text, "policy_denied");
  } else if (fields.timed_out) {
    end = Failed(CallOutcome::kTimeout, text, "timeout");
  } else if (fields.invalid_arguments) {
    end = Failed(CallOutcome::kError, text, "invalid_arguments");
  } else if (result.is_error) {
    end = Failed(CallOutcome::kError, text, "tool_error");
  }
  end.denied = fields.denied;
  end.truncated = fields.truncated;
  end.exit_code = fields.exit_code;
  end.written = fields.written;
  end.rpc = fields.rpc;
  end.bytes_out = ContentSize(result);
  return end;
}

// There are no unobserved calls.
ToolResult Unobserved() {
  ToolResult result = ToolResult::Failure("awf, which supervises this server, is gone. The tool was not run.");
  result.fields.lost = true;
  return result;
}

Error Collision(const ToolDefinition& tool, std::string_view other_source) {
  return Error{"USER.MCP_PROXY.NAME_COLLISION",
               "two tools would be named " + tool.name + " (" + std::string(other_source) + " and " + tool.source + ")",
               "Expose only one of them.",
               {},
               {},
               {}};
}

}  // namespace

ToolRouter::ToolRouter(const ArgumentChecker& checker, ToolObserver& observer)
    : checker_(checker), observer_(observer) {}

std::expected<void, Error> ToolRouter::Add(const std::shared_ptr<ToolProvider>& provider) {
  std::vector<ToolDefinition> tools = provider->Tools();
  std::set<std::string_view> own;
  for (const ToolDefinition& tool : tools) {
    const auto taken = entries_.find(tool.name);
    if (taken != entries_.end()) return std::unexpected(Collision(tool, taken->second.definition.source));
    if (!own.insert(tool.name).second) return std::unexpected(Collision(tool, tool.source));
  }
  for (ToolDefinition& tool : tools) {
    definitions_.push_back(tool);
    std::string name = tool.name;
    entries_.emplace(std::move(name), Entry{std::move(tool), provider});
  }
  const auto foreign = std::ranges::stable_partition(
      definitions_, [](const ToolDefinition& tool) { return tool.source == kBuiltinSource; });
  std::ranges::sort(foreign, {}, &ToolDefinition::name);
  return {};
}

std::vector<std::string> ToolRouter::Names() const {
  std::vector<std::string> names;
  names.reserve(definitions_.size());
  for (const ToolDefinition& tool : definitions_) names.push_back(tool.name);
  return names;
}

CallRecord ToolRouter::RecordOf(const IncomingCall& call) const {
  CallRecord record;
  record.call = RandomHex(8);
  record.tool = Bounded(call.tool);
  const auto entry = entries_.find(call.tool);
  record.source = entry == entries_.end() ? std::string(kUnknownSource) : entry->second.definition.source;
  record.request_id = Bounded(call.request_id);
  record.client_call_id = Bounded(call.client_call_id);
  record.traceparent = Bounded(call.traceparent);
  record.tracestate = Bounded(call.tracestate);
  record.time = WallClock::now();
  const std::string_view raw = call.raw_arguments;
  record.bytes_in = raw.empty() ? SerializedSize(call.arguments) : raw.size();
  if (captures_)
    record.arguments = raw.empty() ? CapturedArguments(call.arguments, record.bytes_in) : CapturedText(raw);
  return record;
}

// The error is the answer.
CallEnd ToolRouter::Refused(std::string_view error, std::string_view error_type) const {
  CallEnd end = Failed(CallOutcome::kError, error, error_type);
  end.bytes_out = error.size();
  if (captures_) end.result = CapturedText(error);
  return end;
}

void ToolRouter::Record(const CallRecord& record, const CallEnd& end) {
  observer_.Started(record);
  observer_.Finished(record, end);
}

std::expected<ToolResult, UnknownTool> ToolRouter::Call(const IncomingCall& call) {
  const CallRecord record = RecordOf(call);
  const auto entry = entries_.find(call.tool);
  if (entry == entries_.end()) {
    UnknownTool unknown = DescribeUnknown(call.tool);
    Record(record, Refused(unknown.message, "-32602"));
    return std::unexpected(std::move(unknown));
  }
  if (call.cancelled.stop_requested()) {
    Record(record, Failed(CallOutcome::kCancelled, "cancelled by client", "cancelled"));
    return ToolResult::Failure("cancelled by client");
  }
  const auto arguments = checker_.Check(entry->second.definition, call.arguments);
  if (!arguments) {
    Record(record, Refused(arguments.error(), "invalid_arguments"));
    return ToolResult::Failure(arguments.error());
  }
  return Run(entry->second, record, {record.call, call.tool, *arguments, call.deadline, call.cancelled});
}

ToolResult ToolRouter::Run(const Entry& entry, const CallRecord& record, const ToolCall& call) {
  observer_.Started(record);
  const auto begin = SteadyClock::now();
  ToolResult result = observer_.Reachable() ? Guarded(*entry.provider, call) : Unobserved();
  EnsureText(result);
  CallEnd end = EndOf(result, call.cancelled.stop_requested());
  end.duration = std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begin);
  if (captures_) end.result = CapturedText(result);
  observer_.Finished(record, end);
  return result;
}

// What went wrong inside a tool is for the log; the model learns that it was not its fault.
ToolResult ToolRouter::Guarded(ToolProvider& provider, const ToolCall& call) {
  std::string what = "unknown exception";
  try {
    return provider.Call(call);
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {  // whatever a library throws: the server lives on
  }
  ToolResult result = ToolResult::Failure("internal error in tool " + std::string(call.tool));
  result.fields.log_error = FirstText(result);
  result.fields.log_error += ": " + what;
  return result;
}

UnknownTool ToolRouter::DescribeUnknown(std::string_view tool) const {
  std::string available;
  for (const ToolDefinition& definition : definitions_) {
    available += (available.empty() ? "" : ", ") + definition.name;
  }
  const std::string_view shown = Utf8Prefix(tool, kMaxShownName);
  return {"unknown tool " + std::string(shown) + (shown.size() < tool.size() ? "…" : "") +
          "; available: " + (available.empty() ? "none" : available)};
}

void ToolRouter::Reject(const IncomingCall& call, const std::string& error, const std::string& error_type) {
  Record(RecordOf(call), Refused(error, error_type));
}

}  // namespace awf

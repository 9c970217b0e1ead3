// The messages of the step channel as lines of JSON, and back.
//
// Messages of mcp-serve; the results that awf sends are in plugin_result.cc.
// {"type":"call_started","call":…,"tool":…,"source":…,"request_id":…,"time":MICROSECONDS SINCE 1970,"bytes_in":…} and
// so on; where content is captured call_started bears `args` and call_finished `result`, unmasked, cut to
// kLongestContent. Unknown members are ignored, unknown types and malformed members are the peer's fault.
#include <utility>

#include "domain/json.h"
#include "domain/utf8.h"
#include "infrastructure/step_channel/json_line.h"
#include "infrastructure/step_channel/message_parts.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::channel {
namespace {

struct Encoder {
  json::object object;

  void operator()(const Ready& ready) {
    object["type"] = "ready";
    PutText(object, "client", ready.client);
    PutText(object, "client_version", ready.client_version);
    PutText(object, "protocol_version", ready.protocol_version);
  }
  void operator()(const ToolsListed& listed) {
    object["type"] = "tools_listed";
    object["count"] = listed.count;
    json::array names;
    for (const std::string& name : listed.names) names.emplace_back(RepairUtf8(name));
    object["names"] = std::move(names);
    PutText(object, "digest_input", listed.digest_input);
  }
  void operator()(const CallStarted& started) {
    const CallRecord& call = started.call;
    object["type"] = "call_started";
    PutText(object, "call", call.call);
    PutText(object, "tool", call.tool);
    PutText(object, "source", call.source);
    PutText(object, "request_id", call.request_id);
    PutTextIfAny(object, "client_call_id", call.client_call_id);
    PutTextIfAny(object, "traceparent", call.traceparent);
    PutTextIfAny(object, "tracestate", call.tracestate);
    object["time"] = std::chrono::duration_cast<std::chrono::microseconds>(call.time.time_since_epoch()).count();
    object["bytes_in"] = call.bytes_in;
    PutTextIfAny(object, "args", call.arguments);
  }
  void operator()(const CallFinished& finished) {
    const CallEnd& end = finished.end;
    object["type"] = "call_finished";
    PutText(object, "call", finished.call);
    object["duration_us"] = end.duration.count();
    object["outcome"] = ToString(end.outcome);
    PutTextIfAny(object, "error", end.error);
    PutTextIfAny(object, "error_type", end.error_type);
    PutTextIfAny(object, "denied", end.denied);
    if (end.truncated) object["truncated"] = true;
    object["bytes_out"] = end.bytes_out;
    if (end.exit_code) object["exit_code"] = *end.exit_code;
    PutTextIfAny(object, "result", end.result);
    if (end.written) {
      object["written_device"] = end.written->device;
      object["written_inode"] = end.written->inode;
      object["written_changed_ns"] = end.written->changed_ns;
    }
    PutRpc(object, end.rpc);
  }
  void operator()(const PluginCall& call) {
    object["type"] = "plugin_call";
    PutText(object, "call", call.call);
    PutText(object, "plugin", call.plugin);
    PutText(object, "operation", call.operation);
    object["arguments"] = call.arguments;
    if (!call.deadline) return;
    object["deadline_ms"] = std::chrono::floor<std::chrono::milliseconds>(call.deadline->time_since_epoch()).count();
  }
  void operator()(const PluginCancel& cancel) {
    object["type"] = "plugin_cancel";
    PutText(object, "call", cancel.call);
  }
  void operator()(const Bye&) { object["type"] = "bye"; }
};

// Repairing a text may have made it longer.
std::string Captured(Fields& fields, std::string_view key) {
  std::string text = fields.OptionalText(key);
  text.resize(Utf8Prefix(text, kLongestContent).size());
  return text;
}

std::expected<Message, std::string> ReadReady(Fields& fields) {
  Ready ready;
  ready.client = fields.Text("client");
  ready.client_version = fields.Text("client_version");
  ready.protocol_version = fields.Text("protocol_version");
  return fields.Done(Message(std::move(ready)));
}

std::expected<Message, std::string> ReadToolsListed(Fields& fields) {
  ToolsListed listed;
  listed.count = static_cast<std::size_t>(fields.Number("count", 0, 1'000'000));
  listed.names = fields.Texts("names");
  listed.digest_input = fields.Text("digest_input");
  return fields.Done(Message(std::move(listed)));
}

std::expected<Message, std::string> ReadCallStarted(Fields& fields) {
  CallRecord call;
  call.call = fields.CallIdentifier("call");
  call.tool = fields.Text("tool");
  call.source = fields.Text("source");
  call.request_id = fields.Text("request_id");
  call.client_call_id = fields.OptionalText("client_call_id");
  call.traceparent = fields.OptionalText("traceparent");
  call.tracestate = fields.OptionalText("tracestate");
  // Up to the year 2255.
  call.time = WallClock::time_point(std::chrono::microseconds(fields.Number("time", 0, kLongestMicroseconds)));
  call.bytes_in = static_cast<std::uint64_t>(fields.Number("bytes_in", 0, INT64_MAX));
  call.arguments = Captured(fields, "args");
  return fields.Done(Message(CallStarted{std::move(call)}));
}

std::expected<Message, std::string> ReadCallFinished(Fields& fields) {
  CallFinished finished;
  finished.call = fields.CallIdentifier("call");
  finished.end.duration = std::chrono::microseconds(fields.Number("duration_us", 0, kLongestMicroseconds));
  const std::string outcome = fields.Text("outcome");
  if (const auto parsed = ParseCallOutcome(outcome)) {
    finished.end.outcome = *parsed;
  } else {
    fields.Fault("outcome");
  }
  finished.end.error = fields.OptionalText("error");
  finished.end.error_type = fields.OptionalText("error_type");
  finished.end.denied = fields.OptionalText("denied");
  finished.end.truncated = fields.OptionalBool("truncated");
  finished.end.bytes_out = static_cast<std::uint64_t>(fields.Number("bytes_out", 0, INT64_MAX));
  if (fields.Has("exit_code")) {
    finished.end.exit_code = static_cast<int>(fields.Number("exit_code", INT32_MIN, INT32_MAX));
  }
  finished.end.result = Captured(fields, "result");
  if (fields.Has("written_inode")) {
    finished.end.written = WrittenFile{fields.Number("written_device", INT64_MIN, INT64_MAX),
                                       fields.Number("written_inode", INT64_MIN, INT64_MAX),
                                       fields.Number("written_changed_ns", INT64_MIN, INT64_MAX)};
  }
  finished.end.rpc = ReadRpc(fields);
  return fields.Done(Message(std::move(finished)));
}

std::expected<Message, std::string> ReadPluginCall(Fields& fields) {
  PluginCall call;
  call.call = fields.CallIdentifier("call");
  call.plugin = fields.Text("plugin");
  call.operation = fields.Text("operation");
  call.arguments = fields.Object("arguments");
  if (fields.Has("deadline_ms")) {
    const std::chrono::milliseconds since(fields.Number("deadline_ms", 0, kLongestMicroseconds / 1000));
    call.deadline = SteadyClock::time_point(since);
  }
  return fields.Done(Message(std::move(call)));
}

std::expected<Message, std::string> ReadPluginCancel(Fields& fields) {
  PluginCancel cancel{fields.CallIdentifier("call")};
  return fields.Done(Message(std::move(cancel)));
}

}  // namespace

std::string Encode(const Message& message) {
  Encoder encoder;
  std::visit(encoder, message);
  return json::serialize(encoder.object);
}

std::expected<Message, std::string> Decode(std::string_view line) {
  auto fields = Fields::Parse(line);
  if (!fields) return std::unexpected(std::move(fields).error());
  const std::string type = fields->Text("type");
  if (type == "ready") return ReadReady(*fields);
  if (type == "tools_listed") return ReadToolsListed(*fields);
  if (type == "call_started") return ReadCallStarted(*fields);
  if (type == "call_finished") return ReadCallFinished(*fields);
  if (type == "plugin_call") return ReadPluginCall(*fields);
  if (type == "plugin_cancel") return ReadPluginCancel(*fields);
  if (type == "bye") return fields->Done(Message(Bye{}));
  return std::unexpected("unknown message type");
}

}  // namespace awf::channel

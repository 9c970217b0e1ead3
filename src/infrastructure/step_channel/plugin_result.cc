// The one message that awf sends to mcp-serve: how a plugin call ended.
//
// {"type":"plugin_result","call":…,"content":[{"type":"text","text":…},{"type":"image","data":…,"mime_type":…}],
// "is_error":…} and the fields of the result that its record needs.
#include <utility>

#include "infrastructure/step_channel/json_line.h"
#include "infrastructure/step_channel/message_parts.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::channel {
namespace {

json::object BlockValue(const Content& content) {
  json::object block;
  if (const auto* text = std::get_if<TextContent>(&content)) {
    block["type"] = "text";
    PutText(block, "text", text->text);
  } else if (const auto* image = std::get_if<ImageContent>(&content)) {
    block["type"] = "image";
    PutText(block, "data", image->data);
    PutText(block, "mime_type", image->mime_type);
  }
  return block;
}

std::expected<Content, std::string> ReadBlock(json::value value) {
  if (!value.is_object()) return std::unexpected("a block of content is no object");
  Fields fields(std::move(value.get_object()));
  const std::string type = fields.Text("type");
  if (type == "text") {
    TextContent text{fields.Text("text")};
    return fields.Done(Content(std::move(text)));
  }
  if (type == "image") {
    ImageContent image{fields.Text("data"), fields.Text("mime_type")};
    return fields.Done(Content(std::move(image)));
  }
  return std::unexpected("unknown block of content");
}

}  // namespace

std::string EncodeResult(const PluginResult& result) {
  const ResultFields& fields = result.result.fields;
  json::object object{{"type", "plugin_result"}};
  PutText(object, "call", result.call);
  json::array content;
  for (const Content& block : result.result.content) content.emplace_back(BlockValue(block));
  object["content"] = std::move(content);
  object["is_error"] = result.result.is_error;
  for (const auto& [key, flag] : {std::pair{"truncated", fields.truncated}, std::pair{"timed_out", fields.timed_out},
                                  std::pair{"cancelled", fields.cancelled}, std::pair{"lost", fields.lost},
                                  std::pair{"invalid_arguments", fields.invalid_arguments}}) {
    if (flag) object[key] = true;
  }
  PutTextIfAny(object, "denied", fields.denied);
  PutTextIfAny(object, "log_error", fields.log_error);
  PutRpc(object, fields.rpc);
  return json::serialize(object);
}

std::expected<PluginResult, std::string> DecodeResult(std::string_view line) {
  auto parsed = Fields::Parse(line);
  if (!parsed) return std::unexpected(std::move(parsed).error());
  Fields& fields = *parsed;
  if (fields.Text("type") != "plugin_result") return std::unexpected("unknown message type");
  PluginResult result;
  result.call = fields.CallIdentifier("call");
  json::array content = fields.Array("content");
  if (content.empty()) fields.Fault("content");
  for (json::value& value : content) {
    auto block = ReadBlock(std::move(value));
    if (!block) return std::unexpected(std::move(block).error());
    result.result.content.push_back(std::move(*block));
  }
  result.result.is_error = fields.OptionalBool("is_error");
  ResultFields& of_result = result.result.fields;
  of_result.truncated = fields.OptionalBool("truncated");
  of_result.timed_out = fields.OptionalBool("timed_out");
  of_result.cancelled = fields.OptionalBool("cancelled");
  of_result.lost = fields.OptionalBool("lost");
  of_result.invalid_arguments = fields.OptionalBool("invalid_arguments");
  of_result.denied = fields.OptionalText("denied");
  of_result.log_error = fields.OptionalText("log_error");
  of_result.rpc = ReadRpc(fields);
  return fields.Done(std::move(result));
}

}  // namespace awf::channel

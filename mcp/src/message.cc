#include "message.h"

#include <optional>
#include <utility>

#include "json_text.h"
#include "protocol.h"

namespace mcp {
namespace {

namespace json = boost::json;
using IdState = ReadResult::IdState;

std::string ValidId(const ReadResult& read) { return read.id_state == IdState::kValid ? read.id.text : std::string(); }

Rejection Reject(int code, std::string reason, std::string id = {}, std::string method = {}) {
  Rejection rejection;
  rejection.code = code;
  rejection.reason = std::move(reason);
  rejection.method = std::move(method);
  rejection.id = std::move(id);
  return rejection;
}

Rejection RejectBadJson(const ReadResult& read) {
  if (read.status == ReadResult::Status::kDuplicateKey) return Reject(kInvalidRequest, read.fault);
  Rejection rejection = Reject(kParseError, read.fault, ValidId(read));
  rejection.answered = !rejection.id.empty();
  return rejection;
}

std::string MethodOf(const json::object& root) {
  const json::value* method = root.if_contains("method");
  if (method == nullptr || !method->is_string()) return {};
  return std::string(std::string_view(method->get_string()));
}

// What is wrong with the envelope, if anything is.
std::optional<Rejection> CheckEnvelope(const ReadResult& read, const json::object& root) {
  const json::value* version = root.if_contains("jsonrpc");
  if (version == nullptr || !version->is_string() || version->get_string() != "2.0") {
    return Reject(kInvalidRequest, "invalid request: \"jsonrpc\" must be \"2.0\"", ValidId(read), MethodOf(root));
  }
  return std::nullopt;
}

// Responses come first: an error response may have a null id, and answering it could go on for ever.
bool IsResponse(const json::object& root) {
  return !root.contains("method") && (root.contains("result") || root.contains("error"));
}

void TakeParams(json::object& root, Message& message) {
  json::value* params = root.if_contains("params");
  if (params == nullptr || params->is_null()) return;
  if (params->is_object()) {
    message.params = std::move(params->get_object());
  } else {
    message.bad_params = true;
  }
}

}  // namespace

std::expected<Message, Rejection> ReadMessage(std::string_view line, int max_depth) {
  ReadResult read = ReadJson(line, max_depth);
  if (read.status != ReadResult::Status::kOk) return std::unexpected(RejectBadJson(read));
  if (read.value.is_array()) {
    return std::unexpected(Reject(kInvalidRequest, "invalid request: batches are not supported"));
  }
  if (!read.value.is_object()) return std::unexpected(Reject(kInvalidRequest, "invalid request: not an object"));
  json::object& root = read.value.get_object();
  if (auto rejection = CheckEnvelope(read, root)) return std::unexpected(std::move(*rejection));

  Message message;
  if (IsResponse(root)) {
    message.kind = Message::Kind::kResponse;
    return message;
  }
  message.method = MethodOf(root);
  if (read.id_state == IdState::kInvalid) {
    return std::unexpected(
        Reject(kInvalidRequest, "invalid request: \"id\" must be a string or an integer", {}, message.method));
  }
  const json::value* method = root.if_contains("method");
  if (method == nullptr || !method->is_string()) {
    return std::unexpected(Reject(kInvalidRequest, "invalid request: \"method\" must be a string", ValidId(read)));
  }
  message.kind = read.id_state == IdState::kAbsent ? Message::Kind::kNotification : Message::Kind::kRequest;
  message.id = std::move(read.id);
  TakeParams(root, message);
  return message;
}

Rejection RejectUnread(std::string_view head, int max_depth, int code, std::string reason) {
  Rejection rejection = Reject(code, std::move(reason), ValidId(ReadIdOnly(head, max_depth)));
  rejection.answered = !rejection.id.empty();
  return rejection;
}

std::string ResultLine(std::string_view id, std::string_view result) {
  std::string line;
  line.reserve(id.size() + result.size() + 40);
  line.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)").append(result).append("}");
  return line;
}

std::string ErrorLine(std::string_view id, int code, std::string_view message, std::string_view data) {
  std::string line = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) line.append(R"("id":)").append(id).append(",");
  line.append(R"("error":{"code":)").append(std::to_string(code)).append(",");
  AppendMember(line, "message", message);
  if (!data.empty()) line.append(R"(,"data":)").append(data);
  line.append("}}");
  return line;
}

std::string NotificationLine(std::string_view method, std::string_view params) {
  std::string line = R"({"jsonrpc":"2.0",)";
  AppendMember(line, "method", method);
  line.append(R"(,"params":)").append(params).append("}");
  return line;
}

}  // namespace mcp

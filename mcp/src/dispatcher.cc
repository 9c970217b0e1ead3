#include "dispatcher.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "json_text.h"
#include "protocol.h"
#include "result_text.h"
#include "utf8.h"

namespace mcp {
namespace {

constexpr std::size_t kMaxQuoted = 100;  // bytes of a client's text in an error message
constexpr std::string_view kCacheable = R"("ttlMs":3600000,"cacheScope":"public")";

const json::object& NoMeta() {
  static const json::object none;
  return none;
}

std::string Quote(std::string_view text) {
  std::string quoted(CutUtf8(text, kMaxQuoted));
  if (quoted.size() < text.size()) quoted.append("…");
  return quoted;
}

std::string_view StringOr(const json::value* value, std::string_view fallback) {
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : fallback;
}

std::string ImplementationJson(const Implementation& self) {
  std::string out = "{";
  AppendMember(out, "name", self.name);
  if (!self.title.empty()) AppendMember(out.append(","), "title", self.title);
  AppendMember(out.append(","), "version", self.version);
  return out.append("}");
}

std::string AboutSelf(const Implementation& self, std::string_view instructions) {
  std::string out = R"("capabilities":{"tools":{}},"serverInfo":)" + ImplementationJson(self);
  if (!instructions.empty()) AppendMember(out.append(","), "instructions", CutUtf8(instructions, kMaxInstructions));
  return out;
}

// The key of an id that stands in the params of a notification; empty when it cannot be one.
std::string IdKeyOf(const json::value* id) {
  if (id == nullptr) return {};
  if (id->is_string()) return StringIdKey(std::string_view(id->get_string()));
  if (id->is_int64() || id->is_uint64()) return IntegerIdKey(json::serialize(*id));
  return {};
}

}  // namespace

const Dispatcher::Method Dispatcher::kMethods[] = {
    {"initialize", true, false, &Dispatcher::Initialize},
    {"ping", true, false, &Dispatcher::Ping},
    {"shutdown", true, false, &Dispatcher::Ping},  // no MCP version has it; answered like a ping, nothing else happens
    {"tools/list", true, true, &Dispatcher::ListTools},
    {"tools/call", true, true, &Dispatcher::CallTool},
    {"server/discover", false, true, &Dispatcher::Discover},
    {"subscriptions/listen", false, true, &Dispatcher::Subscribe},
};

Dispatcher::Dispatcher(const Implementation& self, CallHandler handler, Options options)
    : handler_(std::move(handler)),
      options_(std::move(options)),
      tools_(std::max<std::size_t>(options_.page, 1), options_.check_schemas),
      about_self_(AboutSelf(self, options_.instructions)) {
  AppendQuoted(modern_meta_, kMetaServerInfo);
  modern_meta_.append(":").append(ImplementationJson(self));
}

Reaction Dispatcher::Handle(std::string_view frame) {
  auto message = ReadMessage(frame, options_.max_depth);
  if (!message) return Reject(message.error());
  switch (message->kind) {
    case Message::Kind::kRequest:
      return HandleRequest(std::move(*message));
    case Message::Kind::kNotification:
      HandleNotification(*message);
      break;
    case Message::Kind::kResponse:  // we never ask, so it answers nothing
      break;
  }
  return {};
}

Reaction Dispatcher::HandleOversized(std::string_view head) {
  const std::string limit = std::to_string(options_.max_frame >> 20U);
  return Reject(RejectUnread(head, options_.max_depth, kInvalidRequest, "message exceeds " + limit + " MiB"));
}

Reaction Dispatcher::HandleOutOfMemory(std::string_view frame) {
  return Reject(RejectUnread(frame, options_.max_depth, kInternalError, "out of memory"));
}

// Unanswerable lines can come in storms, so their log lines are rationed; the observer is told of each.
Reaction Dispatcher::Reject(const Rejection& rejection, std::string_view data) {
  if (options_.observer != nullptr) options_.observer->FrameRejected(rejection);
  Reaction reaction;
  if (rejection.answered) {
    reaction.lines.push_back(ErrorLine(rejection.id, rejection.code, rejection.reason, data));
    return reaction;
  }
  const auto now = std::chrono::steady_clock::now();
  if (options_.log && (!last_drop_logged_ || now - *last_drop_logged_ >= std::chrono::seconds(1))) {
    last_drop_logged_ = now;
    options_.log("mcp: a line was dropped: " + rejection.reason);
  }
  return reaction;
}

void Dispatcher::Refuse(Request& request, int code, std::string reason, std::string_view data) {
  Rejection rejection;
  rejection.code = code;
  rejection.reason = std::move(reason);
  rejection.method = request.message.method;
  rejection.id = request.message.id.text;
  if (rejection.method == "tools/call") {
    CallMeta meta = CallMeta::From(*request.meta);
    rejection.tool = StringOr(request.message.params.if_contains("name"), {});
    rejection.client_call_id = std::move(meta.client_call_id);
    rejection.traceparent = std::move(meta.traceparent);
    rejection.tracestate = std::move(meta.tracestate);
  }
  request.reaction = Reject(rejection, data);
}

void Dispatcher::Answer(Request& request, std::string_view members, bool cacheable) {
  std::string result = "{";
  if (request.modern) {
    result.append(R"("resultType":"complete",)");
    if (cacheable) result.append(kCacheable).append(",");
  }
  result.append(members);
  if (request.modern) {
    if (!members.empty()) result.append(",");
    result.append(R"("_meta":{)").append(modern_meta_).append("}");
  }
  request.reaction.lines.push_back(ResultLine(request.message.id.text, result.append("}")));
}

void Dispatcher::HandleNotification(const Message& message) {
  if (message.method != "notifications/cancelled") return;
  const std::string key = IdKeyOf(message.params.if_contains("requestId"));
  if (key.empty()) return;
  if (subscriptions_.erase(key) == 0) calls_.Cancel(key);
}

Reaction Dispatcher::HandleRequest(Message message) {
  Request request{std::move(message), &NoMeta(), false, {}};
  const json::value* meta = request.message.params.if_contains("_meta");
  if (meta != nullptr && meta->is_object()) request.meta = &meta->get_object();
  request.modern = request.meta->contains(kMetaVersion);

  const Id& id = request.message.id;
  if (calls_.Contains(id) || subscriptions_.contains(id.key)) {
    Refuse(request, kInvalidRequest, "invalid request: the id is in flight already");
  } else if (request.message.bad_params) {
    Refuse(request, kInvalidParams, "invalid params: \"params\" must be an object");
  } else if (!request.modern || CheckModern(request)) {
    const std::string& name = request.message.method;
    const auto* method = std::ranges::find_if(kMethods, [&](const Method& candidate) {
      return candidate.name == name && (request.modern ? candidate.modern : candidate.legacy);
    });
    if (method == std::end(kMethods)) {
      Refuse(request, kMethodNotFound, "method not found: " + Quote(name));
    } else {
      (this->*method->handle)(request);
    }
  }
  return std::move(request.reaction);
}

// A request of 2026-07-28 says in its meta data which version it is and what its client can do.
bool Dispatcher::CheckModern(Request& request) {
  const json::value& version = request.meta->at(kMetaVersion);
  if (!version.is_string()) {
    Refuse(request, kInvalidParams, "invalid params: the protocol version must be a string");
    return false;
  }
  const std::string_view requested = version.get_string();
  if (requested != kModernVersion) {
    std::string data = R"({"supported":[")" + std::string(kModernVersion) + "\"],";
    AppendMember(data, "requested", requested);
    Refuse(request, kUnsupportedVersion, "unsupported protocol version: " + Quote(requested), data.append("}"));
    return false;
  }
  const json::value* capabilities = request.meta->if_contains(kMetaCapabilities);
  if (capabilities == nullptr || !capabilities->is_object()) {
    Refuse(request, kInvalidParams, "invalid params: \"_meta\" needs " + std::string(kMetaCapabilities));
    return false;
  }
  if (!std::exchange(introduced_modern_, true)) Introduce(request.meta->if_contains(kMetaClientInfo), kModernVersion);
  return true;
}

void Dispatcher::Introduce(const json::value* client_info, std::string_view version) {
  if (options_.observer == nullptr) return;
  Implementation client;
  if (client_info != nullptr && client_info->is_object()) {
    const json::object& info = client_info->get_object();
    client.name = StringOr(info.if_contains("name"), {});
    client.version = StringOr(info.if_contains("version"), {});
    client.title = StringOr(info.if_contains("title"), {});
  }
  options_.observer->ClientConnected(client, version);
}

void Dispatcher::Initialize(Request& request) {
  if (initialized_) return Refuse(request, kInvalidRequest, "already initialized");
  const json::value* requested = request.message.params.if_contains("protocolVersion");
  if (requested == nullptr || !requested->is_string()) {
    return Refuse(request, kInvalidParams, "invalid params: \"protocolVersion\" must be a string");
  }
  initialized_ = true;
  // Any other version gets our latest: the client decides whether it can go on with it.
  const auto* known = std::ranges::find(kLegacyVersions, std::string_view(requested->get_string()));
  const std::string_view version = known == kLegacyVersions.end() ? kLatestLegacyVersion : *known;
  Introduce(request.message.params.if_contains("clientInfo"), version);
  std::string members;
  AppendMember(members, "protocolVersion", version);
  Answer(request, members.append(",").append(about_self_));
}

void Dispatcher::Discover(Request& request) {
  Answer(request, R"("supportedVersions":[")" + std::string(kModernVersion) + "\"]," + about_self_, true);
}

void Dispatcher::Ping(Request& request) { Answer(request, {}); }

void Dispatcher::ListTools(Request& request) {
  std::optional<ToolList::Page> page;
  if (const json::value* cursor = request.message.params.if_contains("cursor")) {
    page = tools_.After(StringOr(cursor, {}));
  } else {
    page = tools_.First();
  }
  if (!page) return Refuse(request, kInvalidParams, "invalid params: unknown cursor");
  if (options_.observer != nullptr) options_.observer->ToolsListed(page->count);
  Answer(request, page->json, true);
}

void Dispatcher::CallTool(Request& request) {
  json::object& params = request.message.params;
  const json::value* name = params.if_contains("name");
  if (name == nullptr || !name->is_string()) {
    return Refuse(request, kInvalidParams, "invalid params: \"name\" must be a string");
  }
  json::value* arguments = params.if_contains("arguments");
  if (arguments != nullptr && !arguments->is_object() && !arguments->is_null()) {
    return Refuse(request, kInvalidParams, "invalid params: \"arguments\" must be an object");
  }
  json::object taken;
  if (arguments != nullptr && arguments->is_object()) taken = std::move(arguments->get_object());
  std::string tool(std::string_view(name->get_string()));
  json::value* meta = params.if_contains("_meta");
  request.meta = &NoMeta();  // the call takes it
  request.reaction.call = std::make_shared<PendingCall>(
      std::move(request.message.id), std::move(tool), std::move(taken),
      meta != nullptr && meta->is_object() ? std::move(meta->get_object()) : json::object(), request.modern);
  calls_.Add(request.reaction.call);
}

// Nothing of ours ever changes, so the agreed set is empty and the answer comes only when the server ends.
void Dispatcher::Subscribe(Request& request) {
  const Id& id = request.message.id;
  std::string params = R"({"notifications":{},"_meta":{)";
  AppendQuoted(params, kMetaSubscription);
  params.append(":").append(id.text).append("}}");
  request.reaction.lines.push_back(NotificationLine("notifications/subscriptions/acknowledged", params));
  subscriptions_.emplace(id.key, id.text);
}

std::vector<std::string> Dispatcher::End() {
  std::vector<std::string> lines;
  for (const auto& [key, id] : std::exchange(subscriptions_, {})) {
    std::string result = R"({"resultType":"complete","_meta":{)";
    AppendQuoted(result, kMetaSubscription);
    result.append(":").append(id).append(",").append(modern_meta_).append("}}");
    lines.push_back(ResultLine(id, result));
  }
  return lines;
}

std::string Dispatcher::ResultOf(const PendingCall& call, const CallResult& result) const {
  std::string text = call.modern() ? R"({"resultType":"complete",)" : "{";
  text.append(ResultMembers(result, call.modern() ? std::string_view(modern_meta_) : std::string_view()));
  return ResultLine(call.id().text, text.append("}"));
}

// The answer, whatever the hook does. What went wrong inside is not the client's to know.
std::string Dispatcher::Execute(PendingCall& call) {
  std::string details;
  try {
    const auto result = handler_(call, call.tool(), call.arguments());
    if (!result) return ErrorLine(call.id().text, kInvalidParams, result.error().message);
    return ResultOf(call, *result);
  } catch (const std::exception& error) {
    details = error.what();
  } catch (...) {
    details = "an exception of unknown type";
  }
  const std::string text = "internal error in tool " + Quote(call.tool());
  if (options_.log) options_.log("mcp: " + text + ": " + details);
  return ResultOf(call, CallResult{{TextContent{text}}, true, {}});
}

std::optional<std::string> Dispatcher::Run(PendingCall& call) {
  std::string answer = Execute(call);
  if (!calls_.Finish(call)) return std::nullopt;
  return answer;
}

std::optional<std::string> Dispatcher::Fail(PendingCall& call, std::string_view why) {
  Rejection rejection;
  rejection.code = kInternalError;
  rejection.reason = why;
  rejection.method = "tools/call";
  rejection.id = call.request_id();
  rejection.tool = call.tool();
  rejection.client_call_id = call.client_call_id();
  rejection.traceparent = call.traceparent();
  rejection.tracestate = call.tracestate();
  if (options_.observer != nullptr) options_.observer->FrameRejected(rejection);
  if (!calls_.Finish(call)) return std::nullopt;
  return ErrorLine(rejection.id, rejection.code, rejection.reason);
}

}  // namespace mcp

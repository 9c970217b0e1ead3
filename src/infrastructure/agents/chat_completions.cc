#include "infrastructure/agents/chat_completions.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

constexpr std::size_t kLongestFault = std::size_t{16} << 10;

std::unexpected<ChatFault> Fault(std::string message) {
  ChatFault fault;
  fault.message = std::move(message);
  return std::unexpected(std::move(fault));
}

std::expected<json::object, std::string> ParseArguments(const json::value* value) {
  if (value == nullptr || value->is_null()) return json::object();
  if (value->is_object()) return value->get_object();
  if (!value->is_string()) return std::unexpected("invalid arguments: not a JSON object");
  const std::string_view text = value->get_string();
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return json::object();
  auto parsed = ParseRepairedJson(text);
  if (!parsed) return std::unexpected("invalid arguments: not valid JSON");
  if (!parsed->is_object()) return std::unexpected("invalid arguments: not a JSON object");
  return std::move(parsed->get_object());
}

std::string RawText(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

std::string UniqueId(std::string_view wanted, const std::set<std::string>& used, const std::set<std::string>& taken) {
  std::string id(wanted);
  for (std::size_t number = used.size() + taken.size() + 1; id.empty() || used.contains(id) || taken.contains(id);
       ++number) {
    id = (wanted.empty() ? "call" : std::string(wanted)) + "_" + std::to_string(number);
  }
  return id;
}

// Nothing when it is no number of tokens; 0 when absent or null.
std::optional<std::int64_t> TokensAt(const json::object& usage, std::string_view key) {
  constexpr std::int64_t kMost = 1'000'000'000'000;  // sums of such numbers stay far from an overflow
  const json::value* value = usage.if_contains(key);
  if (value == nullptr || value->is_null()) return 0;
  if (!value->is_number()) return std::nullopt;
  json::error_code error;
  const auto number = value->to_number<std::int64_t>(error);
  if (error || number < 0 || number > kMost) return std::nullopt;
  return number;
}

// Nothing when what counts most is missing or impossible.
std::optional<TokenUsage> UsageOf(const json::object& usage) {
  const auto sent = TokensAt(usage, "prompt_tokens");
  const auto received = TokensAt(usage, "completion_tokens");
  if (!sent || !received) return std::nullopt;
  TokenUsage tokens;
  tokens.input = *sent;
  tokens.output = *received;
  tokens.total = TokensAt(usage, "total_tokens").value_or(0);
  if (tokens.total == 0) tokens.total = tokens.input + tokens.output;
  if (tokens.total == 0) return std::nullopt;
  // Of the details; some servers have them beside the sums.
  const json::object* input = ObjectAt(usage, "prompt_tokens_details");
  const json::object* output = ObjectAt(usage, "completion_tokens_details");
  tokens.cached = TokensAt(input != nullptr ? *input : usage, "cached_tokens").value_or(0);
  tokens.reasoning = TokensAt(output != nullptr ? *output : usage, "reasoning_tokens").value_or(0);
  return tokens;
}

void TakeCalls(const json::array& calls, std::set<std::string>& used_ids, ChatAnswer& answer) {
  json::array sent_back;
  std::set<std::string> taken_ids;
  for (const json::value& item : calls) {
    if (!item.is_object()) continue;
    json::object call = item.get_object();
    const json::object* function = ObjectAt(call, "function");
    if (function == nullptr) continue;
    ChatCall taken{UniqueId(TextAt(call, "id"), used_ids, taken_ids), std::string(TextAt(*function, "name")),
                   ParseArguments(function->if_contains("arguments"))};
    if (!taken.arguments) taken.raw = RawText(function->at("arguments"));
    taken_ids.insert(taken.id);
    call["id"] = taken.id;
    if (TextAt(call, "type").empty()) call["type"] = "function";
    sent_back.emplace_back(std::move(call));
    answer.calls.push_back(std::move(taken));
  }
  used_ids.merge(taken_ids);
  if (!sent_back.empty()) answer.message["tool_calls"] = std::move(sent_back);
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// Codes and phrases of the common servers and gateways.
bool TellsOfContextLength(std::string_view code, std::string_view message) {
  constexpr std::string_view kPhrases[] = {"context length",    "context_length",    "context window",
                                           "context size",      "maximum context",   "prompt is too long",
                                           "input is too long", "input token count", "reduce the length"};
  if (code == "context_length_exceeded" || code == "exceed_context_size_error") return true;
  const std::string text = LowerCase(message);
  return std::ranges::any_of(kPhrases, [&](std::string_view phrase) { return text.find(phrase) != std::string::npos; });
}

bool IsOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// The HTTP status that a code or type in words stands for, so far as awf tells them apart; a number is its own.
long StatusNamed(std::string_view code) {
  constexpr std::string_view kLimits[] = {"rate_limit_exceeded", "rate_limit_error",   "rate_limited",
                                          "too_many_requests",   "resource_exhausted", "insufficient_quota"};
  constexpr std::string_view kNoKey[] = {"invalid_api_key", "authentication_error", "invalid_authentication",
                                         "unauthorized", "unauthenticated"};
  constexpr std::string_view kForbidden[] = {"permission_denied", "permission_error", "forbidden"};
  const std::string name = LowerCase(code);
  long status = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), status);
  if (fault == std::errc() && end == name.data() + name.size()) return status;
  if (IsOneOf(name, kLimits)) return 429;
  if (IsOneOf(name, kNoKey)) return 401;
  return IsOneOf(name, kForbidden) ? 403 : 0;
}

std::string Bounded(std::string_view text) { return RepairUtf8(text.substr(0, kLongestFault)); }

}  // namespace

std::string ChatContentText(const json::value* content) {
  if (content == nullptr) return {};
  if (content->is_string()) return std::string(content->get_string());
  std::string text;
  if (const json::array* parts = content->if_array()) {
    for (const json::value& part : *parts) {
      if (part.is_object()) text += TextAt(part.get_object(), "text");
    }
  }
  return text;
}

std::string_view ChatReasoningText(const json::object& message) {
  const std::string_view text = TextAt(message, "reasoning_content");
  return text.empty() ? TextAt(message, "reasoning") : text;
}

std::expected<ChatAnswer, ChatFault> ParseChatAnswer(std::string_view body, std::set<std::string>& used_ids) {
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return Fault("the answer is empty");
  const auto parsed = ParseRepairedJson(body);
  const json::object* root = parsed ? ChatBodyIn(*parsed) : nullptr;
  if (root == nullptr) return Fault("the answer is not a JSON object");
  return ReadChatAnswer(*root, used_ids);
}

std::expected<ChatAnswer, ChatFault> ReadChatAnswer(const json::object& root, std::set<std::string>& used_ids) {
  if (IsChatFault(root)) return std::unexpected(ReadChatFault(root));
  const json::array* choices = ArrayAt(root, "choices");
  const json::object* choice = choices != nullptr && !choices->empty() ? (*choices)[0].if_object() : nullptr;
  const json::object* message = choice != nullptr ? ObjectAt(*choice, "message") : nullptr;
  if (message == nullptr) return Fault("the answer has no choices with a message");

  ChatAnswer answer;
  answer.finish_reason = TextAt(*choice, "finish_reason");
  const json::value* content = message->if_contains("content");
  answer.text = ChatContentText(content);
  if (answer.text.empty()) answer.text = TextAt(*message, "refusal");
  answer.reasoning = ChatReasoningText(*message);
  answer.message = {{"role", "assistant"}, {"content", content != nullptr ? *content : json::value()}};
  const json::array* calls = ArrayAt(*message, "tool_calls");
  if (ObjectAt(*message, "function_call") != nullptr && (calls == nullptr || calls->empty())) {
    return Fault("the server uses the legacy function_call; awf needs tool_calls");
  }
  if (calls != nullptr) TakeCalls(*calls, used_ids, answer);
  if (const json::object* usage = ObjectAt(root, "usage")) answer.usage = UsageOf(*usage);
  return answer;
}

const json::object* ChatBodyIn(const json::value& parsed) {
  if (parsed.is_object()) return &parsed.get_object();
  const json::array* list = parsed.if_array();
  const json::object* first = list != nullptr && !list->empty() ? list->front().if_object() : nullptr;
  return first != nullptr && IsChatFault(*first) ? first : nullptr;
}

bool IsChatFault(const json::object& body) {
  const auto has = [&body](std::string_view key) {
    const json::value* value = body.if_contains(key);
    return value != nullptr && !value->is_null();
  };
  if (has("error") || TextAt(body, "object") == "error") return true;
  return !has("choices") && (has("detail") || !TextAt(body, "message").empty());
}

ChatFault ParseChatFault(std::string_view body) {
  if (const auto parsed = ParseRepairedJson(body)) {
    if (const json::object* root = ChatBodyIn(*parsed)) return ReadChatFault(*root);
  }
  ChatFault fault;
  fault.message = Bounded(body);
  fault.context_length = TellsOfContextLength({}, fault.message);
  return fault;
}

ChatFault ReadChatFault(const json::object& body) {
  ChatFault fault;
  const json::object* inner = ObjectAt(body, "error");
  const json::object& error = inner != nullptr ? *inner : body;
  std::string_view message = inner != nullptr ? TextAt(*inner, "message") : std::string_view();
  std::string_view code = TextAt(error, "code");
  if (code.empty()) code = TextAt(error, "type");
  fault.status = static_cast<long>(IntegerAt(error, "code"));
  if (fault.status == 0) fault.status = StatusNamed(code);
  for (const char* key : {"error", "message", "detail"}) {
    if (message.empty()) message = TextAt(body, key);
  }
  fault.message = Bounded(message);
  if (fault.message.empty()) fault.message = Bounded(json::serialize(body));
  fault.context_length = TellsOfContextLength(code, fault.message);
  return fault;
}

std::string ShownChatFault(const ChatFault& fault, const Masker& masker) {
  constexpr std::size_t kMost = 500;  // characters
  std::string text = masker.MaskText(fault.message);
  text.resize(FirstCharacters(text, kMost).size());
  return text;
}

json::array ChatTools(const std::vector<ToolDefinition>& tools) {
  json::array list;
  for (const ToolDefinition& tool : tools) {
    list.emplace_back(json::object{
        {"type", "function"},
        {"function",
         json::object{{"name", tool.name}, {"description", tool.description}, {"parameters", tool.input_schema}}}});
  }
  return list;
}

AgentMessage ToAgentMessage(const ChatAnswer& answer) {
  AgentMessage message{MessageRole::kAssistant, {}};
  if (!answer.reasoning.empty()) message.blocks.push_back({"thinking", answer.reasoning, {}, {}});
  if (!answer.text.empty()) message.blocks.push_back({"text", answer.text, {}, {}});
  for (const ChatCall& call : answer.calls) {
    std::string input = call.arguments ? json::serialize(*call.arguments) : call.raw;
    message.blocks.push_back({"tool_use", std::move(input), call.name, call.id});
  }
  return message;
}

}  // namespace awf::agents

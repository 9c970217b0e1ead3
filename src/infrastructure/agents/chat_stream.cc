#include "infrastructure/agents/chat_stream.h"

#include <algorithm>
#include <utility>

#include "domain/trimmed.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

constexpr std::string_view kBlank = " \t\r\n";

ChatFault NewFault(std::string message) {
  ChatFault fault;
  fault.message = std::move(message);
  return fault;
}

std::string_view NameIn(const json::object& delta) {
  const json::object* function = ObjectAt(delta, "function");
  return function != nullptr ? TextAt(*function, "name") : std::string_view();
}

const json::value* ArgumentsIn(const json::object& delta) {
  const json::object* function = ObjectAt(delta, "function");
  return function != nullptr ? function->if_contains("arguments") : nullptr;
}

bool HasIndex(const json::object& delta) {
  const json::value* index = delta.if_contains("index");
  return index != nullptr && index->is_number();
}

}  // namespace

bool PartialCall::EndsBefore(const json::object& delta, bool same_index) const {
  const std::string_view id = TextAt(delta, "id");
  const std::string_view name = NameIn(delta);
  if (name.empty()) return false;
  if (!id.empty() && !id_.empty() && id != id_) return true;
  if (IsRestartedBy(delta)) return true;
  if (complete_) {
    // A name that is only repeated comes with a rest of blanks, or nothing.
    const json::value* arguments = ArgumentsIn(delta);
    const bool begins =
        arguments != nullptr &&
        (arguments->is_object() ||
         (arguments->is_string() && !Trimmed(std::string_view(arguments->get_string()), kBlank).empty()));
    if (begins) return true;
  }
  return !same_index && !name_.empty() && name != name_;
}

// Whether the delta, of the same id and name, holds the arguments from their beginning although they are not complete.
// Where a value may follow in them, the delta may just as well be that value.
bool PartialCall::IsRestartedBy(const json::object& delta) const {
  const json::value* arguments = ArgumentsIn(delta);
  if (complete_ || id_.empty() || TextAt(delta, "id") != id_ || NameIn(delta) != name_) return false;
  const std::string_view begun = Trimmed(std::string_view(text_), kBlank);
  if (begun.empty() || arguments == nullptr || !arguments->is_string()) return false;
  const std::string_view text = arguments->get_string();
  const bool value_follows = !in_string_ && std::string_view(":,[").contains(begun.back());
  return !value_follows && text.starts_with(text_) && ParseRepairedJson(text);
}

bool PartialCall::Repeats(const PartialCall& other) const {
  const bool same_index = index_ && index_ == other.index_;
  const bool same_id = !id_.empty() && id_ == other.id_;
  if (name_ != other.name_ || (!same_id && (!same_index || (!id_.empty() && !other.id_.empty())))) return false;
  if (Arguments() == other.Arguments()) return true;
  if (!same_index || !object_.is_null() || !other.object_.is_null()) return false;
  return (!complete_ && other.text_.starts_with(text_)) || (!other.complete_ && text_.starts_with(other.text_));
}

// Parsed where that is possible: blanks and escapes make no difference.
json::value PartialCall::Arguments() const {
  if (!object_.is_null()) return object_;
  if (Trimmed(std::string_view(text_), kBlank).empty()) return json::object();
  auto parsed = ParseRepairedJson(text_);
  return parsed ? std::move(*parsed) : json::value(text_);
}

void PartialCall::Add(const json::object& delta) {
  if (!index_ && HasIndex(delta)) index_ = IntegerAt(delta, "index");
  if (id_.empty()) id_ = TextAt(delta, "id");
  if (name_.empty()) name_ = NameIn(delta);
  if (const json::value* arguments = ArgumentsIn(delta)) {
    if (arguments->is_string()) {
      AddText(arguments->get_string());
    } else if (!arguments->is_null()) {
      object_ = *arguments;
      complete_ = true;
    }
  }
  for (const auto& [key, value] : delta) {
    if (key != "index" && key != "id" && key != "function" && !value.is_null()) extra_[key] = value;
  }
}

void PartialCall::AddText(std::string_view arguments) {
  if (complete_ && arguments == text_) return;  // said again, without a name
  text_ += arguments;
  for (const char c : arguments) {
    if (escaped_) {
      escaped_ = false;
    } else if (in_string_) {
      escaped_ = c == '\\';
      if (c == '"') in_string_ = false;
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      complete_ = true;
    }
  }
}

json::object PartialCall::Whole() const {
  json::value arguments = object_;
  if (arguments.is_null()) arguments = text_.empty() ? std::string_view("{}") : std::string_view(text_);
  json::object call = extra_;
  call["id"] = id_;
  call["function"] = json::object{{"name", name_}, {"arguments", std::move(arguments)}};
  return call;
}

ChatStream::ChatStream(OnText on_text, std::size_t limit)
    : on_text_(std::move(on_text)), limit_(limit), reader_([this](std::string_view data) { Event(data); }, limit) {}

bool ChatStream::Append(std::string_view bytes) {
  if (kind_ == Kind::kUnknown) {
    const std::size_t first = bytes.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return true;
    bytes.remove_prefix(first);
    kind_ = bytes.front() == '{' || bytes.front() == '[' ? Kind::kObject : Kind::kEvents;
  }
  if (kind_ == Kind::kObject) {
    if (bytes.size() > limit_ - object_.size()) {
      Spoil(NewFault("the answer is too large"));
    } else {
      object_ += bytes;
    }
  } else {
    reader_.Append(bytes);
    if (reader_.too_large()) Spoil(NewFault("an event of the answer is too large"));
  }
  return !done_ && !fault_;
}

void ChatStream::Spoil(ChatFault fault) {
  if (!fault_) fault_ = std::move(fault);
}

void ChatStream::Event(std::string_view data) {
  if (reader_.is_error() && !done_) {
    ChatFault fault = ParseChatFault(Trimmed(data, kBlank));
    if (fault.message.empty()) fault.message = "the server sent an error without words";
    return Spoil(std::move(fault));
  }
  if (Take(data)) return;
  // Some servers leave out the empty line between two events.
  while (!data.empty()) {
    const std::size_t feed = data.find('\n');
    if (!Take(data.substr(0, feed)) && !ending_) Spoil(NewFault("an event of the answer is not a JSON object"));
    data.remove_prefix(feed == std::string_view::npos ? data.size() : feed + 1);
  }
}

bool ChatStream::Take(std::string_view data) {
  data = Trimmed(data, kBlank);
  if (data.empty() || done_ || fault_) return true;
  if (data == "[DONE]") {
    done_ = true;
    return true;
  }
  const auto chunk = ParseRepairedJson(data);
  const json::object* object = chunk ? ChatBodyIn(*chunk) : nullptr;
  if (object == nullptr) return false;
  Chunk(*object);
  return true;
}

void ChatStream::Chunk(const json::object& chunk) {
  if (IsChatFault(chunk)) return Spoil(ReadChatFault(chunk));
  if (const json::object* usage = ObjectAt(chunk, "usage")) usage_ = *usage;
  const json::array* choices = ArrayAt(chunk, "choices");
  if (choices == nullptr) return;
  for (const json::value& item : *choices) {
    const json::object* choice = item.if_object();
    if (choice == nullptr || IntegerAt(*choice, "index") != 0) continue;
    any_choice_ = true;
    if (const json::object* usage = ObjectAt(*choice, "usage")) usage_ = *usage;
    const json::object* delta = ObjectAt(*choice, "delta");
    const json::object* message = ObjectAt(*choice, "message");
    if (delta != nullptr && (message == nullptr || !delta->empty())) {
      Delta(*delta);
      any_delta_ = true;
    } else if (message != nullptr) {
      Message(*message);
    }
    if (const std::string_view reason = TextAt(*choice, "finish_reason"); !reason.empty()) finish_reason_ = reason;
  }
}

void ChatStream::Delta(const json::object& delta) {
  if (const std::string text = ChatContentText(delta.if_contains("content")); !text.empty()) {
    text_ += text;
    on_text_(text);
  }
  refusal_ += TextAt(delta, "refusal");
  reasoning_ += ChatReasoningText(delta);
  if (ObjectAt(delta, "function_call") != nullptr) legacy_call_ = true;
  if (const json::array* calls = ArrayAt(delta, "tool_calls")) {
    for (const json::value& call : *calls) {
      if (call.is_object()) CallDelta(call.get_object());
    }
  }
}

// Some servers send their deltas so; after deltas it is the whole of them, which only adds what they left out.
void ChatStream::Message(const json::object& message) {
  if (!any_delta_) return Delta(message);
  json::object rest = message;
  const std::string text = ChatContentText(message.if_contains("content"));
  rest["content"] = text.starts_with(text_) ? std::string_view(text).substr(text_.size()) : std::string_view();
  if (!refusal_.empty()) rest.erase("refusal");
  if (!reasoning_.empty()) {
    rest.erase("reasoning");
    rest.erase("reasoning_content");
  }
  if (const json::array* calls = ArrayAt(message, "tool_calls"); calls != nullptr && !calls->empty()) {
    calls_.clear();
    last_of_index_.clear();
  }
  Delta(rest);
}

// The position of the call that the delta may belong to; that of the next one when there is none.
std::size_t ChatStream::CallOf(const json::object& delta, bool has_index) const {
  if (has_index) {
    const auto found = last_of_index_.find(IntegerAt(delta, "index"));
    return found == last_of_index_.end() ? calls_.size() : found->second;
  }
  if (const std::string_view id = TextAt(delta, "id"); !id.empty()) {
    for (std::size_t at = calls_.size(); at > 0; --at) {
      if (calls_[at - 1].Is(id)) return at - 1;
    }
  }
  return calls_.empty() ? 0 : calls_.size() - 1;
}

void ChatStream::CallDelta(const json::object& delta) {
  const bool has_index = HasIndex(delta);
  const std::int64_t number = has_index ? IntegerAt(delta, "index") : static_cast<std::int64_t>(calls_.size());
  std::size_t at = CallOf(delta, has_index);
  if (at >= calls_.size() || calls_[at].EndsBefore(delta, has_index)) {
    at = calls_.size();
    calls_.emplace_back();
    last_of_index_[number] = at;
  }
  calls_[at].Add(delta);
}

std::expected<ChatAnswer, ChatFault> ChatStream::Finish(std::set<std::string>& used_ids) {
  if (kind_ == Kind::kObject && !fault_) return ParseChatAnswer(object_, used_ids);
  if (kind_ == Kind::kUnknown && !fault_) return std::unexpected(NewFault("the answer is empty"));
  ending_ = true;
  if (!done_ && !fault_) reader_.Finish();
  if (fault_) return std::unexpected(*fault_);
  if (!over()) {
    if (reader_.foreign() && !any_choice_) {
      return std::unexpected(NewFault("the answer is neither a JSON object nor an event stream"));
    }
    ChatFault cut = NewFault("the answer was cut: it has no finish_reason and no [DONE]");
    cut.cut = true;
    return std::unexpected(std::move(cut));
  }
  return ReadChatAnswer(WholeAnswer(), used_ids);
}

json::array ChatStream::Calls() const {
  std::vector<const PartialCall*> once;
  for (const PartialCall& call : calls_) {
    const auto same = std::ranges::find_if(once, [&](const PartialCall* earlier) { return earlier->Repeats(call); });
    if (same == once.end()) {
      once.push_back(&call);
    } else if (call.LongerThan(**same)) {
      *same = &call;
    }
  }
  json::array calls;
  for (const PartialCall* call : once) calls.emplace_back(call->Whole());
  return calls;
}

json::object ChatStream::WholeAnswer() const {
  json::object whole;
  if (!usage_.empty()) whole["usage"] = usage_;
  if (!any_choice_) return whole;
  json::object message{{"content", text_.empty() ? json::value() : json::value(text_)}};
  if (!refusal_.empty()) message["refusal"] = refusal_;
  if (!reasoning_.empty()) message["reasoning_content"] = reasoning_;
  if (legacy_call_) message["function_call"] = json::object();
  json::array calls = Calls();
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  whole["choices"] = json::array{json::object{{"message", std::move(message)}, {"finish_reason", finish_reason_}}};
  return whole;
}

}  // namespace awf::agents

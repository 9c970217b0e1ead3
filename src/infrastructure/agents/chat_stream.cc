#include "infrastructure/agents/chat_stream.h"

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

}  // namespace

bool PartialCall::EndsBefore(const json::object& delta, bool same_index) const {
  const std::string_view id = TextAt(delta, "id");
  const std::string_view name = NameIn(delta);
  if (name.empty()) return false;
  if (!id.empty() && !id_.empty() && id != id_) return true;
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

void PartialCall::Add(const json::object& delta) {
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
    kind_ = bytes.front() == '{' ? Kind::kObject : Kind::kEvents;
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
  if (!chunk || !chunk->is_object()) return false;
  Chunk(chunk->get_object());
  return true;
}

void ChatStream::Chunk(const json::object& chunk) {
  const json::value* error = chunk.if_contains("error");
  if ((error != nullptr && !error->is_null()) || TextAt(chunk, "object") == "error") return Spoil(ReadChatFault(chunk));
  if (const json::object* usage = ObjectAt(chunk, "usage")) usage_ = *usage;
  const json::array* choices = ArrayAt(chunk, "choices");
  if (choices == nullptr) return;
  for (const json::value& item : *choices) {
    const json::object* choice = item.if_object();
    if (choice == nullptr || IntegerAt(*choice, "index") != 0) continue;
    any_choice_ = true;
    if (const json::object* usage = ObjectAt(*choice, "usage")) usage_ = *usage;
    if (const json::object* delta = ObjectAt(*choice, "delta")) {
      Delta(*delta);
    } else if (const json::object* message = ObjectAt(*choice, "message")) {
      Delta(*message);
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

void ChatStream::CallDelta(const json::object& delta) {
  const json::value* index = delta.if_contains("index");
  const bool has_index = index != nullptr && index->is_number();
  const std::int64_t number = has_index ? IntegerAt(delta, "index") : static_cast<std::int64_t>(calls_.size());
  std::size_t at = calls_.empty() ? 0 : calls_.size() - 1;
  if (has_index) {
    const auto found = last_of_index_.find(number);
    at = found == last_of_index_.end() ? calls_.size() : found->second;
  }
  if (at >= calls_.size() || calls_[at].EndsBefore(delta, has_index)) {
    at = calls_.size();
    calls_.emplace_back();
    last_of_index_[number] = at;
  }
  calls_[at].Add(delta);
}

std::expected<ChatAnswer, ChatFault> ChatStream::Finish(std::set<std::string>& used_ids) {
  if (kind_ == Kind::kObject && !fault_) return ParseChatAnswer(object_, used_ids);
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

json::object ChatStream::WholeAnswer() const {
  json::object whole;
  if (!usage_.empty()) whole["usage"] = usage_;
  if (!any_choice_) return whole;
  json::object message{{"content", text_.empty() ? json::value() : json::value(text_)}};
  if (!refusal_.empty()) message["refusal"] = refusal_;
  if (!reasoning_.empty()) message["reasoning_content"] = reasoning_;
  if (legacy_call_) message["function_call"] = json::object();
  json::array calls;
  for (const PartialCall& call : calls_) calls.emplace_back(call.Whole());
  if (!calls.empty()) message["tool_calls"] = std::move(calls);
  whole["choices"] = json::array{json::object{{"message", std::move(message)}, {"finish_reason", finish_reason_}}};
  return whole;
}

}  // namespace awf::agents

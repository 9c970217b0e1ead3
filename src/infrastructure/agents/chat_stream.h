// ChatStream: puts an answer of the Chat Completions format together from its event stream, telling the text as it
// comes.
//
// A server that answers with one JSON object although a stream was asked for is understood as well. Deltas of tool
// calls are joined by index, else by id; where servers leave the index out or count wrongly, a new id with a name, or a
// name after arguments that are complete, begins another call. What a server says twice (a call again in a later chunk,
// the whole message after its deltas) counts once, as a call must not run twice. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "infrastructure/agents/chat_completions.h"
#include "infrastructure/agents/sse_reader.h"

namespace awf::agents {

// A tool call, of which some deltas have come.
class PartialCall {
 public:
  void Add(const json::object& delta);
  // Whether the delta begins another call, although it has the index of this one (`same_index`) or none.
  bool EndsBefore(const json::object& delta, bool same_index) const;
  // Whether `other`, of the same answer, is this call once more, or a beginning of it. By the index where both have one
  // and no ids that differ, else by an equal id; and by equal arguments.
  bool Repeats(const PartialCall& other) const;
  bool LongerThan(const PartialCall& other) const { return text_.size() > other.text_.size(); }
  bool Is(std::string_view id) const { return id_ == id; }
  json::object Whole() const;  // as in an answer that is not streamed

 private:
  void AddText(std::string_view arguments);
  bool IsRestartedBy(const json::object& delta) const;
  json::value Arguments() const;

  std::optional<std::int64_t> index_;
  std::string id_, name_, text_;
  json::value object_;  // arguments that came as an object
  json::object extra_;  // what else the deltas hold; some servers want it back
  // Where the JSON text of the arguments stands.
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false, complete_ = false;
};

class ChatStream {
 public:
  using OnText = std::function<void(std::string_view)>;

  // `limit`: of the answer, in bytes.
  explicit ChatStream(OnText on_text, std::size_t limit = std::size_t{64} << 20);
  ChatStream(const ChatStream&) = delete;
  ChatStream& operator=(const ChatStream&) = delete;

  // False when the rest is not wanted: the answer is over ([DONE]), or cannot become one.
  bool Append(std::string_view bytes);
  // Nothing is missing, however the connection ended.
  bool over() const { return done_ || fault_ || !finish_reason_.empty(); }
  // Text was handed out.
  bool told() const { return !text_.empty() && kind_ == Kind::kEvents; }
  // To be called once, when the server has ended the answer, or it is over.
  std::expected<ChatAnswer, ChatFault> Finish(std::set<std::string>& used_ids);

 private:
  enum class Kind { kUnknown, kObject, kEvents };

  void Event(std::string_view data);
  bool Take(std::string_view data);  // false when it is no object
  void Chunk(const json::object& chunk);
  void Delta(const json::object& delta);
  void Message(const json::object& message);
  void CallDelta(const json::object& delta);
  std::size_t CallOf(const json::object& delta, bool has_index) const;
  json::array Calls() const;
  void Spoil(ChatFault fault);
  json::object WholeAnswer() const;

  OnText on_text_;
  std::size_t limit_;
  SseReader reader_;
  Kind kind_ = Kind::kUnknown;
  std::string object_;  // kObject: the body so far
  std::string text_, refusal_, reasoning_, finish_reason_;
  std::vector<PartialCall> calls_;
  std::map<std::int64_t, std::size_t> last_of_index_;  // positions in calls_
  json::object usage_;
  bool legacy_call_ = false, any_choice_ = false, any_delta_ = false, done_ = false, ending_ = false;
  std::optional<ChatFault> fault_;
};

}  // namespace awf::agents

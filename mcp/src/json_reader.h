// The one JSON reader: nothing else ever looks into an incoming line, since two readers of one message can disagree.
//
// A handler on Boost.JSON's parser builds the value and on the way keeps the envelope's id as source text, and refuses
// a second "jsonrpc", "id", "method" or "params" (after unescaping), numbers out of range and deep nesting. Only when a
// text is refused and holds ill-formed UTF-8 or a lone surrogate escape, these are replaced by U+FFFD and the same
// reader runs again.
//
// Free functions without state. They throw std::bad_alloc and nothing else.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace mcp {

// The id of a request. Equal ids have equal keys, however their strings are escaped; 1 and "1" differ.
struct Id {
  std::string text;  // JSON source text, echoed byte for byte
  std::string key;
};

// The key of an integer's literal and of a string, as in Id.
std::string IntegerIdKey(std::string_view literal);
std::string StringIdKey(std::string_view text);

struct ReadResult {
  enum class Status { kOk, kSyntax, kDuplicateKey };
  enum class IdState { kAbsent, kInvalid, kValid };

  Status status = Status::kOk;
  std::string fault;  // why, unless kOk
  boost::json::value value;
  IdState id_state = IdState::kAbsent;  // also after a refusal: whether the id had been read before it
  Id id;
};

// Reads a whole text.
ReadResult ReadJson(std::string_view text, int max_depth);

// Reads only the id, from a text whose end may be missing: status says nothing, the value stays null. Needs no more
// memory than the id does.
ReadResult ReadIdOnly(std::string_view text, int max_depth);

}  // namespace mcp

#include "json_reader.h"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "utf8.h"

namespace mcp {
namespace {

namespace json = boost::json;

enum class Fault { kNone, kDuplicateKey, kRange, kIdTaken };

bool IsIntegerLiteral(std::string_view literal) { return literal.find_first_of(".eE") == std::string_view::npos; }

// Receives the parser's events. With build false it makes no value and stops the parser as soon as it has the id.
class EnvelopeHandler {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  EnvelopeHandler(std::string_view source, bool build) : source_(source), build_(build) {}

  bool on_document_begin(json::error_code& /*ec*/) { return true; }
  bool on_document_end(json::error_code& /*ec*/) { return true; }

  bool on_object_begin(json::error_code& ec) {
    if (depth_ == 0) root_is_object_ = true;
    return OpenContainer(ec);
  }
  bool on_object_end(std::size_t size, json::error_code& /*ec*/) {
    --depth_;
    if (build_) stack_.push_object(size);
    return true;
  }
  bool on_array_begin(json::error_code& ec) { return OpenContainer(ec); }
  bool on_array_end(std::size_t size, json::error_code& /*ec*/) {
    --depth_;
    if (build_) stack_.push_array(size);
    return true;
  }

  bool on_key_part(json::string_view part, std::size_t /*total*/, json::error_code& /*ec*/) {
    if (AtEnvelope()) RememberKey(part);
    if (build_) stack_.push_chars(part);
    return true;
  }
  bool on_key(json::string_view part, std::size_t /*total*/, json::error_code& ec) {
    if (AtEnvelope() && !TakeKey(part)) return Refuse(Fault::kDuplicateKey, ec);
    if (build_) stack_.push_key(part);
    return true;
  }

  bool on_string_part(json::string_view part, std::size_t /*total*/, json::error_code& /*ec*/) {
    if (AtId()) {
      id_string_.append(part.data(), part.size());
      id_in_parts_ = true;
    }
    if (build_) stack_.push_chars(part);
    return true;
  }
  bool on_string(json::string_view part, std::size_t /*total*/, json::error_code& ec) {
    if (AtId()) {
      TakeStringId(part);
      if (!build_) return Refuse(Fault::kIdTaken, ec);
    }
    if (build_) stack_.push_string(part);
    return true;
  }

  bool on_number_part(json::string_view part, json::error_code& /*ec*/) {
    if (AtId()) number_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t value, json::string_view literal, json::error_code& ec) {
    if (AtId() && !TakeNumberId(literal)) return Refuse(Fault::kIdTaken, ec);
    if (build_) stack_.push_int64(value);
    return true;
  }
  bool on_uint64(std::uint64_t value, json::string_view literal, json::error_code& ec) {
    if (AtId() && !TakeNumberId(literal)) return Refuse(Fault::kIdTaken, ec);
    if (build_) stack_.push_uint64(value);
    return true;
  }
  bool on_double(double value, json::string_view literal, json::error_code& ec) {
    if (AtId()) {
      if (!TakeNumberId(literal)) return Refuse(Fault::kIdTaken, ec);
      if (build_) stack_.push_null();  // the id is kept as text: its value may be out of range
      return true;
    }
    if (!build_) return true;
    // The parser's own conversion is off by a unit in the last place now and then.
    std::from_chars(literal.data(), literal.data() + literal.size(), value);
    if (IsIntegerLiteral({literal.data(), literal.size()}) || !std::isfinite(value)) return Refuse(Fault::kRange, ec);
    stack_.push_double(value);
    return true;
  }
  bool on_bool(bool value, json::error_code& ec) {
    if (AtId() && !TakeBadId()) return Refuse(Fault::kIdTaken, ec);
    if (build_) stack_.push_bool(value);
    return true;
  }
  bool on_null(json::error_code& ec) {
    if (AtId() && !TakeBadId()) return Refuse(Fault::kIdTaken, ec);
    if (build_) stack_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view /*part*/, json::error_code& /*ec*/) { return true; }
  bool on_comment(json::string_view /*part*/, json::error_code& /*ec*/) { return true; }

  json::value Release() { return stack_.release(); }
  Fault fault() const { return fault_; }
  ReadResult::IdState id_state() const { return id_state_; }
  // The text is empty when it must still be found in the source, because the string was escaped.
  Id& id() { return id_; }

 private:
  static constexpr std::array<std::string_view, 4> kEnvelopeKeys = {"id", "jsonrpc", "method", "params"};
  static constexpr std::size_t kIdSlot = 0;
  static constexpr std::size_t kOtherSlot = kEnvelopeKeys.size();

  bool AtEnvelope() const { return depth_ == 1 && root_is_object_; }
  bool AtId() const { return AtEnvelope() && slot_ == kIdSlot; }

  bool Refuse(Fault fault, json::error_code& ec) {
    fault_ = fault;
    ec = json::error::syntax;
    return false;
  }

  bool OpenContainer(json::error_code& ec) {
    if (AtId() && !TakeBadId()) return Refuse(Fault::kIdTaken, ec);
    ++depth_;
    return true;
  }

  void RememberKey(json::string_view part) {
    constexpr std::size_t kEnough = 8;  // one more than the longest key: such a key is none of the envelope's
    key_.append(part.data(), std::min(part.size(), kEnough - std::min(kEnough, key_.size())));
  }

  // False when the key was there before.
  bool TakeKey(json::string_view part) {
    RememberKey(part);
    slot_ = 0;
    while (slot_ < kOtherSlot && kEnvelopeKeys[slot_] != key_) ++slot_;
    key_.clear();
    if (slot_ == kOtherSlot) return true;
    return !std::exchange(seen_[slot_], true);
  }

  void TakeStringId(json::string_view part) {
    const char* const begin = source_.data();
    const bool in_source = !id_in_parts_ && part.data() > begin && part.data() + part.size() < begin + source_.size();
    if (in_source) id_.text.assign(part.data() - 1, part.size() + 2);
    id_string_.append(part.data(), part.size());
    id_.key = StringIdKey(id_string_);
    id_state_ = ReadResult::IdState::kValid;
  }

  bool GoesOnWithDigit(json::string_view part) const {
    const char* const end = part.data() + part.size();
    return end >= source_.data() && end < source_.data() + source_.size() && *end >= '0' && *end <= '9';
  }

  // These two return whether the parser shall go on.
  bool TakeNumberId(json::string_view rest) {
    number_.append(rest.data(), rest.size());
    if (!IsIntegerLiteral(number_)) return TakeBadId();
    if (GoesOnWithDigit(rest)) return true;  // no JSON: the reader takes the 0 of 01 before it refuses the rest
    id_ = {number_, IntegerIdKey(number_)};
    id_state_ = ReadResult::IdState::kValid;
    return build_;
  }
  bool TakeBadId() {
    id_state_ = ReadResult::IdState::kInvalid;
    return build_;
  }

  std::string_view source_;
  bool build_;
  json::value_stack stack_;
  Fault fault_ = Fault::kNone;
  int depth_ = 0;
  bool root_is_object_ = false;
  std::string key_;  // of the envelope, as far as it has been read
  std::size_t slot_ = kOtherSlot;
  std::array<bool, kEnvelopeKeys.size()> seen_{};
  std::string number_;
  std::string id_string_;
  bool id_in_parts_ = false;
  ReadResult::IdState id_state_ = ReadResult::IdState::kAbsent;
  Id id_;
};

using Parser = json::basic_parser<EnvelopeHandler>;

json::parse_options OptionsFor(int max_depth) {
  json::parse_options options;
  options.max_depth = static_cast<std::size_t>(max_depth);
  return options;
}

// The source text of an id that is an escaped string. The handler sees only unescaped text, so the same reader reads
// again byte by byte, and the id ends where the handler takes it. Rare: clients do not escape their ids.
std::string FindStringId(std::string_view text, int max_depth) {
  Parser parser(OptionsFor(max_depth), std::string_view{}, false);
  json::error_code ec;
  std::size_t end = 0;
  while (end < text.size() && parser.handler().id_state() == ReadResult::IdState::kAbsent) {
    parser.write_some(true, text.data() + end, 1, ec);
    ++end;
  }
  // Back from the closing quote to the opening one: the nearest that is not escaped, since all within a string are.
  std::size_t begin = end - 1;
  const auto escaped = [&](std::size_t at) {
    std::size_t count = 0;
    while (at > count && text[at - 1 - count] == '\\') ++count;
    return count % 2 == 1;
  };
  do {
    --begin;
  } while (begin > 0 && (text[begin] != '"' || escaped(begin)));
  return std::string(text.substr(begin, end - begin));
}

std::string FaultText(Fault fault, const json::error_code& ec, int max_depth) {
  if (fault == Fault::kDuplicateKey) return "invalid request: a member is given twice";
  if (fault == Fault::kRange || ec == json::error::exponent_overflow) return "parse error: number out of range";
  if (ec == json::error::too_deep) return "parse error: nested deeper than " + std::to_string(max_depth) + " levels";
  return "parse error: not valid JSON";
}

ReadResult ReadOnce(std::string_view text, int max_depth) {
  Parser parser(OptionsFor(max_depth), text, true);
  json::error_code ec;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && used < text.size()) ec = json::error::extra_data;
  EnvelopeHandler& handler = parser.handler();
  ReadResult result;
  result.id_state = handler.id_state();
  result.id = std::move(handler.id());
  if (result.id_state == ReadResult::IdState::kValid && result.id.text.empty()) {
    result.id.text = FindStringId(text, max_depth);
  }
  if (ec) {
    result.status =
        handler.fault() == Fault::kDuplicateKey ? ReadResult::Status::kDuplicateKey : ReadResult::Status::kSyntax;
    result.fault = FaultText(handler.fault(), ec, max_depth);
  } else {
    result.value = handler.Release();
  }
  return result;
}

}  // namespace

std::string IntegerIdKey(std::string_view literal) { return literal == "-0" ? "i0" : std::string("i").append(literal); }

std::string StringIdKey(std::string_view text) { return std::string("s").append(text); }

ReadResult ReadJson(std::string_view text, int max_depth) {
  ReadResult result = ReadOnce(text, max_depth);
  if (result.status != ReadResult::Status::kSyntax) return result;
  if (const auto repaired = RepairJsonText(text)) return ReadOnce(*repaired, max_depth);
  return result;
}

ReadResult ReadIdOnly(std::string_view text, int max_depth) {
  Parser parser(OptionsFor(max_depth), text, false);
  json::error_code ec;
  parser.write_some(true, text.data(), text.size(), ec);
  ReadResult result;
  result.id_state = parser.handler().id_state();
  result.id = std::move(parser.handler().id());
  if (result.id_state == ReadResult::IdState::kValid && result.id.text.empty()) {
    result.id.text = FindStringId(text, max_depth);
  }
  return result;
}

}  // namespace mcp

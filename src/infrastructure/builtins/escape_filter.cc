#include "infrastructure/builtins/escape_filter.h"

#include <algorithm>

namespace awf::builtins {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\a';

bool InRange(char c, unsigned char first, unsigned char last) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= first && byte <= last;
}

}  // namespace

void EscapeFilter::Take(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    if (state_ != State::kText) {
      TakeByte(bytes.front(), out);
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t text = std::min(bytes.find(kEscape), bytes.size());
    out += bytes.substr(0, text);
    bytes.remove_prefix(text);
    if (bytes.empty()) return;
    state_ = State::kEscape;
    bytes.remove_prefix(1);
  }
}

// ECMA-48: ESC [ parameters intermediates final; ESC ] … BEL or ESC \; ESC intermediates final; ESC final.
void EscapeFilter::TakeByte(char c, std::string& out) {
  const bool in_string = state_ == State::kString || state_ == State::kStringEscape;
  if (c == '\n') {
    state_ = State::kText;
    out += c;
    return;
  }
  if (in_string) {
    if (c == kBell || (state_ == State::kStringEscape && c == '\\')) {
      state_ = State::kText;
    } else {
      state_ = c == kEscape ? State::kStringEscape : State::kString;
    }
    return;
  }
  if (c == kEscape) {
    state_ = State::kEscape;
    return;
  }
  if (state_ == State::kControl) {
    if (InRange(c, 0x20, 0x3F)) return;
    state_ = State::kText;
    if (!InRange(c, 0x40, 0x7E)) out += c;
    return;
  }
  if (state_ == State::kEscape) {
    if (c == '[') {
      state_ = State::kControl;
      return;
    }
    if (c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_') {
      state_ = State::kString;
      return;
    }
  }
  if (InRange(c, 0x20, 0x2F)) {
    state_ = State::kIntermediate;
    return;
  }
  state_ = State::kText;
  if (!InRange(c, 0x30, 0x7E)) out += c;
}

}  // namespace awf::builtins

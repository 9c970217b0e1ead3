#include "infrastructure/regex/required_literal.h"

#include <cctype>
#include <cstddef>

#include "domain/utf8.h"

namespace awf {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  explicit Reader(std::string_view pattern) : pattern_(pattern) {}

  std::string Run() {
    while (at_ < pattern_.size()) {
      if (!Token()) return {};
    }
    EndRun();
    return best_;
  }

 private:
  // Takes one token; false: nothing can be said about this pattern.
  bool Token() {
    const char c = pattern_[at_];
    switch (c) {
      case '|':
        return false;
      case '(':
        return Group();
      case '[':
        return Class();
      case '\\':
        return Escape();
      case '*':
      case '?':
        DropLast();
        break;
      case '+':
      case '.':
      case '^':
      case '$':
        EndRun();
        break;
      case '{':
        if (const std::size_t length = RepeatLength(); length > 0) {
          DropLast();
          at_ += length;
          return true;
        }
        run_.push_back(c);
        break;
      default:
        run_.push_back(c);
    }
    ++at_;
    return true;
  }

  void EndRun() {
    if (run_.size() > best_.size()) best_ = run_;
    run_.clear();
  }

  // The last character may occur any number of times, also none.
  void DropLast() {
    while (!run_.empty() && IsUtf8Continuation(run_.back())) run_.pop_back();
    if (!run_.empty()) run_.pop_back();
    EndRun();
  }

  // Length of "{n}", "{n,}", "{n,m}" here, else 0: then the brace is a plain character.
  std::size_t RepeatLength() const {
    std::size_t end = at_ + 1;
    const std::size_t first = end;
    while (end < pattern_.size() && IsDigit(pattern_[end])) ++end;
    if (end == first) return 0;
    if (end < pattern_.size() && pattern_[end] == ',') ++end;
    while (end < pattern_.size() && IsDigit(pattern_[end])) ++end;
    return end < pattern_.size() && pattern_[end] == '}' ? end + 1 - at_ : 0;
  }

  // What stands in a group may be optional, and is left out. Flags could change what plain characters mean.
  bool Group() {
    EndRun();
    if (pattern_.substr(at_).starts_with("(?") && !pattern_.substr(at_).starts_with("(?:") &&
        !pattern_.substr(at_).starts_with("(?P<"))
      return false;
    ++at_;
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= pattern_.size()) return false;
      switch (pattern_[at_]) {
        case '(':
          ++depth;
          break;
        case ')':
          --depth;
          break;
        case '[':
          if (!Class()) return false;
          --at_;
          break;
        case '\\':
          if (at_ + 1 < pattern_.size() && pattern_[at_ + 1] == 'Q') return false;
          ++at_;
          break;
        default:
          break;
      }
    }
    return true;
  }

  bool Class() {
    EndRun();
    ++at_;
    if (at_ < pattern_.size() && pattern_[at_] == '^') ++at_;
    if (at_ < pattern_.size() && pattern_[at_] == ']') ++at_;
    for (; at_ < pattern_.size() && pattern_[at_] != ']'; ++at_) {
      if (pattern_[at_] == '\\') {
        if (at_ + 1 < pattern_.size() && pattern_[at_ + 1] == 'Q') return false;
        ++at_;
      } else if (pattern_.substr(at_).starts_with("[:")) {
        const std::size_t end = pattern_.find(":]", at_ + 2);
        if (end != std::string_view::npos) at_ = end + 1;
      }
    }
    if (at_ >= pattern_.size()) return false;
    ++at_;
    return true;
  }

  bool Escape() {
    if (at_ + 1 >= pattern_.size()) return false;
    const char c = pattern_[at_ + 1];
    at_ += 2;
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) {
      run_.push_back(c);
      return true;
    }
    EndRun();
    // \x41, \pN, \123, \Q..\E have operands that would be taken for plain characters.
    constexpr std::string_view kWithoutOperand = "abfnrtvdDsSwWBAzC";
    return kWithoutOperand.find(c) != std::string_view::npos;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  std::string run_, best_;
};

}  // namespace

std::string RequiredLiteral(std::string_view pattern) { return Reader(pattern).Run(); }

}  // namespace awf

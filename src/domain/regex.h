// Regular expressions as the application and the tools need them. Adapter: infrastructure/regex (RE2).
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace awf {

struct RegexOptions {
  bool case_insensitive = false;
  bool multi_line = true;  // ^ and $ match at line borders
  bool latin1 = false;     // bytes, for text that is not UTF-8
  bool literal = false;    // the pattern is no pattern
};

struct RegexFault {
  std::string message;   // "missing )"
  std::string fragment;  // the part of the pattern that is at fault; may be empty
};

// begin == npos: the group took no part.
struct RegexGroup {
  std::size_t begin = std::string_view::npos, end = 0;
};

// A compiled pattern. Thread-safe.
class Regex {
 public:
  virtual ~Regex() = default;
  // The leftmost match at or after `from`; groups[0] is the whole match. False when there is none.
  virtual bool Find(std::string_view text, std::size_t from, std::vector<RegexGroup>& groups) const = 0;
  virtual bool Contains(std::string_view text) const = 0;
  virtual int GroupCount() const = 0;
  // A string that every match must contain, as far as the pattern tells; empty when unknown.
  virtual std::string RequiredLiteral() const = 0;
};

class RegexCompiler {
 public:
  virtual ~RegexCompiler() = default;
  virtual std::expected<std::unique_ptr<Regex>, RegexFault> Compile(std::string_view pattern,
                                                                    const RegexOptions& options) const = 0;
  // The text as a pattern that matches it literally.
  virtual std::string Quote(std::string_view text) const = 0;
};

}  // namespace awf

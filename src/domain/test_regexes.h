// For tests of what takes a RegexCompiler: patterns are plain text, with ^ before it for the begin and $ behind it for
// the end; one with a parenthesis does not compile.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/regex.h"

namespace awf {

class PlainRegex final : public Regex {
 public:
  explicit PlainRegex(std::string_view pattern)
      : at_begin_(pattern.starts_with('^')), at_end_(pattern.ends_with('$')), text_(pattern) {
    if (at_begin_) text_.erase(0, 1);
    if (at_end_) text_.pop_back();
  }
  bool Find(std::string_view, std::size_t, std::vector<RegexGroup>&) const override { return false; }
  bool Contains(std::string_view text) const override {
    if (at_begin_ && at_end_) return text == text_;
    if (at_begin_) return text.starts_with(text_);
    return at_end_ ? text.ends_with(text_) : text.find(text_) != std::string_view::npos;
  }
  int GroupCount() const override { return 0; }
  std::string RequiredLiteral() const override { return ""; }

 private:
  bool at_begin_, at_end_;
  std::string text_;
};

class PlainRegexes final : public RegexCompiler {
 public:
  std::expected<std::unique_ptr<Regex>, RegexFault> Compile(std::string_view pattern,
                                                            const RegexOptions& options) const override {
    if (options.multi_line || options.case_insensitive) return std::unexpected(RegexFault{"wrong options", ""});
    if (pattern.find('(') != std::string_view::npos) {
      return std::unexpected(RegexFault{"missing )", std::string(pattern)});
    }
    return std::make_unique<PlainRegex>(pattern);
  }
  std::string Quote(std::string_view text) const override { return std::string(text); }
};

}  // namespace awf

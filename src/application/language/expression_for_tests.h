// For the tests of expressions: a scope with values of all kinds, and tables of texts with what they give.
#pragma once

#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "application/language/expression.h"
#include "application/language/template_values.h"

namespace awf::expression_tests {

// Stands for RE2: patterns are plain text, with ^ before it for the begin and $ behind it for the end.
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

inline Scope TestScope() {
  static const PlainRegexes regexes;
  static const json::value values = json::parse(R"({
    "inputs": {"name": "Ann", "empty": "", "count": 3, "flag": true, "ratio": 1.5, "list": ["a", 2, null],
               "map": {"k": "v", "my-key": 7}, "big": 18446744073709551615, "which": "build"},
    "build": {"Output": "42", "Stderr": "", "ExitCode": 0, "Status": "success", "Duration": "1.5s", "Attempts": 2},
    "failed": {"Output": "ERROR: no space\nline 2", "Stderr": "bad", "ExitCode": 2, "Status": "failure",
               "Error": "exit status 2", "ErrorCode": "EXECUTION.COMMAND.FAILED", "Attempts": 3},
    "ask": {"Output": "{}", "ExitCode": 0, "Status": "success", "Response": {"ok": true, "items": [1, {"n": "x"}]},
            "JSON": [{"file": "a.cc"}, {"file": "b.cc"}], "TokensInput": 1200, "TokensOutput": 34,
            "TokensUsed": 1234, "TokensEstimated": false}})");
  Scope scope;
  scope.Set("inputs", values.at("inputs").as_object());
  scope.Set("loop", {{"Index", 1}, {"Item", "b"}, {"Last", false}});
  for (const auto& [name, state] : {std::pair("build", "build"), {"my-state", "failed"}, {"ask", "ask"}}) {
    scope.states[name] = std::make_shared<const json::object>(values.at(state).as_object());
  }
  scope.environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "HOME") return "/home/ann";
    return std::nullopt;
  };
  scope.regexes = &regexes;
  return scope;
}

inline std::string Told(const char* kind, const TemplateFault& fault) {
  return kind + (" " + std::to_string(fault.offset)) + " " + fault.message;
}

inline std::string Evaluated(std::string_view text, const Scope& scope = TestScope()) {
  const auto parsed = Expression::Parse(text);
  if (!parsed) {
    EXPECT_EQ(parsed.error().code, "WORKFLOW.VALIDATION.EXPRESSION_SYNTAX");
    return Told("PARSE", parsed.error());
  }
  const auto value = parsed->Evaluate(scope);
  if (value) return CompactJson(*value);
  EXPECT_EQ(value.error().code, "EXECUTION.EXPRESSION.FAILED");
  return Told("FAULT", value.error());
}

inline std::string HintOf(std::string_view text) {
  const auto value = EvaluateExpressionText(text, TestScope());
  return value ? "no fault" : value.error().hint;
}

struct Row {
  std::string_view text;
  std::string_view result;  // JSON, or what Evaluated tells of a fault
};

inline void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(Evaluated(row.text), row.result) << row.text;
}

}  // namespace awf::expression_tests

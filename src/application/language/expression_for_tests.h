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
#include "application/language/rows_for_tests.h"
#include "application/language/template_values.h"
#include "domain/test_regexes.h"

namespace awf::expression_tests {

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

// Results are JSON.
inline void Check(const std::vector<Row>& rows) {
  CheckRows(rows, [](std::string_view text) { return Evaluated(text); });
}

}  // namespace awf::expression_tests

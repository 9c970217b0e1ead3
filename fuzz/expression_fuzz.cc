// Any text as an expression: parsing and evaluating must end, with a value or with a fault inside the text; parentheses
// around the whole change nothing, and a condition is what the value says.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "application/language/expression.h"
#include "application/language/template_values.h"
#include "infrastructure/regex/re2_regex.h"

namespace {

const awf::Scope& Scope() {
  static const awf::Re2Compiler regexes;
  static const awf::Scope scope = [] {
    const awf::json::value values = awf::json::parse(R"({
      "inputs": {"a": "x, y", "n": 3, "e": "", "f": 2.5, "b": true, "l": ["a", 2, null], "u": 18446744073709551615},
      "state": {"Output": "42", "ExitCode": 0, "Status": "success", "JSON": [{"k": 1}], "Response": {"k": [1, 2.5]}}})");
    awf::Scope made;
    made.Set("inputs", values.at("inputs").as_object());
    made.states["my-state"] = std::make_shared<const awf::json::object>(values.at("state").as_object());
    made.environment = [](const std::string& name) { return std::optional<std::string>(name); };
    made.regexes = &regexes;
    return made;
  }();
  return scope;
}

void CheckFault(const awf::TemplateFault& fault, const char* code, std::size_t size) {
  if (fault.code != code || fault.message.empty() || fault.offset > size) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)awf::TestExpressionText(text, Scope());
  const auto parsed = awf::Expression::Parse(text);
  if (!parsed) {
    CheckFault(parsed.error(), "WORKFLOW.VALIDATION.EXPRESSION_SYNTAX", size);
    return 0;
  }
  const auto value = parsed->Evaluate(Scope());
  if (!value) CheckFault(value.error(), "EXECUTION.EXPRESSION.FAILED", size);
  const auto condition = parsed->Test(Scope());
  if (condition && (!value || !value->is_bool() || value->get_bool() != *condition)) std::abort();
  // One more level of nesting may be too deep.
  const auto wrapped = awf::Expression::Parse("(" + std::string(text) + "\n)");
  if (!wrapped) return 0;
  const auto same = wrapped->Evaluate(Scope());
  if (same.has_value() != value.has_value()) std::abort();
  if (value && awf::CompactJson(*same) != awf::CompactJson(*value)) std::abort();
  if (!value && same.error().offset != value.error().offset + 1) std::abort();
  return 0;
}

// The functions that templates may call: awf's own and those of Go's text/template.
//
// Pure, but for readFile. The value worked on is the last argument of awf's own, so that it can be piped in:
// {{.inputs.names | split "," | join " "}}. Faults are phrases that follow the name of the function.
//
// Where this differs from Go: numbers are JSON's (an integer equals a float of the same value; floats print as
// ShortestNumber tells); lists and objects print as JSON, null as null; where Go's printf writes %!d(string=x) into the
// text, and where index finds nothing, there is a fault.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/scope.h"
#include "application/language/template_values.h"

namespace awf {

inline constexpr std::size_t kAnyNumber = static_cast<std::size_t>(-1);
inline constexpr std::size_t kMaxSplitItems = 1'000'000;

struct TemplateFunctionFault {
  std::string message;
  bool missing = false;  // index: there is no such element; `default` provides for it
};

using TemplateFunctionResult = std::expected<TemplateValue, TemplateFunctionFault>;

struct TemplateFunction {
  std::string_view name;
  std::size_t min_arguments, max_arguments;
  std::string_view usage;
  // Null for `and` and `or`: the evaluator does these itself, as they do not evaluate all arguments.
  TemplateFunctionResult (*call)(const Scope& scope, std::span<const TemplateValue> arguments);
};

const TemplateFunction* FindTemplateFunction(std::string_view name);
const std::vector<std::string>& TemplateFunctionNames();

}  // namespace awf

// Go's functions for templates: comparison, len, index, slice, print, println. printf is in template_printf.h.
#pragma once

#include <span>

#include "application/language/template_functions.h"

namespace awf::go_functions {

using Arguments = std::span<const TemplateValue>;

// Equal to any of the others. Null equals null only; lists and objects cannot be compared.
TemplateFunctionResult Equal(const Scope&, Arguments arguments);
TemplateFunctionResult NotEqual(const Scope&, Arguments arguments);
// Two numbers, or two texts by bytes.
TemplateFunctionResult Less(const Scope&, Arguments arguments);
TemplateFunctionResult LessOrEqual(const Scope&, Arguments arguments);
TemplateFunctionResult Greater(const Scope&, Arguments arguments);
TemplateFunctionResult GreaterOrEqual(const Scope&, Arguments arguments);

TemplateFunctionResult Not(const Scope&, Arguments arguments);
// Bytes of a text, elements of a list or object.
TemplateFunctionResult Length(const Scope&, Arguments arguments);
// index x 1 "k" is x[1]["k"]; of a text, a byte as a number.
TemplateFunctionResult Index(const Scope&, Arguments arguments);
// slice x 1 3 is x[1:3]; of a text it must not cut characters.
TemplateFunctionResult Slice(const Scope&, Arguments arguments);

// Spaces between two operands of which neither is a text.
TemplateFunctionResult Print(const Scope&, Arguments arguments);
// Spaces between all operands, and a line feed.
TemplateFunctionResult PrintLine(const Scope&, Arguments arguments);

}  // namespace awf::go_functions

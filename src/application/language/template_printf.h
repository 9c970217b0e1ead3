// printf for templates: Go's verbs v s q d b o O x X c U e E f F g G t %, with flags, width and precision.
//
// What Go writes into the text as %!d(string=x) is a fault here: a verb that does not fit its argument, arguments left
// over or not there. %v and %s print any value as the template would; %d takes 3.0 for 3, %f takes 3 for 3.0.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "application/language/template_values.h"

namespace awf {

// The error is a phrase that follows "'printf' ".
std::expected<std::string, std::string> FormatText(std::string_view format, std::span<const TemplateValue> arguments);

}  // namespace awf

// Makes the tree of a template from its text; refuses, by name and with a position, what is not supported. Whether
// functions and references exist is not its business (TemplateChecker).
#pragma once

#include <expected>
#include <string_view>
#include <vector>

#include "application/language/template_ast.h"
#include "application/language/template_fault.h"

namespace awf {

std::expected<std::vector<TemplateNode>, TemplateFault> ParseTemplate(std::string_view text);

}  // namespace awf

// The functions that expressions may call, each with one argument. Pure: JSON in, JSON out.
//
//   len(x)     characters of a text, items of a list, keys of an object
//   lower(x)   upper(x): ASCII letters of a text, as the template functions of these names
//   trim(x)    the text without white space at both ends
//   int(x)     the whole number that a text spells (white space around it is allowed); of a number the part before the
//              point
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf {

struct ExpressionFunction {
  std::string_view name;
  // The error is a phrase for a message that names the function.
  std::expected<json::value, std::string> (*call)(const json::value& argument);
};

const ExpressionFunction* FindExpressionFunction(std::string_view name);
// Sorted; for hints.
const std::vector<std::string>& ExpressionFunctionNames();

}  // namespace awf

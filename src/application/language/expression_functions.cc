#include "application/language/expression_functions.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <system_error>

#include "application/language/characters.h"
#include "application/language/template_values.h"
#include "domain/trimmed.h"
#include "domain/utf8.h"

namespace awf {
namespace {

using Result = std::expected<json::value, std::string>;

std::unexpected<std::string> Needs(std::string_view what, const json::value& argument) {
  return std::unexpected("needs " + std::string(what) + ", not " + std::string(KindName(argument)));
}

Result Int(const json::value& argument) {
  if (argument.is_int64()) return argument;
  if (argument.is_uint64() || argument.is_double()) {
    if (const auto whole = WholeNumber(std::trunc(argument.to_number<double>()))) return *whole;
    return std::unexpected("got a number that does not fit into 64 bits");
  }
  if (!argument.is_string()) return Needs("text or a number", argument);
  std::string_view digits = Trimmed(argument.get_string(), kTrimmedSpaces);
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  std::int64_t whole = 0;
  const auto [stop, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), whole);
  if (fault == std::errc::result_out_of_range) {
    return std::unexpected("got a number that does not fit into 64 bits");
  }
  if (fault == std::errc() && stop == digits.data() + digits.size()) return whole;
  return std::unexpected("got text that spells no whole number");
}

Result Len(const json::value& argument) {
  if (const json::string* text = argument.if_string()) {
    return static_cast<std::int64_t>(CountCharacters(RepairUtf8(*text)));
  }
  if (const json::array* list = argument.if_array()) return static_cast<std::int64_t>(list->size());
  if (const json::object* object = argument.if_object()) return static_cast<std::int64_t>(object->size());
  return Needs("text, a list or an object", argument);
}

Result Cased(const json::value& argument, char (*cased)(char)) {
  if (!argument.is_string()) return Needs("text", argument);
  json::string text = argument.get_string();
  std::ranges::transform(text, text.begin(), cased);
  return text;
}

Result Lower(const json::value& argument) { return Cased(argument, ToLower); }

Result Trim(const json::value& argument) {
  if (!argument.is_string()) return Needs("text", argument);
  return json::value(Trimmed(argument.get_string(), kTrimmedSpaces));
}

Result Upper(const json::value& argument) { return Cased(argument, ToUpper); }

constexpr ExpressionFunction kFunctions[] = {
    {"int", Int}, {"len", Len}, {"lower", Lower}, {"trim", Trim}, {"upper", Upper},
};

}  // namespace

const ExpressionFunction* FindExpressionFunction(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &ExpressionFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

const std::vector<std::string>& ExpressionFunctionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const ExpressionFunction& function : kFunctions) list.emplace_back(function.name);
    return list;
  }();
  return names;
}

}  // namespace awf

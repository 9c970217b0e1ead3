#include "infrastructure/yaml/yaml_node.h"

#include <algorithm>
#include <string_view>

namespace awf {
namespace {

bool All(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

constexpr std::string_view kDigits = "0123456789";

bool IsInteger(std::string_view text) {
  if (text.starts_with("0x")) return All(text.substr(2), "0123456789abcdefABCDEF");
  if (text.starts_with("0o")) return All(text.substr(2), "01234567");
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return All(text, kDigits);
}

// [-+]? ( digits [. digits?] | . digits ) ( [eE] [-+]? digits )?
bool IsFloat(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    std::string_view digits = text.substr(exponent + 1);
    if (digits.starts_with('-') || digits.starts_with('+')) digits.remove_prefix(1);
    if (!All(digits, kDigits)) return false;
    text = text.substr(0, exponent);
  }
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return exponent != std::string_view::npos && All(text, kDigits);
  const std::string_view whole = text.substr(0, dot), fraction = text.substr(dot + 1);
  if (whole.empty() && fraction.empty()) return false;
  return (whole.empty() || All(whole, kDigits)) && (fraction.empty() || All(fraction, kDigits));
}

}  // namespace

ScalarType TypeOf(const YamlNode& scalar) {
  if (scalar.style != YamlNode::Style::kPlain || scalar.forced_string) return ScalarType::kString;
  const std::string_view text = scalar.text;
  if (text.empty() || text == "~" || text == "null") return ScalarType::kNull;
  if (text == "true" || text == "false") return ScalarType::kBool;
  if (IsInteger(text)) return ScalarType::kInteger;
  if (IsFloat(text)) return ScalarType::kFloat;
  return ScalarType::kString;
}

}  // namespace awf

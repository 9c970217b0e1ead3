#include "application/template_functions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "domain/trimmed.h"

namespace awf {
namespace {

using Arguments = std::span<const json::value>;
using Result = std::expected<json::value, std::string>;

constexpr std::string_view kSpaces = " \t\r\n\v\f";

json::value Text(std::string_view text) { return json::value(text); }

std::unexpected<std::string> TooLong() { return std::unexpected(std::string("makes more than 64 MiB")); }

void AppendNumber(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

void AppendJson(std::string& out, const json::value& value) {
  if (value.is_double()) {
    AppendNumber(out, value.get_double());
  } else if (value.is_array()) {
    out.push_back('[');
    for (bool first = true; const json::value& item : value.get_array()) {
      if (!std::exchange(first, false)) out.push_back(',');
      AppendJson(out, item);
    }
    out.push_back(']');
  } else if (value.is_object()) {
    out.push_back('{');
    for (bool first = true; const auto& [key, item] : value.get_object()) {
      if (!std::exchange(first, false)) out.push_back(',');
      out += json::serialize(json::string_view(key));
      out.push_back(':');
      AppendJson(out, item);
    }
    out.push_back('}');
  } else {
    out += json::serialize(value);
  }
}

Result Escape(Arguments arguments) { return Text(ShellEscaped(TextOf(arguments[0]))); }

Result Json(Arguments arguments) { return Text(CompactJson(arguments[0])); }

Result FromJson(Arguments arguments) {
  json::error_code fault;
  json::value value = json::parse(TextOf(arguments[0]), fault);
  if (fault) return std::unexpected("got text that is not JSON");
  return value;
}

Result Split(Arguments arguments) {
  const std::string separator = TextOf(arguments[0]), text = TextOf(arguments[1]);
  if (separator.empty()) return std::unexpected("got an empty separator");
  json::array items;
  if (text.empty()) return items;
  for (std::size_t begin = 0; begin != std::string::npos;) {
    const std::size_t end = text.find(separator, begin);
    items.push_back(Text(Trimmed(std::string_view(text).substr(begin, end - begin), kSpaces)));
    begin = end == std::string::npos ? end : end + separator.size();
  }
  return items;
}

Result Join(Arguments arguments) {
  if (!arguments[1].is_array()) return std::unexpected("needs a list");
  const std::string separator = TextOf(arguments[0]);
  std::string text;
  for (bool first = true; const json::value& item : arguments[1].get_array()) {
    if (!std::exchange(first, false)) text += separator;
    text += TextOf(item);
    if (text.size() > kMaxTemplateOutput) return TooLong();
  }
  return Text(text);
}

Result TrimSpace(Arguments arguments) { return Text(Trimmed(TextOf(arguments[0]), kSpaces)); }

// The evaluator hands over null where the value is missing.
Result Default(Arguments arguments) {
  const json::value& value = arguments[1];
  const bool empty = value.is_null() || (value.is_string() && value.get_string().empty());
  return empty ? arguments[0] : value;
}

Result Lower(Arguments arguments) {
  std::string text = TextOf(arguments[0]);
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return Text(text);
}

Result Upper(Arguments arguments) {
  std::string text = TextOf(arguments[0]);
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return Text(text);
}

Result Replace(Arguments arguments) {
  const std::string from = TextOf(arguments[0]), to = TextOf(arguments[1]), text = TextOf(arguments[2]);
  if (from.empty()) return std::unexpected("got nothing to replace");
  std::string replaced;
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    replaced.append(text, begin, at - begin).append(to);
    begin = at + from.size();
    if (replaced.size() > kMaxTemplateOutput) return TooLong();
  }
  return Text(replaced.append(text, begin));
}

Result ContainsText(Arguments arguments) {
  return json::value(TextOf(arguments[1]).find(TextOf(arguments[0])) != std::string::npos);
}

Result HasPrefix(Arguments arguments) { return json::value(TextOf(arguments[1]).starts_with(TextOf(arguments[0]))); }

Result HasSuffix(Arguments arguments) { return json::value(TextOf(arguments[1]).ends_with(TextOf(arguments[0]))); }

Result Indent(Arguments arguments) {
  constexpr std::int64_t kMaxIndent = 1000;
  if (!arguments[0].is_int64() || arguments[0].get_int64() < 0 || arguments[0].get_int64() > kMaxIndent) {
    return std::unexpected("needs a number of spaces from 0 to 1000");
  }
  const std::string spaces(static_cast<std::size_t>(arguments[0].get_int64()), ' ');
  std::string indented = spaces;
  for (const char c : TextOf(arguments[1])) {
    indented.push_back(c);
    if (c == '\n') indented += spaces;
    if (indented.size() > kMaxTemplateOutput) return TooLong();
  }
  return Text(indented);
}

constexpr TemplateFunction kFunctions[] = {
    {"escape", 1, 1, "escape VALUE", Escape},
    {"json", 1, 1, "json VALUE", Json},
    {"fromJson", 1, 1, "fromJson TEXT", FromJson},
    {"split", 2, 2, "split SEPARATOR TEXT", Split},
    {"join", 2, 2, "join SEPARATOR LIST", Join},
    {"trimSpace", 1, 1, "trimSpace TEXT", TrimSpace},
    {"default", 2, 2, "default DEFAULT VALUE", Default},
    {"lower", 1, 1, "lower TEXT", Lower},
    {"upper", 1, 1, "upper TEXT", Upper},
    {"replace", 3, 3, "replace OLD NEW TEXT", Replace},
    {"contains", 2, 2, "contains PART TEXT", ContainsText},
    {"hasPrefix", 2, 2, "hasPrefix PREFIX TEXT", HasPrefix},
    {"hasSuffix", 2, 2, "hasSuffix SUFFIX TEXT", HasSuffix},
    {"indent", 2, 2, "indent SPACES TEXT", Indent},
};

}  // namespace

const TemplateFunction* FindTemplateFunction(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &TemplateFunction::name);
  return found == std::end(kFunctions) ? nullptr : found;
}

const std::vector<std::string>& TemplateFunctionNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const TemplateFunction& function : kFunctions) list.emplace_back(function.name);
    return list;
  }();
  return names;
}

std::string TextOf(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  return CompactJson(value);
}

std::string CompactJson(const json::value& value) {
  std::string text;
  AppendJson(text, value);
  return text;
}

std::string ShellEscaped(std::string_view text) {
  static constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "'";
}

}  // namespace awf

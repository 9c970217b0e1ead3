#include "application/language/template_functions.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <utility>

#include "application/language/characters.h"
#include "application/language/template_go_functions.h"
#include "application/language/template_printf.h"
#include "domain/trimmed.h"

namespace awf {
namespace {

using Arguments = std::span<const TemplateValue>;
using Result = TemplateFunctionResult;

std::unexpected<TemplateFunctionFault> Fault(std::string message) {
  return std::unexpected(TemplateFunctionFault{std::move(message)});
}

std::unexpected<TemplateFunctionFault> TooLong() { return Fault("makes more than 64 MiB"); }

std::string TextAt(Arguments arguments, std::size_t index) { return TextOf(*arguments[index]); }

Result Escape(const Scope&, Arguments arguments) { return TextValue(ShellEscaped(TextAt(arguments, 0))); }

Result Json(const Scope&, Arguments arguments) { return TextValue(CompactJson(*arguments[0])); }

Result FromJson(const Scope&, Arguments arguments) {
  json::error_code fault;
  json::value value = json::parse(TextAt(arguments, 0), fault);
  if (fault) return Fault("got text that is not JSON");
  return OwnedValue(std::move(value));
}

Result Split(const Scope&, Arguments arguments) {
  const std::string separator = TextAt(arguments, 0), text = TextAt(arguments, 1);
  if (separator.empty()) return Fault("got an empty separator");
  json::array items;
  for (std::size_t begin = text.empty() ? std::string::npos : 0; begin != std::string::npos;) {
    if (items.size() == kMaxSplitItems) return Fault("makes more than 1000000 items");
    const std::size_t end = text.find(separator, begin);
    items.emplace_back(Trimmed(std::string_view(text).substr(begin, end - begin), kTrimmedSpaces));
    begin = end == std::string::npos ? end : end + separator.size();
  }
  return OwnedValue(json::value(std::move(items)));
}

Result Join(const Scope&, Arguments arguments) {
  if (!arguments[1]->is_array()) return Fault("needs a list, not " + std::string(KindName(*arguments[1])));
  const std::string separator = TextAt(arguments, 0);
  std::string text;
  for (bool first = true; const json::value& item : arguments[1]->get_array()) {
    if (!std::exchange(first, false)) text += separator;
    text += TextOf(item);
    if (text.size() > kMaxTemplateOutput) return TooLong();
  }
  return TextValue(text);
}

Result TrimSpace(const Scope&, Arguments arguments) { return TextValue(Trimmed(TextAt(arguments, 0), kTrimmedSpaces)); }

// Relative paths start from the folder of the scope. A run keeps a copy of what was read.
Result ReadFile(const Scope& scope, Arguments arguments) {
  if (!arguments[0]->is_string()) return Fault("needs a path, not " + std::string(KindName(*arguments[0])));
  if (scope.files == nullptr) return Fault("cannot read files here");
  const std::string path = TextAt(arguments, 0);
  if (path.empty() || path.find('\0') != std::string::npos) return Fault("got no path");
  auto text = scope.files->ReadNow((std::filesystem::path(scope.folder) / path).lexically_normal());
  if (!text) return Fault("failed: " + text.error().message);
  return TextValue(*text);
}

// The evaluator hands over null where the value is missing.
Result Default(const Scope&, Arguments arguments) {
  const json::value& value = *arguments[1];
  const bool empty = value.is_null() || (value.is_string() && value.get_string().empty());
  return arguments[empty ? 0 : 1];
}

// Letters of ASCII; others stay.
Result Lower(const Scope&, Arguments arguments) {
  std::string text = TextAt(arguments, 0);
  std::ranges::transform(text, text.begin(), ToLower);
  return TextValue(text);
}

Result Upper(const Scope&, Arguments arguments) {
  std::string text = TextAt(arguments, 0);
  std::ranges::transform(text, text.begin(), ToUpper);
  return TextValue(text);
}

Result Replace(const Scope&, Arguments arguments) {
  const std::string from = TextAt(arguments, 0), to = TextAt(arguments, 1), text = TextAt(arguments, 2);
  if (from.empty()) return Fault("got nothing to replace");
  std::string replaced;
  std::size_t begin = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, begin)) {
    replaced.append(text, begin, at - begin).append(to);
    begin = at + from.size();
    if (replaced.size() > kMaxTemplateOutput) return TooLong();
  }
  return TextValue(replaced.append(text, begin));
}

Result Contains(const Scope&, Arguments arguments) {
  return OwnedValue(json::value(TextAt(arguments, 1).find(TextAt(arguments, 0)) != std::string::npos));
}

Result HasPrefix(const Scope&, Arguments arguments) {
  return OwnedValue(json::value(TextAt(arguments, 1).starts_with(TextAt(arguments, 0))));
}

Result HasSuffix(const Scope&, Arguments arguments) {
  return OwnedValue(json::value(TextAt(arguments, 1).ends_with(TextAt(arguments, 0))));
}

Result Indent(const Scope&, Arguments arguments) {
  constexpr std::int64_t kMaxIndent = 1000;
  const auto count = WholeNumber(*arguments[0]);
  if (!count || *count < 0 || *count > kMaxIndent) return Fault("needs a number of spaces from 0 to 1000");
  const std::string spaces(static_cast<std::size_t>(*count), ' ');
  std::string indented = spaces;
  for (const char c : TextAt(arguments, 1)) {
    indented.push_back(c);
    if (c == '\n') indented += spaces;
    if (indented.size() > kMaxTemplateOutput) return TooLong();
  }
  return TextValue(indented);
}

Result PrintFormat(const Scope&, Arguments arguments) {
  if (!arguments[0]->is_string()) return Fault("needs a format, not " + std::string(KindName(*arguments[0])));
  auto text = FormatText(std::string_view(arguments[0]->get_string()), arguments.subspan(1));
  if (!text) return Fault(std::move(text.error()));
  return TextValue(*text);
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
    {"contains", 2, 2, "contains PART TEXT", Contains},
    {"hasPrefix", 2, 2, "hasPrefix PREFIX TEXT", HasPrefix},
    {"hasSuffix", 2, 2, "hasSuffix SUFFIX TEXT", HasSuffix},
    {"indent", 2, 2, "indent SPACES TEXT", Indent},
    {"readFile", 1, 1, "readFile PATH", ReadFile},
    {"and", 1, kAnyNumber, "and VALUE…", nullptr},
    {"or", 1, kAnyNumber, "or VALUE…", nullptr},
    {"not", 1, 1, "not VALUE", go_functions::Not},
    {"eq", 2, kAnyNumber, "eq VALUE OTHER…", go_functions::Equal},
    {"ne", 2, 2, "ne VALUE OTHER", go_functions::NotEqual},
    {"lt", 2, 2, "lt VALUE OTHER", go_functions::Less},
    {"le", 2, 2, "le VALUE OTHER", go_functions::LessOrEqual},
    {"gt", 2, 2, "gt VALUE OTHER", go_functions::Greater},
    {"ge", 2, 2, "ge VALUE OTHER", go_functions::GreaterOrEqual},
    {"len", 1, 1, "len VALUE", go_functions::Length},
    {"index", 1, kAnyNumber, "index VALUE KEY…", go_functions::Index},
    {"slice", 1, 4, "slice VALUE BEGIN END", go_functions::Slice},
    {"print", 0, kAnyNumber, "print VALUE…", go_functions::Print},
    {"printf", 1, kAnyNumber, "printf FORMAT VALUE…", PrintFormat},
    {"println", 0, kAnyNumber, "println VALUE…", go_functions::PrintLine},
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

}  // namespace awf

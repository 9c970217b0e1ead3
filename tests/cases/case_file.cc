#include "case_file.h"

#include <fstream>
#include <sstream>
#include <utility>

namespace awf::cases {
namespace {

std::string WithFolder(std::string_view text, const Folders& folders) {
  const std::pair<std::string_view, const std::filesystem::path&> names[] = {
      {"ROOT", folders.root}, {"OUT", folders.out}, {"TMP", folders.tmp}};
  for (const auto& [name, folder] : names) {
    for (const std::string& spelling : {"$" + std::string(name), "${" + std::string(name) + "}"}) {
      if (!text.starts_with(spelling)) continue;
      const char next = text.size() > spelling.size() ? text[spelling.size()] : '/';
      if (spelling.back() != '}' && (std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_')) continue;
      return folder.string() + std::string(text.substr(spelling.size()));
    }
  }
  return std::string(text);
}

std::string Repeated(const json::array& parts, const Folders& folders) {
  const std::string piece = ExpandedText(parts.at(0), folders);
  const auto times = parts.at(1).to_number<std::size_t>();
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

const json::object& Case::check() const {
  static const json::object kNone;
  const json::value* check = fields.if_contains("check");
  return check == nullptr ? kNone : check->as_object();
}

std::string Case::Text(std::string_view key) const {
  const json::value* value = fields.if_contains(key);
  return value == nullptr || !value->is_string() ? std::string() : ToText(value->get_string());
}

bool Case::Flag(std::string_view key, bool otherwise) const {
  const json::value* value = fields.if_contains(key);
  return value == nullptr ? otherwise : value->as_bool();
}

std::vector<std::string> Case::Needs() const {
  const json::value* needs = fields.if_contains("needs");
  return needs == nullptr ? std::vector<std::string>() : TextsOf(*needs);
}

std::expected<std::vector<Case>, std::string> LoadCases(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::unexpected("cannot read " + file.string());
  std::vector<Case> cases;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (line.empty()) continue;
    boost::system::error_code fault;
    const json::value value = json::parse(line, fault);
    const json::object* fields = fault ? nullptr : value.if_object();
    if (fields == nullptr || !fields->contains("id") || !fields->contains("call")) {
      return std::unexpected(file.string() + ":" + std::to_string(number) + ": not a case");
    }
    Case parsed;
    parsed.fields = *fields;
    parsed.id = parsed.Text("id");
    parsed.tool = parsed.Text("tool");
    cases.push_back(std::move(parsed));
  }
  return cases;
}

json::value Expanded(const json::value& value, const Folders& folders) {
  if (const json::string* text = value.if_string()) return json::value(WithFolder(ToText(*text), folders));
  if (const json::array* array = value.if_array()) {
    json::array expanded;
    for (const json::value& item : *array) expanded.push_back(Expanded(item, folders));
    return expanded;
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return value;
  if (const json::value* repeat = object->if_contains("$repeat")) {
    return json::value(Repeated(repeat->as_array(), folders));
  }
  if (const json::value* concat = object->if_contains("$concat")) {
    std::string text;
    for (const json::value& part : concat->as_array()) text += ExpandedText(part, folders);
    return json::value(text);
  }
  json::object expanded;
  for (const auto& member : *object) expanded[member.key()] = Expanded(member.value(), folders);
  return expanded;
}

std::string ExpandedText(const json::value& value, const Folders& folders) {
  return ToText(Expanded(value, folders).as_string());
}

std::vector<std::string> TextsOf(const json::value& value) {
  if (const json::string* text = value.if_string()) return {ToText(*text)};
  std::vector<std::string> texts;
  for (const json::value& item : value.as_array()) texts.push_back(ToText(item.as_string()));
  return texts;
}

std::string ToText(const json::string& text) { return {text.data(), text.size()}; }

}  // namespace awf::cases

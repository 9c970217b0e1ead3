#include "infrastructure/builtins/tool_schema.h"

namespace awf::builtins {

json::object ObjectSchema(std::initializer_list<SchemaProperty> properties) {
  json::object described;
  json::array required;
  for (const SchemaProperty& property : properties) {
    described[property.name] = {{"type", property.type}, {"description", property.description}};
    if (property.required) required.emplace_back(property.name);
  }
  json::object schema{{"type", "object"}, {"properties", std::move(described)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

std::vector<std::string> IgnoredArguments() {
  return {"description",      "pages", "instruction", "dangerouslyDisableSandbox", "-n", "wait_for_previous",
          "run_in_background"};
}

std::vector<ArgumentAlias> PathAliases() {
  std::vector<ArgumentAlias> aliases;
  for (const char* name : {"file_path", "filePath", "filename", "file"}) aliases.push_back({name, "path"});
  return aliases;
}

std::int64_t IntegerArgument(const json::object& arguments, std::string_view name, std::int64_t fallback) {
  const json::value* value = arguments.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : fallback;
}

bool BooleanArgument(const json::object& arguments, std::string_view name) {
  const json::value* value = arguments.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::string_view StringArgument(const json::object& arguments, std::string_view name) {
  const json::value* value = arguments.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

}  // namespace awf::builtins

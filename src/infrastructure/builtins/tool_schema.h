// Building blocks of the file tools' definitions: input schemas in a fixed order, the argument names that models use
// though they were told others, and those that are dropped.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "domain/tool.h"

namespace awf::builtins {

struct SchemaProperty {
  std::string_view name, type, description;
  bool required = false;
};

// A plain root object: type, properties in this order, required.
json::object ObjectSchema(std::initializer_list<SchemaProperty> properties);

// Arguments of other harnesses' tools that mean nothing here.
std::vector<std::string> IgnoredArguments();

// file_path, filePath, filename, file.
std::vector<ArgumentAlias> PathAliases();

// An optional argument after coercion; `fallback` when it is absent.
std::int64_t IntegerArgument(const json::object& arguments, std::string_view name, std::int64_t fallback);
bool BooleanArgument(const json::object& arguments, std::string_view name);
std::string_view StringArgument(const json::object& arguments, std::string_view name);

}  // namespace awf::builtins

// The JSON Schema of an operation's inputs, out of what the plugin declared (plugins page, 6). Pure functions.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"
#include "domain/operation.h"

namespace awf {

struct OperationSchema {
  json::object sent;  // to clients and models, normalised
  // ArgumentRules::checked: arrays and objects of any content, integers of 64 bits with and without sign.
  json::object checked;
  std::vector<std::string> warnings;  // "input 'x' of operation 'y' has no type", …
};

// The error is a sentence that names operation and input.
std::expected<OperationSchema, std::string> SchemaOf(const Operation& operation);

// The operation's description, or "NAME operation of plugin P", with its outputs: under 2 KiB.
std::string DescriptionOf(const Operation& operation, std::string_view plugin);

}  // namespace awf

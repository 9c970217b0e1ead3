// What the author of a plugin registered. Unchanged while it is served.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "awf/plugin.h"

namespace awf::sdk {

struct RegisteredOperation {
  Operation schema;
  Handler handler;
};

struct PluginDefinition {
  std::string name, version, description;
  std::function<std::expected<void, std::string>(const Config&)> init;  // may be empty
  std::function<void()> shutdown;                                       // may be empty
  std::vector<RegisteredOperation> operations;

  // The first one of that name, or nullptr.
  const RegisteredOperation* Find(std::string_view operation) const;
};

}  // namespace awf::sdk

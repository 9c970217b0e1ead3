// For tests: an environment that is a map.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "infrastructure/otlp/export_settings.h"

namespace awf::otlp {

inline GetVariable Variables(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

}  // namespace awf::otlp

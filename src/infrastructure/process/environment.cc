#include "infrastructure/process/environment.h"

#include <unistd.h>

#include <algorithm>

extern char** environ;

namespace awf::process {

std::vector<std::string> CurrentEnvironment() {
  std::vector<std::string> environment;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    environment.emplace_back(*variable);
  }
  return environment;
}

std::string_view VariableName(std::string_view variable) { return variable.substr(0, variable.find('=')); }

void SetVariables(std::vector<std::string>& environment,
                  const std::vector<std::pair<std::string, std::string>>& variables) {
  for (const auto& [name, value] : variables) {
    std::erase_if(environment, [&](const std::string& variable) { return VariableName(variable) == name; });
    environment.emplace_back(name).append("=").append(value);
  }
}

void RemoveVariables(std::vector<std::string>& environment, std::initializer_list<std::string_view> names) {
  std::erase_if(environment, [&](const std::string& variable) {
    return std::find(names.begin(), names.end(), VariableName(variable)) != names.end();
  });
}

std::optional<std::string_view> FindVariable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& variable : environment)
    if (VariableName(variable) == name) return std::string_view(variable).substr(name.size() + 1);
  return std::nullopt;
}

}  // namespace awf::process

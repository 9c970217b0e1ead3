// Environments as lists of NAME=value.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace awf::process {

// That of this process.
std::vector<std::string> CurrentEnvironment();

// Sets each variable, in place of one of that name.
void SetVariables(std::vector<std::string>& environment,
                  const std::vector<std::pair<std::string, std::string>>& variables);

void RemoveVariables(std::vector<std::string>& environment, std::initializer_list<std::string_view> names);

std::optional<std::string_view> FindVariable(const std::vector<std::string>& environment, std::string_view name);

// The part before '='.
std::string_view VariableName(std::string_view variable);

}  // namespace awf::process

#include "infrastructure/agents/environment.h"

namespace awf::agents {

Environment::Environment(const std::vector<std::string>& block) {
  for (const std::string& entry : block) {
    const std::size_t equals = entry.find('=', 1);
    if (equals != std::string::npos) variables_.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

std::string Environment::Get(std::string_view name) const {
  const auto found = variables_.find(name);
  return found != variables_.end() ? found->second : std::string();
}

void Environment::Set(std::string_view name, std::string_view value) {
  variables_.insert_or_assign(std::string(name), std::string(value));
}

void Environment::Unset(std::string_view name) {
  const auto found = variables_.find(name);
  if (found != variables_.end()) variables_.erase(found);
}

void Environment::UnsetPrefix(std::string_view prefix) {
  std::erase_if(variables_, [&](const auto& variable) { return variable.first.starts_with(prefix); });
}

std::vector<std::string> Environment::Block() const {
  std::vector<std::string> block;
  block.reserve(variables_.size());
  for (const auto& [name, value] : variables_) block.emplace_back(name).append("=").append(value);
  return block;
}

}  // namespace awf::agents

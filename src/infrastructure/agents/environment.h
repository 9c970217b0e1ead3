// Environment: the variables that a program is started with, as a map that can be edited and written out again.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace awf::agents {

class Environment {
 public:
  Environment() = default;
  // From NAME=value strings; the first of two with the same name counts, as for getenv.
  explicit Environment(const std::vector<std::string>& block);

  std::string Get(std::string_view name) const;  // "" when unset
  void Set(std::string_view name, std::string_view value);
  void Unset(std::string_view name);
  void UnsetPrefix(std::string_view prefix);
  std::vector<std::string> Block() const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace awf::agents

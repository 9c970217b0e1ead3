// How the options of a step come onto a CLI's command line, and what is said of those that do not. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace awf::agents {

// `flag` and `value` as two words; "--flag=value" in one where the value would be read as a flag. `long_flag`: the name
// for that where `flag` is a short one.
inline void AddOptionWords(std::vector<std::string>& argv, std::string_view flag, std::string_view value,
                           std::string_view long_flag = {}) {
  if (value.starts_with('-')) {
    std::string word(long_flag.empty() ? flag : long_flag);
    word += '=';
    argv.push_back(word += value);
    return;
  }
  argv.emplace_back(flag);
  argv.emplace_back(value);
}

// For Invocation::warnings.
inline std::string IgnoredWhileIntercepting(std::string_view option) {
  return "options." + std::string(option) + " is ignored while the built-in tools are intercepted";
}

}  // namespace awf::agents

// Paths as people know them. Pure, thread-safe.
#pragma once

#include <filesystem>
#include <string>

namespace awf::plugin_registry {

struct ShownFrom {
  std::filesystem::path project, home;  // absolute and normal, or empty
};

// "./.awf/plugins" below the project, "~/.local/share" below the home folder, else as it is; always valid UTF-8.
std::string ShownPath(const std::filesystem::path& path, const ShownFrom& from);

}  // namespace awf::plugin_registry

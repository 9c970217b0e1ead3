#include "infrastructure/plugin_registry/shown_path.h"

#include <string_view>

#include "domain/utf8.h"

namespace awf::plugin_registry {

std::string ShownPath(const std::filesystem::path& path, const ShownFrom& from) {
  const std::string text = path.string();
  const auto below = [&](const std::filesystem::path& folder) -> std::string_view {
    const std::string start = folder.string() + "/";
    if (folder.empty() || !text.starts_with(start)) return {};
    return std::string_view(text).substr(start.size());
  };
  if (const auto rest = below(from.project); !rest.empty()) return "./" + RepairUtf8(rest);
  if (const auto rest = below(from.home); !rest.empty()) return "~/" + RepairUtf8(rest);
  return RepairUtf8(text);
}

}  // namespace awf::plugin_registry

#include "infrastructure/agents/codex_catalog.h"

#include <utility>

#include "infrastructure/agents/stream_json.h"

namespace awf::agents {

std::optional<std::string> PatchedCodexCatalog(std::string_view bundled, std::string_view model) {
  const auto catalog = ParseRepairedJson(bundled);
  const json::array* entries = catalog && catalog->is_object() ? ArrayAt(catalog->get_object(), "models") : nullptr;
  if (entries == nullptr) return std::nullopt;
  json::array all, exact;
  for (const json::value& value : *entries) {
    if (!value.is_object()) return std::nullopt;
    json::object entry = value.get_object();
    entry["apply_patch_tool_type"] = nullptr;
    entry["supports_search_tool"] = false;
    entry["experimental_supported_tools"] = json::array();
    // Stable: the rest keeps its order.
    entry.stable_erase("tool_mode");
    entry.stable_erase("multi_agent_version");
    (TextAt(entry, "slug") == model && !model.empty() ? exact : all).push_back(std::move(entry));
  }
  // Codex refuses a catalog without models.
  json::array& chosen = exact.empty() ? all : exact;
  if (chosen.empty()) return std::nullopt;
  return json::serialize(json::object{{"models", std::move(chosen)}});
}

}  // namespace awf::agents

#include "infrastructure/plugin_registry/operation_cache.h"

#include "infrastructure/plugin_registry/json_document.h"
#include "infrastructure/plugin_registry/operations_json.h"
#include "infrastructure/plugin_registry/plugins_file.h"
#include "infrastructure/plugin_registry/replaced_file.h"
#include "infrastructure/yaml/yaml_file.h"

namespace awf::plugin_registry {
namespace {

std::filesystem::path CacheFile(const std::filesystem::path& storage, const std::string& sha256) {
  return storage / "plugins" / "cache" / (sha256 + ".json");
}

}  // namespace

std::optional<std::vector<Operation>> CachedOperations(const std::filesystem::path& storage,
                                                       const std::string& sha256) {
  if (ParseSha256(sha256) != sha256) return std::nullopt;
  const auto document = JsonDocument::Read(CacheFile(storage, sha256));
  if (!document || !*document) return std::nullopt;
  const json::object* root = (*document)->value().if_object();
  const json::value* list = root == nullptr ? nullptr : root->if_contains("operations");
  if (list == nullptr) return std::nullopt;
  auto operations = OperationsOf(*list);
  if (!operations) return std::nullopt;
  return std::move(*operations);
}

void CacheOperations(const std::filesystem::path& storage, const std::string& sha256, std::string_view plugin,
                     const std::vector<Operation>& operations) {
  if (ParseSha256(sha256) != sha256) return;
  const std::filesystem::path file = CacheFile(storage, sha256);
  const std::string text = SortedJson(json::object{{"operations", OperationsJson(operations)}, {"plugin", plugin}});
  const auto old = ReadYamlFile(file.string());
  if (old && *old == text) return;
  [[maybe_unused]] const auto written = ReplaceFile(file, text, 0600);  // a cache: without it a plugin is asked again
}

}  // namespace awf::plugin_registry

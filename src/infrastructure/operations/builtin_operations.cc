#include "infrastructure/operations/builtin_operations.h"

#include "infrastructure/operations/github_operations.h"
#include "infrastructure/operations/http_operations.h"
#include "infrastructure/operations/notify_operations.h"

namespace awf::operations {

const std::vector<std::string>& BuiltinPlugins() {
  static const std::vector<std::string> plugins = {"github", "http", "notify"};
  return plugins;
}

std::shared_ptr<OperationProvider> MakeBuiltinOperations(std::string_view plugin,
                                                         const BuiltinOperationSettings& settings) {
  if (plugin == "github") return MakeGithubOperations(settings);
  if (plugin == "http") return MakeHttpOperations();
  if (plugin == "notify") return MakeNotifyOperations(settings);
  return nullptr;
}

}  // namespace awf::operations

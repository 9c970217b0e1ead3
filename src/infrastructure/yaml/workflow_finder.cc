#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "domain/nearest_name.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotFound = "USER.WORKFLOW.NOT_FOUND";
constexpr std::string_view kExtension = ".yaml";

bool IsYamlPath(std::string_view path) { return path.ends_with(kExtension) || path.ends_with(".yml"); }

bool Exists(const fs::path& path) {
  std::error_code fault;
  return fs::exists(path, fault);
}

// The file of that name in the first folder that has it, or "".
std::string InFolders(const std::string& name, const Folders& folders) {
  for (const fs::path& folder : folders.workflows) {
    const fs::path path = folder / (name + std::string(kExtension));
    std::error_code fault;
    if (fs::is_regular_file(path, fault)) return path.string();
  }
  return {};
}

std::vector<std::string> NamesIn(const Folders& folders) {
  std::vector<std::string> names;
  for (const fs::path& folder : folders.workflows) {
    std::error_code fault;
    for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end; entry.increment(fault)) {
      if (entry->path().extension() == kExtension) names.push_back(entry->path().stem().string());
    }
  }
  return names;
}

std::string NotFoundText(const std::string& name, const Folders& folders) {
  std::string places;
  for (const fs::path& folder : folders.workflows) places += (places.empty() ? "" : ", ") + folder.string();
  return "there is no workflow '" + name + "'" +
         (places.empty() ? ": AWF_WORKFLOWS_PATH names no folder" : " in " + places);
}

}  // namespace

std::expected<std::string, Error> FindWorkflow(const std::string& name_or_path, const Folders& folders) {
  if (IsYamlPath(name_or_path) && Exists(name_or_path)) return name_or_path;
  if (IsYamlPath(name_or_path)) {
    const std::string stem = fs::path(name_or_path).stem().string();
    const bool known = !InFolders(stem, folders).empty();
    return Fail(kNotFound, "there is no file " + name_or_path,
                known ? "did you mean the workflow '" + stem + "'?" : "give a path, or the name of a workflow");
  }
  if (name_or_path.empty() || name_or_path.starts_with('/') || name_or_path.find("..") != std::string::npos) {
    return Fail(kNotFound, "'" + name_or_path + "' is no name of a workflow",
                "give a name without '..' and leading '/', or the path of a .yaml file");
  }
  if (std::string path = InFolders(name_or_path, folders); !path.empty()) return path;
  std::string hint = DidYouMean(name_or_path, NamesIn(folders));
  if (hint.empty()) {
    hint = Exists(name_or_path) ? "workflow files end in .yaml or .yml"
                                : "give the path of a .yaml file, or see 'awf list'";
  }
  return Fail(kNotFound, NotFoundText(name_or_path, folders), std::move(hint));
}

}  // namespace awf

#include "application/language/folders.h"

#include <algorithm>
#include <optional>

namespace awf {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

fs::path Normal(const fs::path& path) {
  fs::path normal = path.lexically_normal();
  return normal.has_filename() || normal == normal.root_path() ? normal : normal.parent_path();
}

class Places {
 public:
  Places(const EnvironmentLookup& environment, const fs::path& working_dir)
      : environment_(environment), working_dir_(working_dir) {}

  fs::path Project(const char* name) const { return Normal(working_dir_ / name); }

  fs::path Home() const { return Absolute("HOME").value_or(fs::path()); }

  // $VARIABLE/awf, else ~/DEFAULT/awf, else the project's own folder.
  fs::path OfUser(const char* variable, const char* in_home) const {
    if (const auto base = Absolute(variable)) return *base / "awf";
    const fs::path home = Home();
    return home.empty() ? Project(".awf") : home / in_home / "awf";
  }

  // A path as the user wrote it into an AWF_* variable.
  fs::path Written(std::string_view text) const {
    if ((text != "~" && !text.starts_with("~/")) || Home().empty()) return Normal(working_dir_ / text);
    return Normal(Home() / fs::path(text.substr(1)).relative_path());
  }

  std::optional<std::string> Variable(const char* name) const {
    std::optional<std::string> value = environment_ ? environment_(name) : std::nullopt;
    if (value && value->empty()) value.reset();
    return value;
  }

  // The folders of the colon list in `variable`, else those given, each once.
  Paths List(const char* variable, const Paths& otherwise) const {
    const std::optional<std::string> value = variable != nullptr ? Variable(variable) : std::nullopt;
    Paths list;
    const auto add = [&](const fs::path& path) {
      if (std::ranges::find(list, path) == list.end()) list.push_back(path);
    };
    if (!value) {
      std::ranges::for_each(otherwise, add);
      return list;
    }
    for (std::string_view rest = *value; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find(':'));
      if (!part.empty()) add(Written(part));
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    }
    return list;
  }

 private:
  std::optional<fs::path> Absolute(const char* variable) const {
    const auto value = Variable(variable);
    if (!value || !value->starts_with('/')) return std::nullopt;
    return Normal(*value);
  }

  const EnvironmentLookup& environment_;
  const fs::path& working_dir_;
};

json::value First(const Paths& list) { return json::value(list.empty() ? std::string() : list.front().string()); }

// What of `path` lies below `folder`, or "".
fs::path Below(const fs::path& path, const fs::path& folder) {
  const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  if (in_folder != folder.end()) return {};
  fs::path rest;
  for (auto part = in_path; part != path.end(); ++part) rest /= *part;
  return rest;
}

}  // namespace

Folders Folders::From(const EnvironmentLookup& environment, const std::filesystem::path& working_dir) {
  const Places places(environment, working_dir);
  Folders folders;
  const auto config = places.Variable("AWF_CONFIG_HOME");
  folders.config = config ? places.Written(*config) : places.OfUser("XDG_CONFIG_HOME", ".config");
  folders.data = places.OfUser("XDG_DATA_HOME", ".local/share");

  const fs::path project = places.Project(".awf"), user = folders.config;
  folders.workflows = places.List("AWF_WORKFLOWS_PATH", {project / "workflows", user / "workflows"});
  folders.prompts = places.List("AWF_PROMPTS_PATH", {project / "prompts", user / "prompts"});
  folders.scripts = places.List(nullptr, {project / "scripts", user / "scripts"});
  folders.plugins = places.List("AWF_PLUGINS_PATH", {project / "plugins", folders.data / "plugins"});

  const auto shared = [&](const char* variable, const char* name) {
    Paths list = {project / name, places.Project(".agents") / name, user / name};
    if (const fs::path home = places.Home(); !home.empty()) list.push_back(home / ".agents" / name);
    return places.List(variable, list);
  };
  folders.skills = shared("AWF_SKILLS_PATH", "skills");
  folders.roles = shared("AWF_ROLES_PATH", "roles");
  return folders;
}

json::object Folders::Namespace(const std::filesystem::path& run_dir) const {
  return {{"prompts_dir", First(prompts)}, {"scripts_dir", First(scripts)}, {"workflows_dir", First(workflows)},
          {"plugins_dir", First(plugins)}, {"skills_dir", First(skills)},   {"roles_dir", First(roles)},
          {"config_dir", config.string()}, {"data_dir", data.string()},     {"run_dir", run_dir.string()}};
}

std::filesystem::path Folders::Resolve(std::string_view written, const std::filesystem::path& workflow_folder,
                                       const EnvironmentLookup& environment, TextFiles& files) const {
  fs::path path = Places(environment, workflow_folder).Written(written);
  if (files.Exists(path)) return path;
  for (const Paths* list : {&workflows, &prompts, &scripts, &plugins, &skills, &roles}) {
    if (list->empty()) continue;
    const fs::path rest = Below(path, list->front());
    if (rest.empty()) continue;
    const auto found = std::find_if(list->begin() + 1, list->end(),
                                    [&](const fs::path& folder) { return files.Exists(folder / rest); });
    if (found != list->end()) return *found / rest;
  }
  return path;
}

}  // namespace awf

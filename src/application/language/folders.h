// Folders: where awf looks for what a workflow names, and what the `awf` namespace of templates says of it.
//
// Each list is in search order: those of the environment variable alone when it is set (AWF_WORKFLOWS_PATH,
// AWF_PROMPTS_PATH, AWF_PLUGINS_PATH, AWF_SKILLS_PATH, AWF_ROLES_PATH: colon lists), else the project's (.awf/prompts)
// before the user's ($XDG_CONFIG_HOME/awf/prompts; of plugins $XDG_DATA_HOME/awf/plugins; skills and roles also in
// .agents of both). All absolute and normal (".." goes up in the text alone), no slash at the end.
//
// Variables that are empty count as unset, and so do XDG_* with a relative path (XDG Base Directory). In the
// AWF_* ones relative paths start at the working folder and ~/ is the home folder. Where HOME is not set and nothing
// else names a folder of the user's, the project's .awf stands for it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/scope.h"
#include "domain/json.h"
#include "domain/text_files.h"

namespace awf {

struct Folders {
  std::vector<std::filesystem::path> workflows, prompts, scripts, plugins, skills, roles;
  std::filesystem::path config;  // $AWF_CONFIG_HOME, else $XDG_CONFIG_HOME/awf, else ~/.config/awf
  std::filesystem::path data;    // $XDG_DATA_HOME/awf, else ~/.local/share/awf

  static Folders From(const EnvironmentLookup& environment, const std::filesystem::path& working_dir);

  // The `awf` namespace: of each list the first folder, or "". `run_dir` may be empty.
  json::object Namespace(const std::filesystem::path& run_dir) const;

  // Absolute path of a file that a workflow names (prompt_file, script_file): `~/` is the home folder, a relative one
  // starts at the workflow file's folder (absolute); one below the first folder of a list that does not exist there is
  // looked up in the list's others. Whether the file is there at all is for the reader to say.
  std::filesystem::path Resolve(std::string_view written, const std::filesystem::path& workflow_folder,
                                const EnvironmentLookup& environment, TextFiles& files) const;
};

}  // namespace awf

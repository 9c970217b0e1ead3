// Project memory: the instruction files that a CLI would load by itself and that the intercepting recipe switches off.
//
// Read only; regular files up to 1 MiB, valid UTF-8 after repair. Anything else is left out and told, and so is a link
// out of the project: a repository must not pull a private file into the prompt.
//
// For claude: the user's CLAUDE.md, then, from the file system's root down to the working directory, CLAUDE.md,
// .claude/CLAUDE.md and CLAUDE.local.md of each folder, with the files that they import by @path (depth 5). For other
// CLIs: the files of MemoryFiles, as they are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace awf::agents {

struct ProjectMemory {
  std::string text;                   // each file under a heading "## PATH"; empty when there is none
  std::vector<std::string> warnings;  // files that were left out, with the reason
};

// `home` serves "~/" in imports; `config_dir` is the folder of the user's own CLAUDE.md.
ProjectMemory LoadClaudeMemory(const std::filesystem::path& config_dir, const std::filesystem::path& home,
                               const std::filesystem::path& working_dir);

// Where a CLI finds its instruction files.
struct MemoryFiles {
  std::vector<std::filesystem::path> of_user;  // absolute paths; they come first
  // Relative to a folder ("AGENTS.md"): taken from every folder, from the outermost one to the working directory, and
  // in each in this order.
  std::vector<std::string> in_folders;
  // Likewise, where no folder has any of those: the first of these names that some folder has.
  std::vector<std::string> otherwise{};
  // The outermost folder is the top of the git work tree; without one it is the working directory, or "/" with this.
  bool from_root = false;
};

// Without imports. An empty path in `of_user` stands for no file.
ProjectMemory LoadMemory(const MemoryFiles& files, const std::filesystem::path& working_dir);

}  // namespace awf::agents

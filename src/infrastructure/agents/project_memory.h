// Project memory: the instruction files that a CLI would load by itself and that the intercepting recipe switches off.
//
// For claude: the user's CLAUDE.md, then, from the file system's root down to the working directory, CLAUDE.md,
// .claude/CLAUDE.md and CLAUDE.local.md of each folder, with the files that they import by @path (depth 5). Read only;
// regular files up to 1 MiB, valid UTF-8 after repair. Anything else is left out and told.
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

}  // namespace awf::agents

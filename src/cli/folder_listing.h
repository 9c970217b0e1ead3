// What lies in the folders where awf looks for what a user names: workflows, prompts. An earlier folder hides what has
// the same name in a later one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/folders.h"
#include "application/language/scope.h"

namespace awf::cli {

struct ListedFile {
  std::string name;            // below its folder, without the ending that was asked for
  std::filesystem::path path;  // absolute
  std::string source;          // local (.awf of the working directory), global (the user's), env (of the variable)
  bool shadowed = false;       // one of the same name is found first
};

// Regular files below the folders that end in `ending` (empty: all), at any depth, by name, those found first before
// those that they hide. Folders that do not exist hold nothing; hidden files are left out. `from_variable`: an
// environment variable names the folders; else `local` is the one of the project.
std::vector<ListedFile> ListFolders(const std::vector<std::filesystem::path>& folders, std::string_view ending,
                                    bool from_variable, const std::filesystem::path& local);

}  // namespace awf::cli

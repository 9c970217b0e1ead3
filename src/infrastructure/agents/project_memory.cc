#include "infrastructure/agents/project_memory.h"

#include <algorithm>
#include <climits>
#include <set>
#include <string_view>

#include "domain/utf8.h"
#include "infrastructure/agents/regular_file.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr int kImportDepth = 5;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The paths named by @path at the start of a word, outside code spans and fenced blocks.
std::vector<std::string> Imports(std::string_view text) {
  std::vector<std::string> paths;
  bool fenced = false;
  while (!text.empty()) {
    const std::size_t feed = text.find('\n');
    const std::string_view line = text.substr(0, feed);
    text.remove_prefix(feed == std::string_view::npos ? text.size() : feed + 1);
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string_view::npos &&
        (line.substr(first).starts_with("```") || line.substr(first).starts_with("~~~"))) {
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    bool code = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == '`') code = !code;
      if (code || line[at] != '@' || (at > 0 && !IsSpace(line[at - 1]))) continue;
      std::size_t end = at + 1;
      while (end < line.size() && !IsSpace(line[end])) ++end;
      std::string_view path = line.substr(at + 1, end - at - 1);
      // A sentence's punctuation is not part of the name.
      while (path.ends_with(',') || path.ends_with(';') || path.ends_with(':') || path.ends_with(')')) {
        path.remove_suffix(1);
      }
      // What is longer names no file, and would take long to be looked for.
      if (!path.empty() && path.size() < PATH_MAX) paths.emplace_back(path);
      at = end - 1;
    }
  }
  return paths;
}

bool IsUnder(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

// The top of the git work tree around `folder`; empty when there is none.
fs::path WorkTree(const fs::path& folder) {
  std::error_code error;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", error)) return at;
    if (at == at.parent_path()) return {};
  }
}

// The same, else the folder itself.
fs::path ProjectRoot(const fs::path& folder) {
  fs::path tree = WorkTree(folder);
  return tree.empty() ? folder : tree;
}

class Collector {
 public:
  explicit Collector(fs::path base) : base_(std::move(base)) {}

  // Files that others name by @path are added too; `home` serves "~/" in these paths.
  void FollowImports(fs::path home) {
    home_ = std::move(home);
    imports_ = true;
  }

  // From here on files must really lie in one of these folders: a repository must not pull a private file into the
  // prompt by an import or a link. (A file in its default place may lie in any folder above the working directory.)
  void ConfineTo(std::vector<fs::path> folders) { folders_ = std::move(folders); }

  // A file that is looked for by default; `depth` > 0: one that another file imports.
  void Add(const fs::path& path, int depth) {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    if (!seen_.insert(error ? path.string() : real.string()).second) return;
    if (!Allowed(real, depth == 0 ? path.parent_path() : fs::path())) {
      if (fs::exists(path, error))
        memory_.warnings.push_back(Shown(path) + " was left out: it lies outside the project");
      return;
    }
    const auto text = ReadRegularFile(path);
    if (!text) {
      if (!text.error().empty()) memory_.warnings.push_back(Shown(path) + " was left out: " + text.error());
      return;
    }
    const std::string valid = RepairUtf8(*text);
    Append(path, valid);
    if (imports_) {
      for (const std::string& import : Imports(valid)) AddImport(path, import, depth);
    }
  }

  ProjectMemory Take() { return std::move(memory_); }

 private:
  void AddImport(const fs::path& from, const std::string& import, int depth) {
    if (depth >= kImportDepth) {
      memory_.warnings.push_back("@" + import + " in " + Shown(from) + " was left out: imports nest deeper than " +
                                 std::to_string(kImportDepth));
      return;
    }
    fs::path target = import;
    if (import.starts_with("~/")) target = home_ / import.substr(2);
    if (target.is_relative()) target = from.parent_path() / target;
    // An @word that names no file is no import: mail addresses, decorators, handles.
    Add(target.lexically_normal(), depth + 1);
  }

  bool Allowed(const fs::path& real, const fs::path& own_folder) const {
    if (folders_.empty() || (!own_folder.empty() && IsUnder(real, own_folder))) return true;
    for (const fs::path& folder : folders_) {
      if (IsUnder(real, folder)) return true;
    }
    return false;
  }

  void Append(const fs::path& path, std::string_view text) {
    while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
    if (text.empty()) return;
    if (!memory_.text.empty()) memory_.text += "\n\n";
    memory_.text += "## " + Shown(path) + "\n\n";
    memory_.text += text;
  }

  // Relative to the working directory when the file lies in it.
  std::string Shown(const fs::path& path) const {
    const fs::path relative = path.lexically_relative(base_);
    return RepairUtf8(relative.empty() || *relative.begin() == ".." ? path.string() : relative.string());
  }

  fs::path home_, base_;
  bool imports_ = false;
  std::vector<fs::path> folders_;  // real paths; empty: no limit
  std::set<std::string> seen_;
  ProjectMemory memory_;
};

// The folders from `outermost` to `inner`, which lies in it; from the file system's root down where it is empty.
std::vector<fs::path> FoldersDownTo(const fs::path& inner, const fs::path& outermost) {
  std::vector<fs::path> folders;
  fs::path folder;
  for (const fs::path& part : inner.lexically_normal()) {
    if (part.empty()) continue;  // after a trailing slash
    folder /= part;
    if (outermost.empty() || IsUnder(folder, outermost)) folders.push_back(folder);
  }
  return folders;
}

bool HaveAny(const std::vector<fs::path>& folders, const std::vector<std::string>& names) {
  std::error_code error;
  return std::ranges::any_of(folders, [&](const fs::path& folder) {
    return std::ranges::any_of(names, [&](const std::string& name) { return fs::exists(folder / name, error); });
  });
}

}  // namespace

ProjectMemory LoadClaudeMemory(const fs::path& config_dir, const fs::path& home, const fs::path& working_dir) {
  Collector collector(working_dir);
  collector.FollowImports(home);
  if (!config_dir.empty()) collector.Add(config_dir / "CLAUDE.md", 0);
  std::error_code error;
  collector.ConfineTo({fs::weakly_canonical(ProjectRoot(working_dir), error), fs::weakly_canonical(config_dir, error)});
  for (const fs::path& folder : FoldersDownTo(working_dir, {})) {
    for (const char* name : {"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"}) collector.Add(folder / name, 0);
  }
  return collector.Take();
}

ProjectMemory LoadMemory(const MemoryFiles& files, const fs::path& working_dir) {
  Collector collector(working_dir);
  for (const fs::path& file : files.of_user) {
    if (!file.empty()) collector.Add(file, 0);
  }
  const fs::path folder_of_step = working_dir.lexically_normal();
  const fs::path tree = WorkTree(folder_of_step);
  std::error_code error;
  collector.ConfineTo({fs::weakly_canonical(tree.empty() ? folder_of_step : tree, error)});
  const std::vector<fs::path> folders =
      FoldersDownTo(folder_of_step, tree.empty() && !files.from_root ? folder_of_step : tree);
  std::vector<std::string> names = files.in_folders;
  for (const std::string& other : files.otherwise) {
    if (!HaveAny(folders, names)) names = {other};
  }
  for (const fs::path& folder : folders) {
    for (const std::string& name : names) collector.Add(folder / name, 0);
  }
  return collector.Take();
}

}  // namespace awf::agents

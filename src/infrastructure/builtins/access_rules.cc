#include "infrastructure/builtins/access_rules.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "infrastructure/builtins/git_layout.h"

namespace awf::builtins {
namespace {

namespace fs = std::filesystem;

// As far as the path exists it is resolved; the rest stays as it is.
std::string RealOrNormal(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(path, error);
  if (error) real = path.lexically_normal();
  std::string text = real.string();
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  return text;
}

std::string Variable(const ToolSettings& settings, std::string_view name) {
  for (const std::string& entry : settings.environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
  }
  return {};
}

// "/" is never taken from the environment: it would open everything.
void AddFolder(std::vector<std::string>& folders, const fs::path& folder) {
  if (!folder.is_absolute()) return;
  std::string real = RealOrNormal(folder);
  if (real != "/") folders.push_back(std::move(real));
}

// What package managers fill. Never a folder of executables.
void AddCaches(std::vector<std::string>& folders, const ToolSettings& settings) {
  constexpr std::array<std::string_view, 7> kBelowHome = {
      ".npm/_cacache", ".npm/_logs", ".cargo/registry", ".cargo/git", "go/pkg", ".m2/repository", ".gradle/caches"};
  const fs::path home = Variable(settings, "HOME");
  const fs::path xdg = Variable(settings, "XDG_CACHE_HOME");
  AddFolder(folders, xdg.is_absolute() ? xdg : home / ".cache");
  for (const std::string_view below : kBelowHome) AddFolder(folders, home / below);
}

void AddPrivate(std::vector<std::string>& folders, const ToolSettings& settings) {
  AddFolder(folders, settings.private_folder);
  const fs::path runtime = Variable(settings, "XDG_RUNTIME_DIR");
  if (runtime.is_absolute()) AddFolder(folders, runtime / "awf");
  AddFolder(folders, "/var/tmp/awf-" + std::to_string(::getuid()));
}

// The folders that a path leads through when a link stands in for one of them.
void AddPassages(std::vector<std::string>& passages, const fs::path& spelled) {
  for (fs::path folder = spelled.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    passages.push_back(RealOrNormal(folder));
}

bool UnderAny(std::string_view real, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(), [real](const std::string& f) { return IsUnder(real, f); });
}

bool IsPerProcess(std::string_view real) {
  constexpr std::string_view kProc = "/proc/";
  if (!real.starts_with(kProc)) return false;
  std::string_view name = real.substr(kProc.size());
  name = name.substr(0, name.find('/'));
  return name == "self" || name == "thread-self" ||
         (!name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos);
}

}  // namespace

bool IsUnder(std::string_view path, std::string_view folder) {
  if (folder == "/") return path.starts_with('/');
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

AccessRules::AccessRules(const ToolSettings& settings)
    : mode_(settings.sandbox.mode), root_(RealOrNormal(settings.root)) {
  const GitLayout git = FindGitLayout(root_);
  workspace_ = git.top.string();
  writable_.push_back(workspace_);
  for (const fs::path& directory : git.directories) writable_.push_back(directory.string());
  AddFolder(writable_, "/tmp");
  AddFolder(writable_, Variable(settings, "TMPDIR"));
  AddCaches(writable_, settings);
  for (const fs::path& folder : settings.sandbox.write) writable_.push_back(RealOrNormal(folder));

  readable_ = writable_;
  for (const std::string_view folder :
       {"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/libo32", "/opt"})
    AddFolder(readable_, folder);
  for (const fs::path& folder : settings.sandbox.read) readable_.push_back(RealOrNormal(folder));
  AddPrivate(private_, settings);

  AddPassages(passages_, settings.root.lexically_normal());
  for (const auto* folders : {&settings.sandbox.write, &settings.sandbox.read})
    for (const fs::path& folder : *folders) AddPassages(passages_, folder.lexically_normal());
}

bool AccessRules::IsSecret(std::string_view real) const {
  return mode_ != SandboxMode::kOff && (UnderAny(real, private_) || IsPerProcess(real));
}

bool AccessRules::MayRead(std::string_view real) const {
  if (mode_ == SandboxMode::kOff) return true;
  if (!real.starts_with('/') || IsSecret(real)) return false;
  return mode_ != SandboxMode::kStrict || UnderAny(real, readable_);
}

bool AccessRules::MayWrite(std::string_view real) const {
  if (mode_ == SandboxMode::kOff) return true;
  if (mode_ == SandboxMode::kReadOnly || !real.starts_with('/') || IsSecret(real)) return false;
  return UnderAny(real, writable_);
}

bool AccessRules::MayPass(std::string_view real) const {
  const auto leads_to = [real](const std::string& folder) { return IsUnder(folder, real); };
  return MayRead(real) || std::any_of(readable_.begin(), readable_.end(), leads_to) ||
         std::any_of(passages_.begin(), passages_.end(), leads_to);
}

}  // namespace awf::builtins

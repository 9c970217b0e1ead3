// AccessRules: which real paths the sandbox opens to the tools, as folders compared component by component
// (`/x/work-evil` is not under `/x/work`). Pure policy: it opens nothing after construction.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "domain/tool_settings.h"

namespace awf::builtins {

// True when `path` is `folder` or lies below it; both absolute and normal.
bool IsUnder(std::string_view path, std::string_view folder);

// Thread-safe; constant after construction.
class AccessRules {
 public:
  explicit AccessRules(const ToolSettings& settings);

  SandboxMode mode() const { return mode_; }
  const std::string& root() const { return root_; }            // real path
  const std::string& workspace() const { return workspace_; }  // real path

  bool MayRead(std::string_view real) const;
  bool MayWrite(std::string_view real) const;

  // True for what is refused in every mode but off: the private folders of runs, per-process entries of /proc.
  bool IsSecret(std::string_view real) const;

  // True when a path may lead through this folder: it is readable, or a folder that was configured lies below it, by
  // its real path or as it was spelled.
  bool MayPass(std::string_view real) const;

 private:
  SandboxMode mode_;
  std::string root_, workspace_;
  std::vector<std::string> writable_, readable_, private_;  // real paths; readable_ holds writable_ too
  std::vector<std::string> passages_;                       // folders on the way to the configured ones
};

}  // namespace awf::builtins

// Reading ignore files: those of one folder, and those of the folders above the start of a walk.
//
// Links are not followed, as git does; of a file at most 1 MiB counts. What cannot be read is not there. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "infrastructure/builtins/ignore_rules.h"

namespace awf::builtins {

// Which of them a folder has.
struct IgnoreFilesFound {
  bool gitignore = false;
  bool ignore = false;
  bool git = false;  // an entry .git: the top of a work tree

  void Note(std::string_view name);
  bool any() const { return gitignore || ignore || git; }
};

using MayRead = std::function<bool(std::string_view real)>;

// The rules of one folder; .git/info/exclude counts least, .ignore most. `real` is its path.
IgnoreRules ReadIgnoreRules(int folder, std::string_view real, const IgnoreFilesFound& found, const MayRead& may_read);

// What holds at the start of a walk because of the folders above it, up to the top of the work tree around it; without
// one, up to `workspace` if it lies in there.
struct RulesAbove {
  std::shared_ptr<const IgnoreChain> chain;
  bool below_top = false;  // there are folders above that count
  bool ignored = false;    // the start itself is ignored
};
RulesAbove ReadRulesAbove(const std::string& start, const std::string& workspace, const MayRead& may_read);

}  // namespace awf::builtins

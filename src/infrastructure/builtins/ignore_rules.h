// IgnoreRules: what the ignore files of one folder (.gitignore, .ignore, .git/info/exclude) say about its entries, with
// git's semantics; and IgnoreChain, the rules of a folder and of those above it.
//
// Most rules are a plain name or "*.suffix": those are looked up in a hash table, patterns are tried only where a later
// rule could still change the verdict. Constant after the last Add, so thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "infrastructure/builtins/glob_pattern.h"

namespace awf::builtins {

// Where a rule comes from, for the note that entries were left out.
enum class IgnoreSource : std::uint8_t { kGitignore, kIgnore, kExclude, kNodeModules };
std::string_view ToString(IgnoreSource source);

enum class IgnoreVerdict : std::uint8_t { kNone, kIgnore, kInclude };

struct IgnoreDecision {
  IgnoreVerdict verdict = IgnoreVerdict::kNone;
  IgnoreSource source = IgnoreSource::kGitignore;
};

class IgnoreRules {
 public:
  // Adds the rules of a file; later ones win. Lines that are no valid pattern are skipped, as git does.
  void Add(std::string_view text, IgnoreSource source);

  bool empty() const { return rules_.empty(); }
  // True when a rule `*` ignores the whole folder, without exceptions.
  bool ignores_all() const { return ignores_all_ && !includes_; }

  // `path` is relative to the folder of these rules.
  IgnoreDecision Judge(std::string_view path, bool is_folder) const;

 private:
  struct Rule {
    bool include = false;
    bool folders_only = false;
    IgnoreSource source = IgnoreSource::kGitignore;
  };
  struct PatternRule {
    std::size_t rule = 0;
    bool anchored = false;  // matched against the path, else against the base name
    GlobPattern pattern;
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  // Rules by what they look at, ascending.
  using Table = std::unordered_map<std::string, std::vector<std::size_t>, TextHash, std::equal_to<>>;

  void AddLine(std::string_view line, IgnoreSource source);
  // Raises `best` (rule index + 1) to the last rule of the table's entry that applies.
  void LookUp(const Table& table, std::string_view key, bool is_folder, std::size_t& best) const;

  std::vector<Rule> rules_;
  Table names_;                        // base name
  Table suffixes_;                     // from the last dot of the base name on
  std::vector<PatternRule> patterns_;  // everything else
  bool ignores_all_ = false;
  bool includes_ = false;  // some rule begins with "!"
};

// The rules that hold in a folder: its own, then those of the folders above.
struct IgnoreChain {
  std::shared_ptr<const IgnoreChain> above;
  std::size_t base = 0;  // length of the folder's absolute path with a slash at the end
  IgnoreRules rules;

  // `path` is absolute. The nearest folder with an opinion decides.
  IgnoreDecision Judge(std::string_view path, bool is_folder) const;
};

}  // namespace awf::builtins

// Any pattern, path and ignore file (separated by 0xFE bytes): matching must end, agree with the pruning of folders,
// and the last rule of an ignore file must win.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "infrastructure/builtins/glob_pattern.h"
#include "infrastructure/builtins/ignore_rules.h"
#include "infrastructure/builtins/literal_search.h"

namespace {

using namespace awf::builtins;

std::string_view TakePart(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\xFE'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// Relative, without empty or dotted components, as a walk makes them.
std::string WalkedPath(std::string_view text) {
  std::string path;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('/'), text.size());
    const std::string_view name = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (name.empty() || name == "." || name == ".." || name.find('\0') != std::string_view::npos) continue;
    if (!path.empty()) path += '/';
    path += name;
  }
  return path;
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\*?[]{},!#").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void CheckPattern(std::string_view pattern, const std::string& path) {
  for (const bool literal_brackets : {false, true}) {
    const auto compiled = GlobPattern::Compile(pattern, {.literal_brackets = literal_brackets});
    if (!compiled || path.empty() || !compiled->Matches(path)) continue;
    const auto any_case = GlobPattern::Compile(pattern, {.literal_brackets = literal_brackets, .ignore_case = true});
    const bool negated = pattern.find('[') != std::string_view::npos;
    if (!any_case || (!negated && !any_case->Matches(path))) std::abort();
    for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      if (compiled->ReachOf(std::string_view(path).substr(0, slash)) == GlobReach::kNone) std::abort();
    }
  }
}

void CheckRules(std::string_view text, const std::string& path) {
  IgnoreRules rules;
  rules.Add(text, IgnoreSource::kGitignore);
  rules.Judge(path, true);
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.find_first_of("\r\n ") != std::string::npos) return;
  rules.Add("\n" + Escaped(name) + "\n", IgnoreSource::kIgnore);
  if (rules.Judge(path, false).verdict != IgnoreVerdict::kIgnore) std::abort();
  rules.Add("!" + Escaped(name) + "\n", IgnoreSource::kExclude);
  if (rules.Judge(path, false).verdict != IgnoreVerdict::kInclude) std::abort();
}

void CheckLiteral(std::string_view literal, std::string_view text) {
  for (const bool ignore_case : {false, true}) {
    const std::string needle(literal.substr(0, 40));
    if (LiteralSearch(needle, ignore_case).Find(text, 0) !=
        LiteralSearch(needle, ignore_case, ScanEngine::kScalar).Find(text, 0))
      std::abort();
  }
  if (CountLineFeeds(text) != CountLineFeeds(text, ScanEngine::kScalar)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view pattern = TakePart(rest);
  const std::string path = WalkedPath(TakePart(rest));
  CheckPattern(pattern, path);
  // A pattern of more than 63 folders or 8 KiB is refused.
  if (!path.empty() && path.size() < 4000 && std::ranges::count(path, '/') < 60) {
    const auto itself = GlobPattern::Compile(Escaped(path));
    if (!itself || !itself->Matches(path)) std::abort();
    CheckRules(rest, path);
  }
  CheckLiteral(pattern, rest);
  return 0;
}

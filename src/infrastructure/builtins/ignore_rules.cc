#include "infrastructure/builtins/ignore_rules.h"

#include <algorithm>

namespace awf::builtins {
namespace {

std::string_view BaseName(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Trailing spaces do not count unless a backslash precedes them.
std::string_view WithoutTrailingSpaces(std::string_view line) {
  while (line.ends_with(' ')) {
    const std::string_view before = line.substr(0, line.size() - 1);
    const std::size_t text = before.find_last_not_of('\\');
    const std::size_t backslashes = before.size() - (text == std::string_view::npos ? 0 : text + 1);
    if (backslashes % 2 == 1) break;
    line = before;
  }
  return line;
}

// ".cc" of "*.cc", where a base name's text from its last dot on decides.
bool IsPlainSuffix(const GlobSegment& segment) {
  const std::string& text = segment.text();
  return segment.is_suffix() && text.size() > 1 && text[0] == '.' && text.find('.', 1) == std::string::npos;
}

}  // namespace

std::string_view ToString(IgnoreSource source) {
  switch (source) {
    case IgnoreSource::kGitignore:
      return ".gitignore";
    case IgnoreSource::kIgnore:
      return ".ignore";
    case IgnoreSource::kExclude:
      return ".git/info/exclude";
    case IgnoreSource::kNodeModules:
      return "node_modules";
  }
  return ".gitignore";
}

void IgnoreRules::Add(std::string_view text, IgnoreSource source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('#')) AddLine(WithoutTrailingSpaces(line), source);
  }
}

void IgnoreRules::AddLine(std::string_view line, IgnoreSource source) {
  Rule rule{.include = false, .folders_only = false, .source = source};
  if (line.starts_with('!')) {
    rule.include = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.folders_only = true;
    line.remove_suffix(1);
  }
  const bool anchored = line.find('/') != std::string_view::npos;
  if (line.starts_with('/')) line.remove_prefix(1);
  if (line.empty()) return;
  auto pattern = GlobPattern::Compile(line, {.braces = false});
  if (!pattern || pattern->alternatives()[0].segments().empty()) return;
  const std::size_t index = rules_.size();
  rules_.push_back(rule);
  if (rule.include) includes_ = true;

  const std::vector<GlobSegment>& segments = pattern->alternatives()[0].segments();
  // "**/x" is "x", and so is the name alone.
  const bool at_any_depth = segments.size() == 2 && segments[0].any_folders();
  const GlobSegment& last = segments.back();
  const bool by_name = !anchored || at_any_depth;
  if (by_name && last.everything() && !rule.include && !rule.folders_only) ignores_all_ = true;
  if (anchored && segments.size() == 1 && last.everything() && !rule.include) ignores_all_ = true;  // "/*"
  if (by_name && last.literal()) {
    names_[last.text()].push_back(index);
  } else if (by_name && IsPlainSuffix(last)) {
    suffixes_[last.text()].push_back(index);
  } else {
    patterns_.push_back({index, anchored, std::move(*pattern)});
  }
}

void IgnoreRules::LookUp(const Table& table, std::string_view key, bool is_folder, std::size_t& best) const {
  if (table.empty()) return;
  const auto found = table.find(key);
  if (found == table.end()) return;
  const std::vector<std::size_t>& rules = found->second;
  for (auto rule = rules.rbegin(); rule != rules.rend() && *rule + 1 > best; ++rule) {
    if (is_folder || !rules_[*rule].folders_only) best = *rule + 1;
  }
}

IgnoreDecision IgnoreRules::Judge(std::string_view path, bool is_folder) const {
  const std::string_view name = BaseName(path);
  std::size_t best = 0;  // index + 1 of the last rule that applies
  LookUp(names_, name, is_folder, best);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) LookUp(suffixes_, name.substr(dot), is_folder, best);
  for (auto one = patterns_.rbegin(); one != patterns_.rend() && one->rule + 1 > best; ++one) {
    if (rules_[one->rule].folders_only && !is_folder) continue;
    if (one->pattern.Matches(one->anchored ? path : name)) best = one->rule + 1;
  }
  if (best == 0) return {};
  const Rule& rule = rules_[best - 1];
  return {rule.include ? IgnoreVerdict::kInclude : IgnoreVerdict::kIgnore, rule.source};
}

IgnoreDecision IgnoreChain::Judge(std::string_view path, bool is_folder) const {
  for (const IgnoreChain* link = this; link != nullptr; link = link->above.get()) {
    if (path.size() <= link->base) continue;
    const IgnoreDecision decision = link->rules.Judge(path.substr(link->base), is_folder);
    if (decision.verdict != IgnoreVerdict::kNone) return decision;
  }
  return {};
}

}  // namespace awf::builtins

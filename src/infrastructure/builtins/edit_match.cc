#include "infrastructure/builtins/edit_match.h"

#include <algorithm>
#include <utility>

#include "infrastructure/builtins/find_bytes.h"

namespace awf::builtins {

Replacement Replacement::Literal(std::string_view text) {
  Replacement replacement;
  replacement.parts_.push_back({std::string(text), 0});
  return replacement;
}

Replacement Replacement::WithGroups(std::string_view text) {
  Replacement replacement;
  Part part;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] >= '1' && text[i + 1] <= '9') {
      part.group = text[++i] - '0';
      replacement.parts_.push_back(std::exchange(part, {}));
    } else {
      part.text.push_back(text[i]);
    }
  }
  replacement.parts_.push_back(std::move(part));
  return replacement;
}

int Replacement::HighestGroup() const {
  int highest = 0;
  for (const Part& part : parts_) highest = std::max(highest, part.group);
  return highest;
}

void Replacement::Append(std::string_view source, const std::vector<RegexGroup>& groups, std::string& out) const {
  for (const Part& part : parts_) {
    out += part.text;
    if (part.group == 0) continue;
    const RegexGroup& group = groups.at(static_cast<std::size_t>(part.group));
    if (group.begin != std::string_view::npos) out += source.substr(group.begin, group.end - group.begin);
  }
}

MatchFinder FindLiteral(std::string needle) {
  return [needle = std::move(needle)](std::string_view text, std::size_t from, std::vector<RegexGroup>& groups) {
    const std::size_t begin = FindBytes(text, needle, from);
    if (begin == std::string_view::npos) return false;
    groups.assign(1, RegexGroup{begin, begin + needle.size()});
    return true;
  };
}

MatchFinder FindRegex(std::shared_ptr<const Regex> regex) {
  return [regex = std::move(regex)](std::string_view text, std::size_t from, std::vector<RegexGroup>& groups) {
    return regex->Find(text, from, groups);
  };
}

std::string MatchCount::Lines() const {
  std::string list = lines.size() == 1 ? "line " : "lines ";
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
  return lines.size() > kMostLines ? list + ", ..." : list;
}

MatchCount CountMatches(std::string_view text, const MatchFinder& find) {
  MatchCount result;
  std::vector<RegexGroup> groups;
  std::size_t line = 1;
  std::size_t counted_to = 0;
  for (std::size_t from = 0; find(text, from, groups); from = groups[0].end) {
    if (groups[0].begin == groups[0].end) {
      result.empty_match = true;
      return result;
    }
    ++result.count;
    if (result.lines.size() > MatchCount::kMostLines) continue;
    const std::string_view passed = text.substr(counted_to, groups[0].begin - counted_to);
    line += static_cast<std::size_t>(std::count(passed.begin(), passed.end(), '\n'));
    counted_to = groups[0].begin;
    if (result.lines.empty() || result.lines.back() != line) result.lines.push_back(line);
  }
  return result;
}

std::expected<std::string, std::size_t> ReplaceMatches(std::string_view text, const MatchFinder& find,
                                                       const Replacement& replacement, std::size_t limit) {
  std::string out;
  out.reserve(text.size());
  std::vector<RegexGroup> groups;
  std::size_t from = 0;
  for (; find(text, from, groups); from = groups[0].end) {
    out += text.substr(from, groups[0].begin - from);
    replacement.Append(text, groups, out);
    if (out.size() > limit) return std::unexpected(out.size());
  }
  out += text.substr(from);
  if (out.size() > limit) return std::unexpected(out.size());
  return out;
}

}  // namespace awf::builtins

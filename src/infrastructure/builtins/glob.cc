#include "infrastructure/builtins/glob.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/builtins/file_outcome.h"
#include "infrastructure/builtins/glob_pattern.h"
#include "infrastructure/builtins/glob_search.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/search_notes.h"
#include "infrastructure/builtins/tool_schema.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kEntries = 100;
constexpr std::size_t kFullBudget = 40'000;   // for which kEntries is meant
constexpr std::size_t kNotes = 1000;          // characters kept free for notes
constexpr std::chrono::seconds kHintTime{2};  // a hint is not worth more
constexpr std::size_t kHintNames = 3;

// One call.
class Globbing {
 public:
  Globbing(const Confinement& confinement, const ResultBudget& budget, const ToolCall& call)
      : confinement_(confinement), budget_(budget), call_(call), pattern_(StringArgument(call.arguments, "pattern")) {
    query_.directory = call.arguments.contains("directory") ? StringArgument(call.arguments, "directory") : ".";
    query_.include_ignored = BooleanArgument(call.arguments, "include_ignored");
    query_.limit =
        std::clamp<std::size_t>(kEntries * std::min(budget.characters, budget.bytes) / kFullBudget, 1, kEntries);
    query_.deadline = call.deadline;
    query_.cancelled = call.cancelled;
  }

  ToolResult Run() {
    if (pattern_.empty()) return Fault("pattern is empty.");
    if (pattern_.find('\0') != std::string::npos) return Fault("pattern contains a NUL character.");
    const auto compiled = GlobPattern::Compile(pattern_);
    if (!compiled) return BadPattern(compiled.error());
    if (LeadsUpBehindWildcard(*compiled)) return BadPattern("\"..\" behind a wildcard or at the end");
    if (!compiled->alternatives().front().absolute()) {
      const auto directory = confinement_.OpenForSearch(query_.directory, "Directory");
      if (!directory) return FaultResult(directory.error(), budget_);
      if (!S_ISDIR(directory->status.st_mode)) return Fault(directory->shown + " is not a directory.");
      shown_directory_ = directory->shown;
    }
    found_ = FindGlobMatches(confinement_, *compiled, query_);
    if (found_.total == 0 && !found_.denied) TryLiterally();
    if (call_.cancelled.stop_requested()) return Fault(std::string(kCancelledText));
    if (found_.total == 0 && found_.denied) return FaultResult(*found_.denied, budget_);
    return found_.total == 0 ? Nothing() : Listing();
  }

 private:
  ToolResult Fault(std::string text) const { return FaultResult({std::move(text)}, budget_); }
  ToolResult BadPattern(const std::string& why) const {
    return Fault("Bad pattern " + ShownName(pattern_) + ": " + why + ".");
  }

  static bool LeadsUpBehindWildcard(const GlobPattern& pattern) {
    return std::ranges::any_of(pattern.alternatives(), [](const GlobPath& path) {
      const std::vector<GlobSegment>& segments = path.segments();
      return std::any_of(segments.begin() + static_cast<std::ptrdiff_t>(path.LiteralLead()), segments.end(),
                         [](const GlobSegment& segment) { return segment.literal() && segment.text() == ".."; });
    });
  }

  // Names like app/[id] and {{name}} are in use.
  void TryLiterally() {
    if (pattern_.find_first_of("[]{}") == std::string::npos) return;
    const auto literal = GlobPattern::Compile(pattern_, {.literal_brackets = true});
    if (!literal) return;
    GlobMatches found = FindGlobMatches(confinement_, *literal, query_);
    if (found.total > 0) found_ = std::move(found);
  }

  ToolResult Listing() {
    Notes notes;
    std::string body;
    json::array matches;
    std::size_t characters = 0;
    for (const std::string& path : found_.paths) {
      characters += CountCharacters(path) + 1;
      const bool fits = characters + kNotes <= std::max(budget_.characters, 2 * kNotes) &&
                        body.size() + path.size() + 1 + kNotes <= std::max(budget_.bytes, 2 * kNotes);
      if (!fits && !body.empty()) break;
      if (!body.empty()) body += '\n';
      body += path;
      matches.emplace_back(path);
    }
    const bool cut = matches.size() < found_.total;
    if (cut) {
      notes.Add(std::to_string(matches.size()) + " of " + (found_.walk.incomplete ? "more than " : "") +
                std::to_string(found_.total) + " files shown, newest first. Narrow the pattern.");
    }
    return Finish(body, std::move(notes), std::move(matches), cut);
  }

  ToolResult Nothing() {
    std::string text = "No files found for \"" + ShownName(pattern_) + "\" in \"" + shown_directory_ + "\".";
    if (!found_.missing.empty()) {
      text += " " + found_.missing;
    } else {
      text += Hint();
    }
    return Finish(text, {}, {}, false);
  }

  ToolResult Finish(std::string_view body, Notes notes, json::array matches, bool cut) {
    if (found_.walk.incomplete) notes.Add(std::string(kTimeNote));
    AddWalkNotes(found_.walk, notes);
    ToolResult result = MakeResult(body, notes, budget_);
    result.fields.truncated = cut || found_.walk.incomplete;
    result.fields.structured = {{"matches", std::move(matches)}};
    return result;
  }

  // What the model may have meant.
  std::string Hint() const {
    if (pattern_.starts_with('/')) return {};
    GlobQuery query = query_;
    query.deadline = Earlier(query.deadline, SteadyClock::now() + kHintTime);
    query.open_lead = false;
    query.limit = kHintNames;
    if (const auto any_case = GlobPattern::Compile(pattern_, {.ignore_case = true})) {
      const GlobMatches found = FindGlobMatches(confinement_, *any_case, query);
      if (found.total > 0) return " Only the case differs: " + NameList(found.paths, found.total) + ".";
    }
    query.open_lead = true;
    query.limit = 0;
    for (const std::string& other : {FolderContents(), AllLevels()}) {
      const auto compiled = GlobPattern::Compile(other);
      if (other.empty() || !compiled || FindGlobMatches(confinement_, *compiled, query).total == 0) continue;
      return " Hint: " + ShownName(other) + (other.ends_with("/**") ? " lists its files." : " searches all levels.");
    }
    return {};
  }

  // For a pattern that names a folder.
  std::string FolderContents() const {
    std::string folder = pattern_;
    while (folder.ends_with('/')) folder.pop_back();
    return folder.ends_with('*') || folder.empty() ? std::string() : folder + "/**";
  }

  std::string AllLevels() const {
    if (pattern_.find("**") != std::string::npos || pattern_.ends_with('/')) return {};
    const std::size_t slash = pattern_.rfind('/');
    return slash == std::string::npos ? "**/" + pattern_ : pattern_.substr(0, slash) + "/**" + pattern_.substr(slash);
  }

  const Confinement& confinement_;
  const ResultBudget& budget_;
  const ToolCall& call_;
  const std::string pattern_;
  std::string shown_directory_ = "/";
  GlobQuery query_;
  GlobMatches found_;
};

}  // namespace

GlobTool::GlobTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings)
    : confinement_(std::move(confinement)), budget_(settings.budget) {}

ToolDefinition GlobTool::Definition() const {
  ToolDefinition definition;
  definition.name = "Glob";
  definition.description =
      "Lists files whose path matches a pattern, newest first, at most 100. * and ? match within one folder, ** stands "
      "for any number of folders, [a-z], [!a] and {a,b} are understood. *.go is the top level alone: **/*.go searches "
      "all levels, src/** lists everything below src. Hidden files count; case matters. Only files are listed, no "
      "folders. What .gitignore excludes and node_modules are left out, unless the pattern or directory names them or "
      "include_ignored is set; a note tells that. To search file contents use Grep.";
  definition.input_schema = ObjectSchema(
      {{"pattern", "string", "Pattern such as **/*.ts or src/{a,b}/*.cc", true},
       {"directory", "string", "Folder in which the pattern starts (default: the working directory)"},
       {"include_ignored", "boolean", "Also list what .gitignore excludes and node_modules (default false)"}});
  definition.annotations = {.read_only = true, .destructive = {}, .idempotent = {}, .open_world = false};
  for (const char* name : {"path", "cwd", "dir_path"}) definition.rules.aliases.push_back({name, "directory"});
  definition.rules.aliases.push_back({"no_ignore", "include_ignored"});
  definition.rules.aliases.push_back({"respect_git_ignore", "include_ignored", ArgumentAlias::Transform::kNegate});
  definition.rules.ignored = IgnoredArguments();
  return definition;
}

ToolResult GlobTool::Call(const ToolCall& call) const { return Globbing(*confinement_, budget_, call).Run(); }

}  // namespace awf::builtins

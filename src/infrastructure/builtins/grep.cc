#include "infrastructure/builtins/grep.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "infrastructure/builtins/file_filter.h"
#include "infrastructure/builtins/file_list.h"
#include "infrastructure/builtins/file_outcome.h"
#include "infrastructure/builtins/grep_pattern.h"
#include "infrastructure/builtins/grep_run.h"
#include "infrastructure/builtins/grep_text.h"
#include "infrastructure/builtins/regex_fault_text.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/search_notes.h"
#include "infrastructure/builtins/tool_schema.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kCharacters = 30'000;  // of the answer, with the full budget
constexpr std::size_t kMaxNotes = 2'000;     // bytes kept free for notes
constexpr std::size_t kNoteLines = 20;       // likewise, lines
constexpr std::int64_t kLines = 250;         // head_limit
constexpr std::int64_t kMaxContext = 1'000;  // lines on either side

std::optional<GrepMode> ModeOf(std::string_view name) {
  if (name.empty() || name == "content") return GrepMode::kContent;
  if (name == "files_with_matches") return GrepMode::kFiles;
  if (name == "count") return GrepMode::kCount;
  return std::nullopt;
}

std::size_t ContextArgument(const json::object& arguments, std::string_view side) {
  const std::int64_t both = IntegerArgument(arguments, "context_lines", 0);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(IntegerArgument(arguments, side, both), 0, kMaxContext));
}

// One call.
class Grepping {
 public:
  Grepping(const Confinement& confinement, const ResultBudget& budget, const RegexCompiler& compiler,
           const ToolCall& call)
      : confinement_(confinement),
        budget_(budget),
        compiler_(compiler),
        call_(call),
        arguments_(call.arguments),
        pattern_(StringArgument(call.arguments, "pattern")) {}

  ToolResult Run() {
    if (pattern_.empty()) return Fault("pattern is empty; give a regular expression.");
    const auto mode = ModeOf(StringArgument(arguments_, "output_mode"));
    if (!mode) return Fault("output_mode must be content, files_with_matches or count.");
    SetLimits(*mode);
    const bool multiline = BooleanArgument(arguments_, "multiline");
    if (!multiline && WantsLineFeed(pattern_)) {
      return Fault("The pattern contains \\n, but a match lies within one line. Set multiline to search across lines.");
    }
    auto compiled = GrepPattern::Compile(
        compiler_, pattern_,
        {.case_insensitive = BooleanArgument(arguments_, "case_insensitive"), .multiline = multiline});
    if (!compiled) return Fault(RegexFaultText(pattern_, compiled.error(), compiler_));

    const std::string path(arguments_.contains("path") ? StringArgument(arguments_, "path") : ".");
    const auto start = confinement_.OpenForSearch(path, "Path");
    if (!start) return FaultResult(start.error(), budget_);
    if (S_ISDIR(start->status.st_mode)) return SearchFolder(*compiled, *start);
    if (!S_ISREG(start->status.st_mode)) return Fault(start->shown + " is not a regular file.");
    return SearchFile(*compiled, *start);
  }

 private:
  ToolResult Fault(std::string text) const { return FaultResult({std::move(text)}, budget_); }

  void SetLimits(GrepMode mode) {
    const std::int64_t lines = IntegerArgument(arguments_, "head_limit", kLines);
    limits_.lines = lines <= 0 ? std::numeric_limits<std::size_t>::max() : static_cast<std::size_t>(lines);
    limits_.characters = std::min(kCharacters, budget_.characters / 4 * 3);
    limits_.bytes = budget_.bytes - std::min(budget_.bytes / 4, kMaxNotes);
    limits_.text_lines = LinesLeft(budget_, kNoteLines);
    run_.mode = mode;
    run_.before = ContextArgument(arguments_, "before");
    run_.after = ContextArgument(arguments_, "after");
    run_.max_lines = limits_.lines;
    run_.max_text = 2 * limits_.bytes;  // it is counted generously
    run_.deadline = call_.deadline;
    run_.cancelled = call_.cancelled;
    limits_.context = run_.before + run_.after > 0;
    limits_.after = run_.after;
  }

  ToolResult SearchFile(const GrepPattern& pattern, const OpenedPath& file) {
    const GrepReport report = GrepRun(pattern, run_).File(file.fd.get());
    if (report.unreadable_count > 0) return Fault(file.shown + " cannot be read.");
    if (report.too_large_count > 0)
      return Fault(file.shown + " is larger than 64 MiB; multiline searches files up to that size.");
    return Answer(report, {}, file.shown, [&](std::size_t) { return file.shown; });
  }

  ToolResult SearchFolder(const GrepPattern& pattern, const OpenedPath& folder) {
    FileFilter filter;
    const std::string_view glob = StringArgument(arguments_, "glob");
    if (!glob.empty()) {
      // Outside of the root a path from the root would not be a path below it: there the folder takes its place.
      const bool below_root = folder.shown != "." && !folder.shown.starts_with('/');
      auto compiled = FileFilter::Compile(GlobBelowRoot(glob), below_root ? folder.shown : "");
      if (!compiled) return Fault("Bad pattern " + ShownName(glob) + ": " + compiled.error() + ".");
      filter = std::move(*compiled);
    }
    FileList list(filter);
    WalkOptions options;
    options.ignore_rules = !BooleanArgument(arguments_, "include_ignored");
    options.workspace = confinement_.workspace();
    options.may_read = [this](std::string_view real) { return confinement_.MayRead(real); };
    options.deadline = call_.deadline;
    options.cancelled = call_.cancelled;
    WalkReport walk = Walk(folder.fd.get(), folder.real, options, list);
    list.Sort();
    for (std::string& name : walk.unreadable_names) name = ShownBelow(folder.shown, name);

    GrepReport report = GrepRun(pattern, run_).Files(folder.fd.get(), list);
    for (std::string& name : report.unreadable) name = ShownBelow(folder.shown, name);
    for (std::string& name : report.too_large) name = ShownBelow(folder.shown, name);
    if (list.full()) list_full_ = true;
    no_file_ = list.size() == 0 && !glob.empty();
    return Answer(report, walk, folder.shown, [&](std::size_t index) {
      std::string path;
      list.PathAt(index, path);
      return ShownBelow(folder.shown, path);
    });
  }

  // An absolute pattern that leads into the root becomes one from the root; its slash stays.
  std::string_view GlobBelowRoot(std::string_view glob) const {
    const std::string& root = confinement_.root();
    if (glob.starts_with(root + "/")) glob.remove_prefix(root.size());
    return glob;
  }

  ToolResult Answer(const GrepReport& report, const WalkReport& walk, const std::string& shown_start,
                    const ShownPath& shown_path) {
    if (call_.cancelled.stop_requested()) return Fault(std::string(kCancelledText));
    GrepText text;
    if (report.matches == 0) {
      text.body = "No matches for \"" + ShownName(pattern_) + "\" in \"" + shown_start + "\".";
      text.body += no_file_
                       ? " No file there matches the glob \"" + ShownName(StringArgument(arguments_, "glob")) + "\"."
                       : LiteralHint(pattern_, compiler_);
    } else if (run_.mode == GrepMode::kContent) {
      text = RenderContent(report, limits_, shown_path);
    } else if (run_.mode == GrepMode::kFiles) {
      text = RenderFiles(report, limits_, shown_path);
    } else {
      text = RenderCounts(report, limits_, shown_path);
    }
    Notes notes;
    const bool cut = AddNotes(report, walk, text.shown, notes);
    ToolResult result = MakeResult(text.body, notes, budget_);
    result.fields.truncated = cut;
    result.fields.structured = {{"matches", std::move(text.matches)}};
    return result;
  }

  // True when something was left out.
  bool AddNotes(const GrepReport& report, const WalkReport& walk, std::uint64_t shown, Notes& notes) const {
    const bool by_match = run_.mode == GrepMode::kContent;
    const std::uint64_t total = by_match ? report.matches : report.matched_files;
    const bool incomplete = report.incomplete || walk.incomplete;
    if (shown < total) {
      notes.Add(std::to_string(shown) + " of " + (incomplete ? "more than " : "") + std::to_string(total) +
                (by_match ? " matches" : " files") + " shown. Narrow the pattern or path.");
    }
    if (list_full_) {
      notes.Add("Only the first " + std::to_string(kMaxListedFiles) + " files found were searched. Narrow the path.");
    } else if (incomplete && shown == total) {
      notes.Add(std::string(kTimeNote));
    }
    AddWalkNotes(walk, notes);
    if (report.unreadable_count > 0) {
      notes.Add(Counted(report.unreadable_count, "unreadable file", "unreadable files") +
                " skipped: " + NameList(report.unreadable, report.unreadable_count));
    }
    if (report.too_large_count > 0) {
      notes.Add(Counted(report.too_large_count, "file", "files") +
                " larger than 64 MiB not searched (multiline): " + NameList(report.too_large, report.too_large_count));
    }
    return shown < total || incomplete || report.too_large_count > 0;
  }

  const Confinement& confinement_;
  const ResultBudget& budget_;
  const RegexCompiler& compiler_;
  const ToolCall& call_;
  const json::object& arguments_;
  const std::string pattern_;
  GrepTextLimits limits_;
  GrepRunOptions run_;
  bool no_file_ = false;  // none matches the glob
  bool list_full_ = false;
};

}  // namespace

GrepTool::GrepTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings,
                   const RegexCompiler& compiler)
    : confinement_(std::move(confinement)), budget_(settings.budget), compiler_(compiler) {}

ToolDefinition GrepTool::Definition() const {
  ToolDefinition definition;
  definition.name = "Grep";
  definition.description =
      "Searches file contents for a regular expression (RE2 syntax; escape ( ) [ ] { } . * + ? | ^ $ \\ for a literal "
      "search). Shows each file's name once, then number:text for matching lines and number-text for context. "
      "path may be a folder, which is searched with all subfolders, or a file. glob narrows it to files: *.ts by name "
      "at "
      "any depth, src/**/*.ts by path. output_mode files_with_matches lists paths only, count gives numbers. A match "
      "lies within one line unless multiline is set. Hidden files count; binary files, what .gitignore excludes and "
      "node_modules are left out, unless path names them or include_ignored is set; notes at the end tell what was "
      "left "
      "out or cut.";
  definition.input_schema = ObjectSchema(
      {{"pattern", "string", "Regular expression to search for", true},
       {"path", "string", "Folder or file to search (default: the working directory)"},
       {"context_lines", "integer", "Lines of context to show before and after each match (default 0)"},
       {"glob", "string", "Search only files that match, such as *.{ts,tsx} or src/**/*.py"},
       {"case_insensitive", "boolean", "Ignore case (default false)"},
       {"output_mode", "string", "content (default), files_with_matches or count"},
       {"head_limit", "integer", "How many matching lines to show (default 250; 0: as many as fit)"},
       {"multiline", "boolean", "Let a match run over several lines (default false)"},
       {"include_ignored", "boolean", "Also search what .gitignore excludes and node_modules (default false)"}});
  json::object& properties = definition.input_schema["properties"].as_object();
  properties["output_mode"].as_object()["enum"] = {"content", "files_with_matches", "count"};
  for (const char* name : {"context_lines", "head_limit"}) properties[name].as_object()["minimum"] = 0;
  definition.annotations = {.read_only = true, .destructive = {}, .idempotent = {}, .open_world = false};

  std::vector<ArgumentAlias>& aliases = definition.rules.aliases;
  aliases = PathAliases();
  for (const char* name : {"directory", "dir_path"}) aliases.push_back({name, "path"});
  for (const char* name : {"include", "include_pattern"}) aliases.push_back({name, "glob"});
  for (const char* name : {"context", "-C"}) aliases.push_back({name, "context_lines"});
  for (const char* name : {"-i", "ignore_case"}) aliases.push_back({name, "case_insensitive"});
  aliases.push_back({"case_sensitive", "case_insensitive", ArgumentAlias::Transform::kNegate});
  aliases.push_back({"no_ignore", "include_ignored"});
  aliases.push_back({"respect_git_ignore", "include_ignored", ArgumentAlias::Transform::kNegate});
  aliases.push_back({"-A", "after"});
  aliases.push_back({"-B", "before"});
  for (const char* name : {"after", "before"}) definition.rules.hidden[name] = {{"type", "integer"}, {"minimum", 0}};
  definition.rules.ignored = IgnoredArguments();
  return definition;
}

ToolResult GrepTool::Call(const ToolCall& call) const {
  return Grepping(*confinement_, budget_, compiler_, call).Run();
}

}  // namespace awf::builtins

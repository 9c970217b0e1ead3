// awf list: the workflows that can be run by name; awf list prompts: the prompt files.
#include <algorithm>
#include <cstdio>
#include <system_error>

#include "cli/commands.h"
#include "cli/finding_text.h"
#include "cli/folder_listing.h"
#include "cli/print_result.h"
#include "cli/run_setup.h"
#include "cli/text_table.h"
#include "domain/terminal_text.h"
#include "infrastructure/regex/re2_regex.h"
#include "infrastructure/telemetry/kept_files.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWorkflowEnding = ".yaml";

struct ListedWorkflow {
  ListedFile file;
  std::string title, version, description;  // `title` is the name inside the file
  int errors = 0;
  std::string first_error;
};

// Short where it can be.
std::string ShownPath(const fs::path& path, const fs::path& working_dir) {
  const fs::path relative = path.lexically_relative(working_dir);
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

std::vector<ListedWorkflow> Workflows(const Folders& folders, const fs::path& working_dir) {
  Re2Compiler regexes;
  telemetry::PlainFiles files;
  std::vector<ListedWorkflow> workflows;
  for (ListedFile& file :
       ListFolders(folders.workflows, kWorkflowEnding, NonEmptyVariable("AWF_WORKFLOWS_PATH").has_value(),
                   working_dir / ".awf" / "workflows")) {
    ListedWorkflow entry;
    const LoadedWorkflow loaded = LoadWorkflow(file.path.string(), {ProcessEnvironment, &regexes, &files, folders});
    if (loaded.workflow) {
      entry.title = loaded.workflow->name;
      entry.version = loaded.workflow->version;
      entry.description = loaded.workflow->description;
    }
    for (const Finding& finding : loaded.findings) {
      if (finding.severity != Severity::kError) continue;
      if (entry.errors++ == 0) entry.first_error = finding.error.code + ": " + finding.error.message;
    }
    entry.file = std::move(file);
    workflows.push_back(std::move(entry));
  }
  return workflows;
}

std::string Described(const ListedWorkflow& entry) {
  if (entry.errors > 0) {
    const std::string more = entry.errors > 1 ? " (and " + std::to_string(entry.errors - 1) + " more)" : "";
    return "INVALID: " + entry.first_error + more;
  }
  return entry.description;
}

std::string SourceText(const ListedFile& file) { return file.source + (file.shadowed ? ", hidden" : ""); }

std::string WorkflowTable(const std::vector<ListedWorkflow>& workflows, const fs::path& working_dir,
                          const LineStyle& style) {
  TextTable table({{"name"}, {"version"}, {"description", false, true}, {"source"}, {"path", false, true}});
  for (const ListedWorkflow& entry : workflows) {
    table.Add({entry.file.name, entry.version, Described(entry), SourceText(entry.file),
               ShownPath(entry.file.path, working_dir)},
              entry.errors > 0      ? "31"
              : entry.file.shadowed ? "2"
                                    : "");
  }
  return table.Render(style);
}

std::string WorkflowJson(const std::vector<ListedWorkflow>& workflows) {
  json::array list;
  for (const ListedWorkflow& entry : workflows) {
    json::object out{{"name", JsonText(entry.file.name)},  {"title", JsonText(entry.title)},
                     {"version", JsonText(entry.version)}, {"description", JsonText(entry.description)},
                     {"source", entry.file.source},        {"path", JsonText(entry.file.path.string())},
                     {"shadowed", entry.file.shadowed},    {"valid", entry.errors == 0}};
    if (entry.errors > 0) out["error"] = JsonText(entry.first_error);
    list.push_back(std::move(out));
  }
  return JsonLine(list);
}

std::string PromptTable(const std::vector<ListedFile>& prompts, const fs::path& working_dir, const LineStyle& style) {
  TextTable table({{"name"}, {"bytes", true}, {"source"}, {"path", false, true}});
  for (const ListedFile& file : prompts) {
    std::error_code gone;
    const std::uintmax_t size = fs::file_size(file.path, gone);
    table.Add({file.name, gone ? "-" : std::to_string(size), SourceText(file), ShownPath(file.path, working_dir)},
              file.shadowed ? "2" : "");
  }
  return table.Render(style);
}

std::string PromptJson(const std::vector<ListedFile>& prompts) {
  json::array list;
  for (const ListedFile& file : prompts) {
    list.push_back({{"name", JsonText(file.name)},
                    {"source", file.source},
                    {"path", JsonText(file.path.string())},
                    {"shadowed", file.shadowed}});
  }
  return JsonLine(list);
}

// What can be named: a hidden one cannot.
std::string Names(const std::vector<ListedFile>& files) {
  std::string text;
  for (const ListedFile& file : files)
    if (!file.shadowed) text += PrintableLine(file.name) + "\n";
  return text;
}

// Says so where there is nothing, and where it would be.
void TellNone(const char* what, const std::vector<fs::path>& folders, const GlobalOptions& global) {
  if (global.quiet) return;
  std::string text = std::string("no ") + what + " in ";
  for (std::size_t i = 0; i < folders.size(); ++i) text += (i == 0 ? "" : ", ") + folders[i].string();
  std::fputs((PrintableLine(text) + "\n").c_str(), stderr);
}

int ListWorkflows(const Folders& folders, const fs::path& working_dir, const GlobalOptions& global) {
  if (global.quiet || global.format == OutputFormat::kQuiet) {
    return PrintResult(Names(ListFolders(folders.workflows, kWorkflowEnding, false, {})), global);
  }
  const std::vector<ListedWorkflow> workflows = Workflows(folders, working_dir);
  if (workflows.empty()) TellNone("workflows", folders.workflows, global);
  if (global.format == OutputFormat::kJson) return PrintResult(WorkflowJson(workflows), global);
  return workflows.empty() ? 0 : PrintResult(WorkflowTable(workflows, working_dir, StyleOfStdout(global)), global);
}

int ListPrompts(const Folders& folders, const fs::path& working_dir, const GlobalOptions& global) {
  const std::vector<ListedFile> prompts = ListFolders(
      folders.prompts, {}, NonEmptyVariable("AWF_PROMPTS_PATH").has_value(), working_dir / ".awf" / "prompts");
  if (global.quiet || global.format == OutputFormat::kQuiet) return PrintResult(Names(prompts), global);
  if (prompts.empty()) TellNone("prompts", folders.prompts, global);
  if (global.format == OutputFormat::kJson) return PrintResult(PromptJson(prompts), global);
  return prompts.empty() ? 0 : PrintResult(PromptTable(prompts, working_dir, StyleOfStdout(global)), global);
}

}  // namespace

int ListCommand(const ListOptions& options) {
  const auto working_dir = WorkingDirectory();
  if (!working_dir) return ReportErrors({working_dir.error()}, options.global);
  const Folders folders = Folders::From(ProcessEnvironment, *working_dir);
  return options.prompts ? ListPrompts(folders, *working_dir, options.global)
                         : ListWorkflows(folders, *working_dir, options.global);
}

}  // namespace awf::cli

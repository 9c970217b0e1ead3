// awf validate WF|FILE, awf validate --dir DIR: all findings at once, as blocks on stderr or as JSON on stdout.
// Offline. Starts nothing but plugins whose operations are not known, and those only where PluginCatalogue may.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "application/validation/findings.h"
#include "cli/commands.h"
#include "cli/finding_text.h"
#include "cli/masking.h"
#include "cli/plugin_catalogue.h"
#include "cli/print_result.h"
#include "cli/run_setup.h"
#include "domain/error_catalogue.h"
#include "infrastructure/regex/re2_regex.h"
#include "infrastructure/telemetry/kept_files.h"
#include "infrastructure/yaml/workflow_loader.h"

namespace awf::cli {
namespace {

// One file, checked.
struct Checked {
  std::string file;
  LoadedWorkflow loaded;
  int exit_code = 0;
};

int ExitCode(const std::vector<Finding>& findings, bool strict) {
  int exit_code = 0;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::kError) continue;
    const int code = ExitCodeOf(finding.error.code);
    exit_code = exit_code == 0 ? code : std::min(exit_code, code);
  }
  const bool warned =
      std::ranges::any_of(findings, [](const Finding& finding) { return finding.severity == Severity::kWarning; });
  return exit_code == 0 && strict && warned ? kStrictExit : exit_code;
}

class Validation {
 public:
  explicit Validation(const ValidateOptions& options) : options_(options) {
    std::error_code ignored;
    const std::filesystem::path working_dir = std::filesystem::current_path(ignored);
    folders_ = Folders::From(ProcessEnvironment, working_dir);
    plugins_.emplace(PluginPlaces(folders_, working_dir, options.global), options.config);
    catalogue_.emplace(*plugins_, options.start_plugins ? MayStart::kAll : MayStart::kUserInstalled);
  }

  Checked Check(const std::string& name_or_path) {
    auto path = FindWorkflow(name_or_path, folders_);
    if (!path) return {name_or_path, {{}, {}, {{Severity::kError, path.error()}}}, ExitCodeOf(path.error().code)};
    LoadedWorkflow loaded =
        LoadWorkflow(*path, {ProcessEnvironment, &regexes_, &files_, folders_, &options_.config.providers,
                             options_.skip_plugins ? nullptr : &*catalogue_});
    if (!warned_) std::ranges::move(plugins_->Warnings(), std::back_inserter(loaded.findings));
    warned_ = warned_ || !plugins_->Warnings().empty();
    const int exit_code = ExitCode(loaded.findings, options_.strict);
    const auto masker = options_.global.masker ? options_.global.masker : MaskerOfErrors(options_.config);
    for (Finding& finding : loaded.findings) finding.error = MaskedError(std::move(finding.error), *masker);
    return {std::move(*path), std::move(loaded), exit_code};
  }

 private:
  const ValidateOptions& options_;
  Folders folders_;
  Re2Compiler regexes_;
  telemetry::PlainFiles files_;
  std::optional<PluginSession> plugins_;
  std::optional<PluginCatalogue> catalogue_;
  bool warned_ = false;  // with the first file of what concerns all
};

json::object ReportOf(const Checked& checked, const GlobalOptions& global) {
  json::array errors, warnings;
  for (const Finding& finding : checked.loaded.findings) {
    json::object entry = FindingJson(finding.error);
    if (global.no_hints) entry["hint"] = "";
    if (finding.severity == Severity::kError) {
      errors.push_back(std::move(entry));
    } else if (finding.severity == Severity::kWarning) {
      warnings.push_back(std::move(entry));
    }
  }
  return {{"valid", checked.exit_code == 0},
          {"workflow", JsonText(checked.loaded.workflow ? checked.loaded.workflow->name : "")},
          {"file", JsonText(checked.file)},
          {"errors", std::move(errors)},
          {"warnings", std::move(warnings)}};
}

void PrintFindings(const Checked& checked, const GlobalOptions& global) {
  bool first = true;
  for (const Finding& finding : checked.loaded.findings) {
    if (finding.severity == Severity::kNote && !global.verbose) continue;
    const std::string block = ErrorBlock(finding.error, finding.severity, !global.no_hints);
    std::fputs(((first ? "" : "\n") + block).c_str(), stderr);
    first = false;
  }
}

int ValidateOne(const ValidateOptions& options) {
  const Checked checked = Validation(options).Check(options.workflow);
  if (options.global.format == OutputFormat::kJson)
    return PrintResult(JsonLine(ReportOf(checked, options.global)), options.global, checked.exit_code);
  PrintFindings(checked, options.global);
  const bool told = checked.exit_code == 0 && !options.global.quiet;
  return PrintResult(told ? checked.file + ": valid\n" : "", options.global, checked.exit_code);
}

// The workflow files of a folder, by name; of what is below it none, as a name of a workflow leads to none either.
std::expected<std::vector<std::string>, Error> FilesOf(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code cause;
  for (std::filesystem::directory_iterator at(folder, cause), end; !cause && at != end; at.increment(cause)) {
    const std::filesystem::path extension = at->path().extension();
    if ((extension == ".yaml" || extension == ".yml") && !at->is_directory()) files.push_back(at->path().string());
  }
  if (cause) return Fail("USER.WORKFLOW.NOT_FOUND", "cannot read the folder " + folder + ": " + cause.message());
  if (files.empty()) return Fail("USER.WORKFLOW.NOT_FOUND", "there is no .yaml or .yml file in " + folder);
  std::ranges::sort(files);
  return files;
}

std::string Count(std::size_t count, const char* what) { return std::to_string(count) + " " + what; }

int ValidateFolder(const ValidateOptions& options) {
  const auto files = FilesOf(options.folder);
  if (!files) return ReportErrors({files.error()}, options.global);
  const bool as_json = options.global.format == OutputFormat::kJson;
  Validation validation(options);
  json::array reports;
  std::size_t failed = 0;
  int worst = 0, lost = 0;
  for (const std::string& file : *files) {
    const Checked checked = validation.Check(file);
    // As within a file: the first by class order.
    if (checked.exit_code != 0) worst = worst == 0 ? checked.exit_code : std::min(worst, checked.exit_code);
    failed += checked.exit_code != 0 ? 1U : 0U;
    if (as_json) {
      reports.emplace_back(ReportOf(checked, options.global));
      continue;
    }
    PrintFindings(checked, options.global);
    if (!options.global.quiet && lost == 0)
      lost = PrintResult(std::string(checked.exit_code == 0 ? "OK    " : "FAIL  ").append(file).append("\n"),
                         options.global);
  }
  if (lost != 0) return worst == 0 ? lost : worst;
  const json::object report{{"valid", failed == 0}, {"failed", failed}, {"files", std::move(reports)}};
  const std::string summary = Count(files->size(), files->size() == 1 ? "file: " : "files: ") +
                              Count(files->size() - failed, "OK, ") + Count(failed, "FAIL") + "\n";
  return PrintResult(as_json ? JsonLine(report) : summary, options.global, worst);
}

}  // namespace

int ValidateCommand(const ValidateOptions& options) {
  if (options.skip_plugins && !options.global.quiet)
    std::fprintf(stderr, "Warning: %s\n", std::string(kPluginsSkipped).c_str());
  return options.folder.empty() ? ValidateOne(options) : ValidateFolder(options);
}

}  // namespace awf::cli

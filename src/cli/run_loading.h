// What a run is made of before anything of it is written: the checked workflow, its inputs, the places where it looks
// for files. The same way in for run, resume, --step and --dry-run.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "application/language/folders.h"
#include "application/language/inputs.h"
#include "application/running/workflow_runner.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/plugin_session.h"
#include "cli/resumed_run.h"
#include "domain/masker.h"
#include "domain/regex.h"
#include "domain/text_files.h"
#include "domain/workflow.h"

namespace awf::cli {

struct LoadedRun {
  Workflow workflow;   // with its hash
  std::string source;  // the bytes it was loaded from
  json::object inputs;
  std::vector<Finding> findings;  // warnings and notes
  Folders folders;
  std::filesystem::path working_dir;
  std::shared_ptr<const RegexCompiler> regexes;
  std::shared_ptr<PluginSession> plugins;  // nothing of it is read or started before somebody needs it
};

// Why there is nothing to run. `exit_code` 0: that of the errors.
struct LoadFailure {
  LoadFailure(Error error) : errors{std::move(error)} {}
  explicit LoadFailure(std::vector<Error> all, int code = 0) : errors(std::move(all)), exit_code(code) {}

  std::vector<Error> errors;
  int exit_code = 0;
};

class RunLoader {
 public:
  // All outlive it. Questions for missing inputs are asked on the terminal, where there is one.
  RunLoader(const RunOptions& options, TextFiles& files) : options_(options), files_(files) {}

  // The workflow that the options name, with the inputs of the configuration, --input-file and -i.
  std::expected<LoadedRun, LoadFailure> Load() const;
  // The workflow of a run that is taken up again, stored or `reload`ed, its inputs overlaid by --input-file and -i.
  std::expected<LoadedRun, LoadFailure> Load(const ResumedRun& resumed, bool reload) const;

 private:
  LoadedRun Surroundings(std::filesystem::path working_dir) const;
  std::expected<void, LoadFailure> Read(LoadedRun& run, const std::string& path, const std::string* text) const;
  std::expected<void, LoadFailure> Resolve(LoadedRun& run, GivenInputs given) const;

  const RunOptions& options_;
  TextFiles& files_;
};

// Into `request` what the runner is asked to do, but for what makes one run of it: ids, run folder, cancellation. Fails
// when --step or --mock name what the workflow has not.
std::expected<void, Error> FillRequest(const RunOptions& options, const LoadedRun& run, RunRequest& request);

// Everything that must not be shown of the run: also the secrets of the environment and of the configuration.
void LearnSecrets(const RunOptions& options, const LoadedRun& run, Masker& masker);

}  // namespace awf::cli

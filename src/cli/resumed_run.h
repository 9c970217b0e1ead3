// ResumedRun: a run that is taken up again: its folder, locked for this process, what run.json says of it, and how far
// it had come. Used by one thread.
//
// The session that continues it puts all of it to use: it loads the stored workflow (or with --reload the present
// file), calls Prepare, and appends to state, audit and log of the folder.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>

#include "application/language/inputs.h"
#include "application/running/run_state.h"
#include "domain/workflow.h"
#include "infrastructure/telemetry/run_folder.h"
#include "infrastructure/telemetry/run_store.h"
#include "infrastructure/telemetry/state_file.h"

namespace awf::cli {

class ResumedRun {
 public:
  // `run` as RunStore tells it. USER.RUN.BUSY when another process holds it, USER.RUN.NOT_RESUMABLE when it has
  // completed, is damaged, or when what it needs (state.json, its working directory) is gone. Files stay as they are.
  static std::expected<ResumedRun, Error> Open(const telemetry::StoredRun& run);

  telemetry::RunFolder& folder() { return folder_; }
  // As run.json has it: inputs masked, counts of what has run so far.
  const telemetry::RunManifest& manifest() const { return manifest_; }
  const RunState& state() const { return state_; }

  // The workflow as it was loaded, in the run folder; and the file that it came from, absolute, which --reload takes
  // and from whose folder relative paths start.
  std::filesystem::path StoredWorkflow() const { return folder_.StoredWorkflow(); }
  std::filesystem::path WorkflowFile() const;
  std::filesystem::path WorkingDir() const { return manifest_.working_dir; }

  // The inputs that the run has, unmasked, to be overlaid by those given now (source kFlag). Their source is kConfig:
  // names that a reloaded workflow no longer has are passed over, and @ means nothing.
  GivenInputs Inputs() const;

  // state.json to go on with; made when the run ended before there was one.
  std::expected<std::unique_ptr<telemetry::StateFile>, Error> OpenState() const;

 private:
  ResumedRun(telemetry::RunFolder folder, telemetry::RunManifest manifest)
      : folder_(std::move(folder)), manifest_(std::move(manifest)) {}
  std::expected<void, Error> LoadState();

  telemetry::RunFolder folder_;
  telemetry::RunManifest manifest_;
  RunState state_;
  bool has_state_ = false;
};

}  // namespace awf::cli

#include "cli/resumed_run.h"

#include <system_error>

namespace awf::cli {
namespace {

using telemetry::RunFolder;
using telemetry::StoredRun;

std::unexpected<Error> NotResumable(const std::string& run_id, const std::string& why, std::string hint) {
  return Fail("USER.RUN.NOT_RESUMABLE", "run " + run_id + " " + why, std::move(hint));
}

std::string StartAnew(const telemetry::RunManifest& manifest) {
  return manifest.file.empty() ? "Start a new run." : "Start a new run: awf run " + manifest.file;
}

std::expected<void, Error> CheckStatus(const StoredRun& run) {
  if (run.status == telemetry::kDamaged)
    return NotResumable(run.run_id, "is damaged: " + run.fault, "Start a new run.");
  if (run.status == "completed")
    return NotResumable(run.run_id, "has completed, nothing of it is left to do", StartAnew(run.manifest));
  if (!run.manifest.only_state.empty())
    return NotResumable(run.run_id, "ran the state '" + run.manifest.only_state + "' alone (--step)",
                        StartAnew(run.manifest));
  if (run.status == "running") {
    return Fail("USER.RUN.BUSY", "run " + run.run_id + " is in use by process " + std::to_string(run.owner_pid),
                "Wait until it has ended, or end it.");
  }
  return {};
}

std::expected<void, Error> CheckWorkingDir(const std::string& run_id, const telemetry::RunManifest& manifest) {
  if (manifest.working_dir.empty()) return NotResumable(run_id, "does not say where it worked", StartAnew(manifest));
  std::error_code fault;
  if (std::filesystem::is_directory(manifest.working_dir, fault)) return {};
  return NotResumable(run_id, "worked in " + manifest.working_dir + ", which is no folder any more",
                      "Make that folder again, or start a new run.");
}

}  // namespace

std::expected<ResumedRun, Error> ResumedRun::Open(const StoredRun& run) {
  if (auto fits = CheckStatus(run); !fits) return std::unexpected(fits.error());
  auto folder = RunFolder::Reopen(run.folder);
  if (!folder) return std::unexpected(folder.error());
  // Once more, now that nobody else can change it: it may have been resumed and ended meanwhile.
  const auto now = telemetry::ReadStoredRun(run.folder);
  if (auto fits = CheckStatus(now); !fits) return std::unexpected(fits.error());
  if (auto fits = CheckWorkingDir(now.run_id, now.manifest); !fits) return std::unexpected(fits.error());
  ResumedRun resumed(std::move(*folder), now.manifest);
  if (auto loaded = resumed.LoadState(); !loaded) return std::unexpected(loaded.error());
  return resumed;
}

std::expected<void, Error> ResumedRun::LoadState() {
  std::error_code fault;
  has_state_ = std::filesystem::exists(folder_.State(), fault);
  if (has_state_) {
    auto state = telemetry::StateFile::Load(folder_.State());
    if (!state) return std::unexpected(state.error());
    state_ = std::move(*state);
  }
  // It ended before its first state did. That costs nothing but the inputs, which are masked in run.json.
  if (!state_.begun && !manifest_.secret_inputs.empty()) {
    return NotResumable(folder_.run_id(), "ended before its state was written, and its secret inputs with it",
                        StartAnew(manifest_));
  }
  return {};
}

std::filesystem::path ResumedRun::WorkflowFile() const {
  return (std::filesystem::path(manifest_.working_dir) / manifest_.file).lexically_normal();
}

GivenInputs ResumedRun::Inputs() const {
  GivenInputs inputs;
  if (!state_.begun) {
    for (const auto& [name, text] : manifest_.inputs) inputs.push_back({name, text, InputSource::kConfig});
    return inputs;
  }
  for (const auto& [name, value] : state_.inputs) {
    if (value.is_null()) continue;  // it has none
    std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    inputs.push_back({std::string(name), std::move(text), InputSource::kConfig});
  }
  return inputs;
}

std::expected<std::unique_ptr<telemetry::StateFile>, Error> ResumedRun::OpenState() const {
  return has_state_ ? telemetry::StateFile::Continue(folder_.State()) : telemetry::StateFile::Create(folder_.State());
}

}  // namespace awf::cli

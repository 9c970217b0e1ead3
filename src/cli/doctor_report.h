// What `awf doctor` tells: of the agent CLIs, of plugins, of the machine, of where telemetry goes; and how a probe
// went.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/plugin_rows.h"
#include "cli/progress_text.h"
#include "domain/json.h"
#include "infrastructure/agents/isolation_prover.h"
#include "infrastructure/agents/provider_health.h"
#include "infrastructure/process/kernel_features.h"

namespace awf::cli {

struct DoctorReport {
  std::string version;            // of awf
  std::filesystem::path program;  // awf
  std::vector<agents::ProviderHealth> providers;
  std::vector<PluginRow> plugins;         // those that are built in as well; none was started
  std::optional<Error> plugins_fault;     // why it cannot be told which there are
  std::optional<std::string> http_fault;  // why no HTTP request can be made; nothing: they can
  bool has_base_url = false;              // openai_compatible: OPENAI_BASE_URL is set
  process::KernelFeatures kernel;
  std::filesystem::path private_folder;
  std::optional<Error> private_folder_fault;
  std::vector<std::filesystem::path> other_awf;  // other programs of that name on the PATH
  std::string endpoint;                          // where spans go; empty: nowhere by default
  std::optional<std::string> endpoint_fault;     // why nobody can be reached there

  // Nothing can run without a private folder.
  bool healthy() const { return !private_folder_fault; }
};

std::string DoctorText(const DoctorReport& report, const LineStyle& style);
json::object DoctorJson(const DoctorReport& report);

// Some lines, and "proven" or "not proven" in the first.
std::string ProbeText(const agents::ProbeReport& report);
json::object ProbeJson(const agents::ProbeReport& report);

}  // namespace awf::cli

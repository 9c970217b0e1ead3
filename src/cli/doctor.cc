// awf doctor: what is there of all that a run may need, and what to do about the rest. With --probe it drives an agent
// CLI against a scripted model on loopback, to prove that the model is offered the tools of awf alone.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <future>
#include <set>

#include "application/language/provider_options.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/doctor_report.h"
#include "cli/finding_text.h"
#include "cli/masking.h"
#include "cli/plugin_rows.h"
#include "cli/print_result.h"
#include "cli/run_agents.h"
#include "cli/run_setup.h"
#include "cli/text_table.h"
#include "domain/error_catalogue.h"
#include "infrastructure/http/curl_library.h"
#include "infrastructure/otlp/collector_check.h"
#include "infrastructure/process/environment.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/private_folder.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kCollectorPatience{2000};
constexpr int kUnhealthy = 3;

bool AsJson(const DoctorOptions& options) { return options.json || options.global.format == OutputFormat::kJson; }

fs::path OwnProgram() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error);
}

// Other programs named awf that a shell might start in this one's place.
std::vector<fs::path> OtherPrograms(std::string_view path, const fs::path& own) {
  std::vector<fs::path> others;
  std::set<fs::path> seen{own};
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const fs::path candidate = fs::path(path.substr(0, colon)) / "awf";
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    if (!candidate.is_absolute() || !agents::IsExecutableFile(candidate)) continue;
    std::error_code error;
    const fs::path real = fs::canonical(candidate, error);
    if (!error && seen.insert(real).second) others.push_back(candidate);
  }
  return others;
}

// All at once: a CLI takes up to seconds to tell its version.
std::vector<agents::ProviderHealth> CheckProviders(const Config& config, const fs::path& own) {
  const std::vector<std::string> environment = process::CurrentEnvironment();
  const agents::ProbeProofs proofs = ProofsOfUser(environment);
  agents::ProgramAnswers answers(own);
  std::vector<std::future<agents::ProviderHealth>> checks;
  for (const agents::CliProvider& provider : agents::CliProviders()) {
    const auto found = config.providers.find(std::string(provider.name));
    checks.push_back(std::async(std::launch::async,
                                [&, configured = found == config.providers.end() ? ProviderConfig() : found->second] {
                                  return agents::CheckProvider(provider, configured, environment, answers, proofs);
                                }));
  }
  std::vector<agents::ProviderHealth> all;
  all.reserve(checks.size());
  for (auto& check : checks) all.push_back(check.get());
  return all;
}

// Reads files only.
void CheckPlugins(const DoctorOptions& options, DoctorReport& report) {
  const auto working_dir = WorkingDirectory();
  if (!working_dir) {
    report.plugins_fault = working_dir.error();
    return;
  }
  PluginSession session(PluginPlaces(Folders::From(ProcessEnvironment, *working_dir), *working_dir, options.global),
                        options.config);
  if (const auto registry = session.Registry()) {
    report.plugins = RowsOf(session, **registry);
  } else {
    report.plugins_fault = registry.error();
  }
}

void CheckTelemetry(const DoctorOptions& options, DoctorReport& report) {
  RunOptions run;
  run.global = options.global;
  run.config = options.config;
  const auto target = ChooseTrace(run, NonEmptyVariable);
  if (!target) {
    report.endpoint = "(not understood)";
    report.endpoint_fault = target.error().message;
  } else if (target->collector) {
    report.endpoint = target->collector->url;
    if (const auto reached = otlp::CheckCollector(*target->collector, kCollectorPatience); !reached)
      report.endpoint_fault = reached.error();
  }
}

DoctorReport Examine(const DoctorOptions& options) {
  DoctorReport report;
  report.version = AWF_VERSION;
  report.program = OwnProgram();
  report.providers = CheckProviders(options.config, report.program);
  CheckPlugins(options, report);
  if (const auto curl = http::CurlLibrary::Get(); !curl) report.http_fault = curl.error().message;
  report.has_base_url = NonEmptyVariable("OPENAI_BASE_URL").has_value();
  report.kernel = process::FindKernelFeatures();
  if (auto folder = process::PrivateFolder::Open()) {
    report.private_folder = folder->path();
  } else {
    report.private_folder_fault = folder.error();
  }
  report.other_awf = OtherPrograms(NonEmptyVariable("PATH").value_or(""), report.program);
  CheckTelemetry(options, report);
  return report;
}

AgentRequest ProbeOf(const std::string& provider, const std::string& written, const DoctorOptions& options) {
  AgentRequest request;
  request.provider = provider;
  request.provider_as_written = written;
  request.prompt = "probe";
  request.proxy.emplace();
  request.proxy->enable = true;
  std::error_code error;
  request.working_dir = fs::current_path(error);
  const auto& configured = options.config.providers;
  if (const auto own = configured.find(provider); own != configured.end()) request.options = own->second.options;
  if (!options.model.empty()) request.options["model"] = options.model;
  return request;
}

std::expected<std::string, Error> ProviderToProbe(const std::string& written) {
  auto provider = ResolveProvider(written);
  if (!provider) return provider;
  if (agents::FindCliProvider(*provider) != nullptr) return provider;
  return Fail("USER.INPUT.INVALID_FORMAT", "--probe: " + written + " runs inside awf: there is no CLI to probe",
              "its isolation is always proven");
}

// Without a result where the command is to be quiet: its exit code tells.
int Print(const std::string& text, const DoctorOptions& options, int exit_code) {
  return options.global.quiet && !AsJson(options) ? exit_code : PrintResult(text, options.global, exit_code);
}

// One after another, each told when it is over: what went wrong with one says nothing of the others. The worst exit
// code counts.
int ProbeAll(const std::vector<std::string>& providers, agents::IsolationProver& prover, const DoctorOptions& options) {
  int exit_code = 0;
  json::array reports;
  for (std::size_t i = 0; i < providers.size(); ++i) {
    const auto report = prover.Prove(ProbeOf(providers[i], options.probe[i], options));
    const int code = !report ? ExitCodeOf(report.error().code) : report->proven ? 0 : kUnhealthy;
    exit_code = std::max(exit_code, code);
    if (AsJson(options)) {
      reports.push_back(report
                            ? ProbeJson(*report)
                            : json::object{{"provider", providers[i]},
                                           {"proven", false},
                                           {"error", ErrorJson(MaskedErrors({report.error()}, options.global).front(),
                                                               !options.global.no_hints)}});
    } else if (report) {
      exit_code = std::max(exit_code, Print(ProbeText(*report), options, 0));
    } else {
      ReportErrors({report.error()}, options.global);
    }
  }
  if (!AsJson(options)) return exit_code;
  return PrintResult(JsonLine(json::object{{"probes", std::move(reports)}}), options.global, exit_code);
}

int Probe(const DoctorOptions& options) {
  std::vector<std::string> providers;
  std::vector<Error> errors;
  for (const std::string& written : options.probe) {
    auto provider = ProviderToProbe(written);
    if (provider) {
      providers.push_back(std::move(*provider));
    } else {
      errors.push_back(std::move(provider.error()));
    }
  }
  if (!errors.empty()) return ReportErrors(errors, options.global);
  auto folder = process::PrivateFolder::Open();
  if (!folder) return ReportErrors({folder.error()}, options.global);
  process::BecomeSubreaper();
  probe::IsolationProbe probe(
      MakeAgentHost(OwnProgram(), *folder, process::CurrentEnvironment(), {}, options.config.providers));
  return ProbeAll(providers, probe, options);
}

}  // namespace

int DoctorCommand(const DoctorOptions& options) {
  if (!options.probe.empty()) return Probe(options);
  const DoctorReport report = Examine(options);
  const std::string text =
      AsJson(options) ? JsonLine(DoctorJson(report)) : DoctorText(report, StyleOfStdout(options.global));
  return Print(text, options, report.healthy() ? 0 : kUnhealthy);
}

}  // namespace awf::cli

#include "infrastructure/agents/step_isolation.h"

#include "infrastructure/agents/cli_program.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

Error CannotBeMet(const AgentRequest& request, const ProbeReport& report) {
  std::string message = "isolation: required cannot be met by " + request.provider_as_written;
  if (!report.version.empty()) message += " " + report.version;
  message += ": " + report.reason;
  std::string offered;
  for (const std::string& name : report.offered) offered += (offered.empty() ? "" : ", ") + name;
  if (!offered.empty()) message += "; offered: " + offered;
  return {"USER.MCP_PROXY.UNSUPPORTED_PROVIDER",
          std::move(message),
          "Use another version or provider, or drop isolation: required.",
          {},
          {},
          "mcp_proxy.isolation"};
}

}  // namespace

std::expected<bool, Error> IsProven(const AgentHost& host, const CliProvider& provider,
                                    const std::filesystem::path& program, const std::string& version,
                                    const AgentRequest& request, RunObserver& observer) {
  if (!request.Intercepts()) return false;
  if (host.proofs.Holds(ProofKeyOf(provider, program, version, request, host.environment))) return true;
  if (!request.proxy->isolation_required || provider.announces || host.prover == nullptr) return false;
  observer.Logged(&request.step, LogLevel::kInfo, "probing isolation",
                  json::object{{"provider", request.provider_as_written}, {"version", version}});
  auto report = host.prover->Prove(request);
  if (!report) return std::unexpected(std::move(report.error()));
  if (!report->not_kept.empty()) {
    observer.Logged(
        &request.step, LogLevel::kWarn, "the outcome of the isolation probe could not be kept",
        json::object{
            {"provider", request.provider_as_written}, {"version", report->version}, {"reason", report->not_kept}});
  }
  if (report->proven) return true;
  return std::unexpected(CannotBeMet(request, *report));
}

IsolationClaim ClaimOf(const CliProvider& provider, const std::string& version, const AgentRequest& request,
                       const std::string& doubt, bool proven) {
  if (proven) return {IsolationLevel::kProven, "probed"};
  const json::array* more = ArrayAt(request.options, "extra_args");
  if (more != nullptr && !more->empty()) return {IsolationLevel::kCoexisting, "extra_args are not proven"};
  if (!doubt.empty()) return {IsolationLevel::kCoexisting, doubt};
  if (provider.announces) return {IsolationLevel::kCoexisting, "not announced"};
  return ClaimOfVersion(version, {provider.verified, provider.known, provider.newer});
}

}  // namespace awf::agents

#include "infrastructure/agents/provider_health.h"

#include "infrastructure/agents/cli_program.h"
#include "infrastructure/agents/step_isolation.h"

namespace awf::agents {
namespace {

constexpr char kAnnounces[] = "announces its tools in every run";

IsolationClaim Expected(const CliProvider& provider, const ProviderHealth& health, const json::object& options,
                        const std::vector<std::string>& environment, const ProbeProofs& proofs) {
  AgentRequest step;
  step.options = options;
  step.proxy.emplace();
  const ProofKey key = ProofKeyOf(provider, health.program, health.version, step, environment);
  if (proofs.Holds(key)) return {IsolationLevel::kProven, "probed"};
  if (provider.announces && VersionAtLeast(health.version, provider.verified.front())) {
    return {IsolationLevel::kProven, kAnnounces};
  }
  if (!provider.announces) return ClaimOf(provider, health.version, step, {}, false);
  return ClaimOfVersion(health.version, {provider.verified, provider.known, provider.newer});
}

// `why` as ProgramAnswers tells it.
std::string FaultOf(const std::string& why) {
  if (why.starts_with("cannot be started")) return why;
  return (why == kTellsNoVersion ? "--version " : "does not start: ") + why;
}

std::string HintFor(const CliProvider& provider, const ProviderHealth& health) {
  if (health.isolation.reason == "older than verified") {
    return "update it: awf was verified with " + std::string(provider.verified.back());
  }
  if (health.login.kind == LoginState::Kind::kMissing) return health.login.text;
  std::string hint;
  // Where nobody can tell the user may know better: how to log in, or what will serve.
  if (health.login.kind == LoginState::Kind::kUnknown) hint = "login unknown: " + health.login.text;
  if (health.isolation.level == IsolationLevel::kProven) return hint;
  return hint + (hint.empty() ? "" : "; ") + "awf doctor --probe " + health.provider + " proves its isolation";
}

}  // namespace

ProviderHealth CheckProvider(const CliProvider& provider, const ProviderConfig& configured,
                             const std::vector<std::string>& block, ProgramAnswers& answers, const ProbeProofs& proofs,
                             const std::stop_token& cancelled) {
  Environment environment(block);
  environment.UnsetPrefix("AWF_");
  ProviderHealth health;
  health.provider = provider.name;
  health.login = provider.login(environment);
  if (configured.path.empty()) {
    if (auto found = FindProgram(provider.program, environment.Get("PATH"))) health.program = std::move(*found);
  } else if (IsExecutableFile(configured.path)) {
    health.program = configured.path;
  } else {
    health.hint = configured.path + " is no program that can be run: correct providers." + health.provider +
                  ".path of the configuration";
    return health;
  }
  if (health.program.empty()) {
    health.hint = provider.install;
    return health;
  }
  const auto version = answers.Version(health.program, environment.Block(), cancelled);
  if (!version) {
    health.fault = FaultOf(version.error());
    return health;
  }
  health.version = *version;
  health.isolation = Expected(provider, health, configured.options, block, proofs);
  health.announces = health.isolation.reason == kAnnounces;
  health.hint = HintFor(provider, health);
  return health;
}

}  // namespace awf::agents

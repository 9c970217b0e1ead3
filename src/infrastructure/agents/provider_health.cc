#include "infrastructure/agents/provider_health.h"

#include "infrastructure/agents/cli_program.h"

namespace awf::agents {
namespace {

IsolationClaim Expected(const CliProvider& provider, const ProviderHealth& health, const json::object& options,
                        const ProbeProofs& proofs) {
  AgentRequest step;
  step.options = options;
  step.proxy.emplace();
  const ProofKey key = ProofKeyOf(provider, health.program, health.version, step);
  if (proofs.Holds(key)) return {IsolationLevel::kProven, "probed"};
  if (provider.announces && VersionAtLeast(health.version, provider.verified.front())) {
    return {IsolationLevel::kProven, "announces its tools in every run"};
  }
  return ClaimOfVersion(health.version, {provider.verified, provider.known, provider.newer});
}

std::string HintFor(const CliProvider& provider, const ProviderHealth& health) {
  if (health.isolation.reason == "older than verified") {
    return "update it: awf was verified with " + std::string(provider.verified.back());
  }
  if (health.login.kind == LoginState::Kind::kMissing) return health.login.text;
  if (health.isolation.level != IsolationLevel::kProven) {
    return "awf doctor --probe " + health.provider + " proves its isolation";
  }
  return {};
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
  health.version = answers.Version(health.program, environment.Block(), cancelled);
  health.isolation = Expected(provider, health, configured.options, proofs);
  health.hint = HintFor(provider, health);
  return health;
}

}  // namespace awf::agents

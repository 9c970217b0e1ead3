// ProviderHealth: what awf doctor tells of an agent CLI without starting an agent: where it is, which version, whether
// the user is logged in as far as files and variables tell, and which isolation level a step will have.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "domain/config.h"
#include "infrastructure/agents/cli_providers.h"
#include "infrastructure/agents/isolation.h"
#include "infrastructure/agents/probe_proofs.h"
#include "infrastructure/agents/program_answers.h"

namespace awf::agents {

struct ProviderHealth {
  std::string provider;
  std::filesystem::path program;  // absolute; empty: not found
  std::string version;            // empty: not told
  LoginState login;
  // Of an intercepting step with the configured options; meaningless when there is no program, or a fault.
  IsolationClaim isolation;
  std::string hint;        // what the user can do; empty: nothing is missing
  std::string fault{};     // why the program is of no use: "does not start: exit code 1"; empty: it tells its version
  bool announces = false;  // `proven` stands for what each run announces, not for a probe's proof
};

// `configured`: providers.NAME of the configuration. Starts `PROGRAM --version`. Thread-safe.
ProviderHealth CheckProvider(const CliProvider& provider, const ProviderConfig& configured,
                             const std::vector<std::string>& environment, ProgramAnswers& answers,
                             const ProbeProofs& proofs, const std::stop_token& cancelled = {});

}  // namespace awf::agents

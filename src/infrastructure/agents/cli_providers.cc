#include "infrastructure/agents/cli_providers.h"

#include "infrastructure/agents/claude.h"

namespace awf::agents {
namespace {

template <typename Provider>
std::unique_ptr<AgentProvider> Make(const Environment& environment, const std::filesystem::path& step_folder,
                                    const std::string& version) {
  return std::make_unique<Provider>(environment, step_folder, version);
}

constexpr CliProvider kProviders[] = {
    {"claude", "claude", "2.1.332", &Make<ClaudeProvider>},
};

}  // namespace

const CliProvider* FindCliProvider(std::string_view name) {
  for (const CliProvider& provider : kProviders) {
    if (provider.name == name) return &provider;
  }
  return nullptr;
}

}  // namespace awf::agents

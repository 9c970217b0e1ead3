#include "infrastructure/agents/cli_program.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

using Strings = std::vector<std::string>;

TEST(CliProgramTest, WhatRuntimesHeedIsAmbientForAll) {
  for (const CliProvider& provider : CliProviders()) {
    EXPECT_EQ(AmbientVariables(provider, {"PYTHONPATH=/p", "NODE_OPTIONS=--require /x.js", "LD_PRELOAD=/l.so",
                                          "HOME=/h", "NODE_OPTIONS=later", "TERM=x", "AWF_HOME=/a"}),
              (Strings{"LD_PRELOAD=/l.so", "NODE_OPTIONS=--require /x.js", "PYTHONPATH=/p"}))
        << provider.name;
  }
}

TEST(CliProgramTest, WhatBeginsWithAProvidersNameIsItsOwnButForSecrets) {
  const Strings environment = {"ANTHROPIC_API_KEY=s",       "ANTHROPIC_BASE_URL=u", "CLAUDE_CODE_X=1",
                               "CODEX_API_KEY=s",           "CODEX_HOME=/c",        "COPILOT_MODEL=m",
                               "GEMINI_API_KEY=s",          "GEMINI_SANDBOX=no",    "GH_TOKEN=s",
                               "GITHUB_COPILOT_BASE_URL=u", "GITHUB_REPOSITORY=r",  "GOOGLE_CLOUD_PROJECT=p",
                               "MISTRAL_API_KEY=s",         "MISTRAL_X=1",          "OPENCODE_CONFIG=/o",
                               "GITHUB_COPILOT_TOKEN=s",    "VIBE_HOME=/v"};
  const auto of = [&](const char* name) { return AmbientVariables(*FindCliProvider(name), environment); };
  EXPECT_EQ(of("claude"), (Strings{"ANTHROPIC_BASE_URL=u", "CLAUDE_CODE_X=1"}));
  EXPECT_EQ(of("codex"), (Strings{"CODEX_HOME=/c"}));
  EXPECT_EQ(of("gemini"), (Strings{"GEMINI_SANDBOX=no", "GOOGLE_CLOUD_PROJECT=p"}));
  EXPECT_EQ(of("github_copilot"), (Strings{"COPILOT_MODEL=m", "GITHUB_COPILOT_BASE_URL=u"}));
  EXPECT_EQ(of("opencode"), (Strings{"OPENCODE_CONFIG=/o"}));
  EXPECT_EQ(of("mistral_vibe"), (Strings{"MISTRAL_X=1", "VIBE_HOME=/v"}));
  EXPECT_EQ(CliProviders().size(), 6U) << "the prefixes of a new one belong here";
}

TEST(CliProgramTest, TheKeyHasThem) {
  const CliProvider& codex = *FindCliProvider("codex");
  EXPECT_EQ(ProofKeyOf(codex, "/bin/codex", "1.2.3", {}, {"CODEX_HOME=/c"}).ambient, Strings{"CODEX_HOME=/c"});
}

}  // namespace
}  // namespace awf::agents

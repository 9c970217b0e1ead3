#include "infrastructure/agents/option_words.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "infrastructure/agents/claude.h"
#include "infrastructure/agents/codex.h"
#include "infrastructure/agents/gemini.h"
#include "infrastructure/agents/github_copilot.h"
#include "infrastructure/agents/mistral_vibe.h"
#include "infrastructure/agents/opencode.h"

namespace awf::agents {
namespace {

using Words = std::vector<std::string>;

TEST(OptionWordsTest, AValueIsNeverAFlag) {
  Words argv;
  AddOptionWords(argv, "-m", "x", "--model");
  AddOptionWords(argv, "-m", "-x", "--model");
  AddOptionWords(argv, "--effort", "--x y");
  EXPECT_EQ(argv, (Words{"-m", "x", "--model=-x", "--effort=--x y"}));
}

template <class Provider>
Words Arguments(const char* model) {
  AgentRequest request;
  request.prompt = "do it";
  request.working_dir = "/";
  request.options["model"] = model;
  Provider provider(ProviderSetup{.step_folder = "/step"});
  auto invocation = provider.Prepare(request, nullptr);
  EXPECT_TRUE(invocation);
  return invocation ? std::move(invocation->argv) : Words();
}

bool Names(const Words& argv, std::string_view word) { return std::ranges::find(argv, word) != argv.end(); }

TEST(OptionWordsTest, AModelIsNoFlagOfAnyCli) {
  constexpr char kModel[] = "--dangerously";
  for (const Words& argv :
       {Arguments<ClaudeProvider>(kModel), Arguments<CodexProvider>(kModel), Arguments<GeminiProvider>(kModel),
        Arguments<GitHubCopilotProvider>(kModel), Arguments<OpenCodeProvider>(kModel)}) {
    EXPECT_FALSE(Names(argv, kModel)) << argv.at(0);
    EXPECT_TRUE(Names(argv, "--model=--dangerously")) << argv.at(0);
  }
  // Vibe takes it as a variable.
  EXPECT_FALSE(Names(Arguments<MistralVibeProvider>(kModel), kModel));
  for (const Words& argv :
       {Arguments<ClaudeProvider>(""), Arguments<CodexProvider>(""), Arguments<GeminiProvider>(""),
        Arguments<GitHubCopilotProvider>(""), Arguments<OpenCodeProvider>(""), Arguments<MistralVibeProvider>("")}) {
    EXPECT_TRUE(std::ranges::none_of(argv, [](const std::string& word) {
      return word.empty() || word == "-m" || word.starts_with("--model");
    })) << argv.at(0);
  }
}

}  // namespace
}  // namespace awf::agents

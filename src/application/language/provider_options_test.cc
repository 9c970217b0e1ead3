#include "application/language/provider_options.h"

#include <gtest/gtest.h>

#include "application/language/provider_schemas.h"

namespace awf {
namespace {

std::optional<std::string> NoEnvironment(const std::string&) { return std::nullopt; }

struct Outcome {
  std::string options, findings;
};

Outcome Check(std::string_view provider, std::string_view written, bool rendered = false,
              const EnvironmentLookup& environment = NoEnvironment,
              const std::map<std::string, std::string>& sources = {}) {
  const json::object object = json::parse(written).as_object();
  const CheckedOptions checked = CheckProviderOptions({provider, object, sources, rendered}, environment);
  Outcome outcome{json::serialize(checked.options), ""};
  for (const Finding& finding : checked.findings) {
    outcome.findings += std::string(finding.severity == Severity::kError ? "E " : "W ") + finding.error.code + " " +
                        finding.error.field + "; ";
  }
  return outcome;
}

TEST(ProviderNames, AreResolved) {
  const std::pair<const char*, const char*> kNames[] = {
      {"claude", "claude"},
      {"gemini", "gemini"},
      {"codex", "codex"},
      {"opencode", "opencode"},
      {"github_copilot", "github_copilot"},
      {"github-copilot", "github_copilot"},
      {"copilot", "github_copilot"},
      {"mistral_vibe", "mistral_vibe"},
      {"mistral-vibe", "mistral_vibe"},
      {"vibe", "mistral_vibe"},
      {"openai_compatible", "openai_compatible"},
      {"openai-compatible", "openai_compatible"},
  };
  for (const auto& [written, canonical] : kNames)
    EXPECT_EQ(ResolveProvider(written).value_or(""), canonical) << written;
}

TEST(ProviderNames, ThatAreUnknownAreRefused) {
  EXPECT_EQ(ResolveProvider("cluade").error().hint, "did you mean 'claude'?");
  EXPECT_EQ(ResolveProvider("OpenAI-Compatible").error().hint, "did you mean 'openai_compatible'?");
  EXPECT_EQ(ResolveProvider("custom").error().hint, "run a program of your own in a state of type: step");
  EXPECT_EQ(ResolveProvider("").error().code, "USER.PROVIDER.UNKNOWN");
}

TEST(ProviderOptions, OfClaudeAreTaken) {
  const Outcome outcome = Check("claude", R"({"model":"sonnet","max_turns":5,"max_budget_usd":1.5,"effort":"high",
      "allowed_tools":"Read, Write,","dangerously_skip_permissions":true,"extra_args":["-x"],"env":{"A":"b"}})");
  EXPECT_EQ(outcome.findings, "");
  EXPECT_EQ(
      outcome.options,
      R"({"model":"sonnet","max_turns":5,"max_budget_usd":1.5E0,"effort":"high","allowed_tools":["Read","Write"],)"
      R"("dangerously_skip_permissions":true,"extra_args":["-x"],"env":{"A":"b"}})");
}

TEST(ProviderOptions, OfTheOtherClisAreTaken) {
  const auto taken = [](const char* provider, const char* options) {
    const Outcome outcome = Check(provider, options);
    return outcome.options + outcome.findings;
  };
  for (const auto& [provider, options] : {
           std::pair{"gemini", R"({"model":"gemini-3-pro","dangerously_skip_permissions":true,"env":{"A":"b"}})"},
           std::pair{"codex", R"({"model":"gpt-6","reasoning_effort":"low","config":{"openai_base_url":"http://h"}})"},
           std::pair{"opencode", R"({"model":"p/m","extra_args":["--x"]})"},
           std::pair{"github_copilot", R"({"effort":"high","allowed_tools":["a"],"denied_tools":["b"],"mode":"plan"})"},
           std::pair{"mistral_vibe", R"({"agent_profile":"plan","max_turns":3,"trust":true,"add_dirs":["d"]})"},
       }) {
    EXPECT_EQ(taken(provider, options), options) << provider;
    EXPECT_EQ(taken(provider, R"({"nothing":1})"), "{}E WORKFLOW.PARSE.UNKNOWN_FIELD nothing; ") << provider;
  }
  EXPECT_EQ(taken("opencode", R"({"framework":"x"})"), "{}W WORKFLOW.PARSE.UNKNOWN_FIELD framework; ");
  EXPECT_EQ(taken("opencode", R"({"model":"openrouter/z-ai/glm:free"})"), R"({"model":"openrouter/z-ai/glm:free"})");
  EXPECT_EQ(taken("opencode", R"({"model":"{{.inputs.m}}"})"), R"({"model":"{{.inputs.m}}"})");
  for (const char* model : {"\"sonnet\"", "\"\"", "\"/m\"", "\"p/\"", "\"-p/m\"", "\"p/m m\"", "5"}) {
    EXPECT_EQ(taken("opencode", (std::string("{\"model\":") + model + "}").c_str()),
              "{}E WORKFLOW.PARSE.INVALID_VALUE model; ")
        << model;
  }
  EXPECT_EQ(taken("github_copilot", R"({"mode":"plam"})"), "{}E WORKFLOW.PARSE.INVALID_VALUE mode; ");
  EXPECT_EQ(taken("codex", R"({"config":"x"})"), "{}E WORKFLOW.PARSE.INVALID_VALUE config; ");
}

TEST(ProviderOptions, CamelCaseIsTakenWithAWarning) {
  const Outcome outcome = Check("claude", R"({"maxTurns":5})");
  EXPECT_EQ(outcome.options, R"({"max_turns":5})");
  EXPECT_EQ(outcome.findings, "W WORKFLOW.PARSE.UNKNOWN_FIELD maxTurns; ");
  EXPECT_EQ(Check("claude", R"({"maxTurns":5,"max_turns":6})").findings, "E WORKFLOW.PARSE.INVALID_VALUE maxTurns; ");
}

TEST(ProviderOptions, UnknownAndWrongOnesAreErrors) {
  EXPECT_EQ(
      Check("claude", R"({"modle":"x","max_turns":0,"max_budget_usd":"1","effort":["x"],"env":{"A=B":"c"}})").findings,
      "E WORKFLOW.PARSE.UNKNOWN_FIELD modle; E WORKFLOW.PARSE.INVALID_VALUE max_turns; "
      "E WORKFLOW.PARSE.INVALID_VALUE max_budget_usd; E WORKFLOW.PARSE.INVALID_VALUE effort; "
      "E WORKFLOW.PARSE.INVALID_VALUE env.A=B; ");
  EXPECT_EQ(Check("claude", R"({"max_turns":1.5})").findings, "E WORKFLOW.PARSE.INVALID_VALUE max_turns; ");
  EXPECT_EQ(Check("claude", R"({"max_turns":1e300})").findings, "E WORKFLOW.PARSE.INVALID_VALUE max_turns; ");
  EXPECT_EQ(Check("claude", R"({"model":null})").findings, "E WORKFLOW.PARSE.INVALID_VALUE model; ");
}

TEST(ProviderOptions, AModelIsNoFlag) {
  for (const ProviderSchema& provider : ProviderSchemas()) {
    for (const char* model : {"-x", "--dangerous"}) {
      const std::string more = provider.name == "openai_compatible" ? R"(,"base_url":"http://x")" : "";
      const std::string options = R"({"model":")" + std::string(model) + "\"" + more + "}";
      for (const bool rendered : {false, true})
        EXPECT_EQ(Check(provider.name, options, rendered).findings, "E WORKFLOW.PARSE.INVALID_VALUE model; ")
            << provider.name << options;
    }
  }
  EXPECT_EQ(Check("claude", R"({"effort":"--x"})").findings, "E WORKFLOW.PARSE.INVALID_VALUE effort; ");
  EXPECT_EQ(Check("claude", R"({"model":"{{.inputs.m}}"})").findings, "");
}

TEST(ProviderOptions, AnEmptyModelIsNone) {
  for (const char* model : {"", " "}) {
    const Outcome outcome = Check("codex", R"({"model":")" + std::string(model) + R"("})", true);
    EXPECT_EQ(outcome.options + outcome.findings, "{}");
  }
}

TEST(ProviderOptions, HaveOneKey) {
  EXPECT_EQ(CanonicalOption("claude", "extraArgs"), "extra_args");
  EXPECT_EQ(CanonicalOption("claude", "extra_args"), "extra_args");
  EXPECT_EQ(CanonicalOption("claude", "noSuch"), "noSuch");
}

TEST(ProviderOptions, NumbersForStringsKeepTheirSpelling) {
  EXPECT_EQ(
      Check("claude", R"({"model":4.1,"env":{"N":10}})", false, NoEnvironment, {{"model", "4.10"}, {"env.N", "0x0A"}})
          .options,
      R"({"model":"4.10","env":{"N":"0x0A"}})");
}

TEST(ProviderOptions, TemplatesWaitForTheRun) {
  const std::string written = R"({"max_turns":"{{.inputs.n}}","dangerously_skip_permissions":"{{.inputs.f}}"})";
  EXPECT_EQ(Check("claude", written).findings, "");
  EXPECT_EQ(Check("claude", R"({"max_turns":"7","dangerously_skip_permissions":"true"})", true).options,
            R"({"max_turns":7,"dangerously_skip_permissions":true})");
  EXPECT_EQ(Check("claude", R"({"max_turns":"7"})").findings, "E WORKFLOW.PARSE.INVALID_VALUE max_turns; ");
  EXPECT_EQ(Check("claude", R"({"max_turns":"nan"})", true).findings, "E WORKFLOW.PARSE.INVALID_VALUE max_turns; ");
}

TEST(ProviderOptions, OfOpenAiCompatibleNeedAnEndpoint) {
  EXPECT_EQ(Check("openai_compatible", "{}").findings,
            "E WORKFLOW.PARSE.MISSING_FIELD ; E WORKFLOW.PARSE.MISSING_FIELD ; ");
  const auto environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "OPENAI_BASE_URL") return "http://localhost/v1";
    if (name == "OPENAI_MODEL") return "m";
    return std::nullopt;
  };
  EXPECT_EQ(Check("openai_compatible", R"({"model":""})", false, environment).findings, "");
  EXPECT_EQ(Check("openai_compatible", R"({"base_url":"","model":"m"})").findings, "E WORKFLOW.PARSE.MISSING_FIELD ; ");
  EXPECT_EQ(Check("openai_compatible", R"({"base_url":"ftp://x","model":"m"})").findings,
            "E WORKFLOW.PARSE.INVALID_VALUE base_url; ");
  for (const std::string end : {"?a=b", "/v1#x", "/v1/chat/completions", "/v1/chat/completions//"}) {
    EXPECT_EQ(Check("openai_compatible", R"({"base_url":"http://x)" + end + R"(","model":"m"})").findings,
              "E WORKFLOW.PARSE.INVALID_VALUE base_url; ")
        << end;
  }
  EXPECT_EQ(Check("openai_compatible", R"({"base_url":"http://x/v1/","model":"m"})").findings, "");
  EXPECT_EQ(Check("openai_compatible", R"({"base_url":"{{.inputs.u}}/chat/completions","model":"m"})").findings, "");
  EXPECT_EQ(Check("openai_compatible", R"({"base_url":"{{.inputs.u}}","model":"{{.inputs.m}}"})").findings, "");
  const std::string ends = R"({"base_url":"http://x","model":"m",)";
  EXPECT_EQ(Check("openai_compatible", ends + R"("max_tokens":1,"max_completion_tokens":1})").findings,
            "E WORKFLOW.PARSE.INVALID_VALUE max_tokens; ");
  EXPECT_EQ(Check("openai_compatible", ends + R"("stream":true})").findings, "");
  EXPECT_EQ(Check("openai_compatible", ends + R"("stream":1})").findings, "E WORKFLOW.PARSE.INVALID_VALUE stream; ");
  EXPECT_EQ(Check("openai_compatible", ends + R"("stream":false,"temperature":2,"top_p":0})").findings, "");
  EXPECT_EQ(Check("openai_compatible", ends + R"("temperature":2.1})").findings,
            "E WORKFLOW.PARSE.INVALID_VALUE temperature; ");
}

TEST(ProviderOptions, OfAnEarlierImplementationAreIgnoredWithAWarning) {
  const Outcome outcome = Check("claude", R"({"output_format":"json","workdir":"/x"})");
  EXPECT_EQ(outcome.options, "{}");
  EXPECT_EQ(outcome.findings, "W WORKFLOW.PARSE.UNKNOWN_FIELD output_format; W WORKFLOW.PARSE.UNKNOWN_FIELD workdir; ");
}

TEST(ProviderOptions, OfTheConfigurationFillIn) {
  const json::object written = json::parse(R"({"model":"own","max_tokens":7,"temperature":9})").as_object();
  const json::object defaults =
      json::parse(R"({"base_url":"http://h","model":"theirs","max_completion_tokens":3,"top_p":0.5})").as_object();
  const CheckedOptions checked = CheckProviderOptions({"openai_compatible", written, {}, false, &defaults},
                                                      [](const std::string&) { return std::nullopt; });
  EXPECT_EQ(checked.options, json::parse(R"({"model":"own","max_tokens":7,"base_url":"http://h","top_p":0.5})"));
  ASSERT_EQ(checked.findings.size(), 1U);
  EXPECT_EQ(checked.findings[0].error.field, "temperature");
}

}  // namespace
}  // namespace awf

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/commands.h"
#include "cli/finding_text.h"
#include "cli/test_runs.h"
#include "domain/error_catalogue.h"
#include "domain/test_folder.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;

class ValidateTest : public testing::Test {
 protected:
  ValidateTest() { options_.workflow = (folder_ / "f.yaml").string(); }

  Printed Validate(const std::string& text) {
    std::ofstream(options_.workflow) << text;
    return PrintedBy([&] { return ValidateCommand(options_); });
  }

  const TestFolder folder_;
  ValidateOptions options_;
};

constexpr char kValid[] = "name: ok\nstates:\n  initial: z\n  z: {type: terminal}\n";
constexpr char kWarned[] = "name: ok\nstates:\n  initial: z\n  y: {type: terminal}\n  z: {type: terminal}\n";
constexpr char kBroken[] =
    "name: bad\nstates:\n  initial: a\n  a:\n    type: agent\n    provider: cluade\n    prompt: hi\n"
    "    on_success: zz\n  z: {type: terminal}\n";

TEST_F(ValidateTest, SaysThatAFileIsValid) {
  const Printed outcome = Validate(kValid);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, options_.workflow + ": valid\n");
  EXPECT_EQ(outcome.err, "");
  options_.global.quiet = true;
  EXPECT_EQ(Validate(kValid).out, "");
}

TEST_F(ValidateTest, TheNeedOfAProbeIsNotedWhenAsked) {
  const auto workflow = [](const std::string& provider, const std::string& proxy) {
    return "name: ok\nstates:\n  initial: a\n  a:\n    type: agent\n    provider: " + provider +
           "\n    prompt: hi\n    mcp_proxy: {enable: true" + proxy + "}\n    on_success: z\n  z: {type: terminal}\n";
  };
  EXPECT_EQ(Validate(workflow("codex", "")).err, "");
  options_.global.verbose = true;
  const Printed outcome = Validate(workflow("codex", ""));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("USER.MCP_PROXY.UNSUPPORTED_PROVIDER\nStep: a\n"
                             "Details: level proven needs a probe for codex (" +
                             options_.workflow + ":8:"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("Hint: run awf doctor --probe codex\n"), std::string::npos) << outcome.err;
  EXPECT_NE(Validate(workflow("codex", ", isolation: required"))
                .err.find("level proven needs a probe for codex; the step runs it when there is no proof"),
            std::string::npos);
  EXPECT_EQ(Validate(workflow("claude", ", isolation: required")).err, "");
  EXPECT_EQ(Validate(workflow("codex", ", intercept_builtins: false, plugin_tools: [{plugin: p, expose: [o]}]"))
                .err.find("probe"),
            std::string::npos);
}

TEST_F(ValidateTest, OptionsThatMeanNothingWhileInterceptingAreWarnedOf) {
  const auto warned = [this](const std::string& provider, const std::string& options, const std::string& proxy) {
    const std::string err =
        Validate("name: ok\nstates:\n  initial: a\n  a:\n    type: agent\n    provider: " + provider +
                 "\n    prompt: hi\n    options: {" + options + "}\n    mcp_proxy: {enable: " + proxy +
                 "}\n    on_success: z\n  z: {type: terminal}\n")
            .err;
    return err.find("' is ignored while the built-in tools are intercepted (" + options_.workflow + ":8:") !=
           std::string::npos;
  };
  const std::string skip = "dangerously_skip_permissions: true";
  for (const char* provider : {"claude", "gemini", "codex", "opencode", "copilot", "vibe"})
    EXPECT_TRUE(warned(provider, skip, "true")) << provider;
  EXPECT_TRUE(warned("claude", "dangerouslySkipPermissions: true", "true"));
  EXPECT_TRUE(warned("claude", "allowed_tools: Read", "true"));
  EXPECT_TRUE(warned("vibe", "agent_profile: plan", "true"));
  EXPECT_FALSE(warned("claude", "dangerously_skip_permissions: false", "true"));
  EXPECT_FALSE(warned("claude", "model: x", "true"));
  EXPECT_FALSE(warned("claude", skip, "false"));
}

TEST_F(ValidateTest, PrintsABlockPerFinding) {
  const Printed outcome = Validate(kBroken);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "Error: USER.PROVIDER.UNKNOWN\n"
            "Step: a\n"
            "Details: provider 'cluade' does not exist; there are claude, gemini, codex, opencode, "
            "github_copilot, mistral_vibe, openai_compatible (" +
                options_.workflow +
                ":6:15)\n"
                "Hint: did you mean 'claude'?\n"
                "\n"
                "Error: WORKFLOW.VALIDATION.MISSING_STATE\n"
                "Step: a\n"
                "Details: there is no state 'zz' (" +
                options_.workflow +
                ":8:17)\n"
                "Hint: did you mean 'z'?\n");
  options_.global.no_hints = true;
  EXPECT_EQ(Validate(kBroken).err.find("Hint"), std::string::npos);
}

TEST_F(ValidateTest, WarningsFailOnlyWhenStrict) {
  const Printed outcome = Validate(kWarned);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_TRUE(outcome.err.starts_with("Warning: WORKFLOW.VALIDATION.UNREACHABLE_STATE\n"));
  EXPECT_EQ(outcome.out, options_.workflow + ": valid\n");
  options_.strict = true;
  EXPECT_EQ(Validate(kWarned).exit_code, 2);
  EXPECT_EQ(Validate(kWarned).out, "");
}

TEST_F(ValidateTest, WritesJson) {
  options_.global.format = OutputFormat::kJson;
  const std::string file = json::serialize(json::string(options_.workflow));
  const Printed valid = Validate(kWarned);
  EXPECT_EQ(valid.out, R"({"valid":true,"workflow":"ok","file":)" + file +
                           R"(,"errors":[],"warnings":[{"code":"WORKFLOW.VALIDATION.UNREACHABLE_STATE","step":"y",)"
                           R"("field":"","message":"state 'y' is never reached","file":)" +
                           file + R"(,"line":4,"column":3,"hint":"add a transition to it or remove it"}]})" + "\n");
  const Printed broken = Validate(kBroken);
  EXPECT_EQ(broken.exit_code, 1);
  EXPECT_EQ(broken.err, "");
  const json::object report = json::parse(broken.out).as_object();
  EXPECT_EQ(report.at("valid"), false);
  EXPECT_EQ(report.at("errors").as_array().size(), 2U);
  EXPECT_EQ(report.at("errors").as_array()[1].at("field"), "on_success");
}

TEST_F(ValidateTest, OptionsOfTheConfigurationCount) {
  options_.config.providers["openai_compatible"].options = {{"base_url", "http://localhost"}, {"model", "m"}};
  const Printed outcome = Validate(
      "name: ok\nstates:\n  initial: a\n  a: {type: agent, provider: openai_compatible, prompt: hi, on_success: z}\n"
      "  z: {type: terminal}\n");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(ValidateTest, MissingFilesAreUserErrors) {
  options_.workflow = (folder_ / "none.yaml").string();
  const Printed outcome = PrintedBy([&] { return ValidateCommand(options_); });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err, "Error: USER.WORKFLOW.NOT_FOUND\nDetails: there is no file " + options_.workflow +
                             "\nHint: give a path, or the name of a workflow\n");
}

TEST_F(ValidateTest, AWorkflowIsFoundByName) {
  fs::create_directory(folder_ / "flows");
  std::ofstream(folder_ / "flows" / "nightly.yaml") << kValid;
  ::setenv("AWF_WORKFLOWS_PATH", (folder_ / "flows").c_str(), 1);
  options_.workflow = "nightly";
  EXPECT_EQ(PrintedBy([&] { return ValidateCommand(options_); }).out,
            (folder_ / "flows" / "nightly.yaml").string() + ": valid\n");
  options_.workflow = "nihgtly";
  const Printed outcome = PrintedBy([&] { return ValidateCommand(options_); });
  ::unsetenv("AWF_WORKFLOWS_PATH");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("did you mean 'nightly'?"), std::string::npos) << outcome.err;
}

TEST_F(ValidateTest, AFolderIsCheckedFileByFile) {
  std::ofstream(folder_ / "b.yml") << "name: x\nstates:\n  initial: nowhere\n";
  std::ofstream(folder_ / "a.yaml") << kValid;
  std::ofstream(folder_ / "c.yaml") << kWarned;
  std::ofstream(folder_ / "notes.txt") << "not yaml";
  fs::create_directory(folder_ / "below.yaml");
  options_.workflow.clear();
  options_.folder = folder_.string();
  const auto line = [&](const char* verdict, const char* file) { return verdict + (folder_ / file).string() + "\n"; };
  const Printed outcome = PrintedBy([&] { return ValidateCommand(options_); });
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out,
            line("OK    ", "a.yaml") + line("FAIL  ", "b.yml") + line("OK    ", "c.yaml") + "3 files: 2 OK, 1 FAIL\n");
  EXPECT_NE(outcome.err.find("Error: WORKFLOW.VALIDATION.MISSING_STATE\n"), std::string::npos);
  options_.strict = true;
  options_.global.format = OutputFormat::kJson;
  const Printed strict = PrintedBy([&] { return ValidateCommand(options_); });
  const json::value report = json::parse(strict.out);
  EXPECT_EQ(report.at("failed"), 2);
  EXPECT_EQ(report.at("files").as_array().size(), 3U);
  EXPECT_EQ(report.at("files").at(2).at("valid"), false);
  EXPECT_EQ(strict.exit_code, 2);
}

TEST_F(ValidateTest, OfAFolderTheFirstErrorByClassGivesTheExitCode) {
  std::ofstream(folder_ / "a.yaml") << kBroken;
  std::ofstream(folder_ / "b.yaml") << "name: x\nstates:\n  initial: nowhere\n";
  options_.workflow.clear();
  options_.folder = folder_.string();
  EXPECT_EQ(PrintedBy([&] { return ValidateCommand(options_); }).exit_code, 1);
}

TEST_F(ValidateTest, AFolderWithoutWorkflowsIsAnError) {
  options_.folder = folder_.string();
  const Printed outcome = PrintedBy([&] { return ValidateCommand(options_); });
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "Error: USER.WORKFLOW.NOT_FOUND\nDetails: there is no .yaml or .yml file in " + folder_.string() + "\n");
}

TEST(ErrorCommandTest, ExplainsACode) {
  const CatalogueEntry& entry = *FindErrorCode("EXECUTION.RUN.STEP_LIMIT");
  const Printed outcome = PrintedBy([] { return ErrorCommand({}, "execution.run.step_limit"); });
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "EXECUTION.RUN.STEP_LIMIT\n  " + std::string(entry.description) + "\n  " +
                             std::string(entry.resolution) + "\n  Related: " + std::string(entry.related) + "\n");
}

TEST(ErrorCommandTest, ListsAPrefix) {
  GlobalOptions global;
  global.format = OutputFormat::kJson;
  const Printed outcome = PrintedBy([&] { return ErrorCommand(global, "EXECUTION.RUN."); });
  const json::value list = json::parse(outcome.out);
  ASSERT_EQ(list.as_array().size(), 2U);
  EXPECT_EQ(list.at(0).at("code"), "EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(list.at(1).at("class"), "EXECUTION");
  EXPECT_EQ(list.at(1).at("exit_code"), 3);
  EXPECT_EQ(list.at(1).at("related"), json::array{"EXECUTION.LOOP.LIMIT"});
}

TEST(ErrorCommandTest, UnknownCodesGetASuggestion) {
  const auto hint = [](const std::string& code) {
    const Printed outcome = PrintedBy([&] { return ErrorCommand({}, code); });
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(outcome.err.starts_with("Error: USER.INPUT.INVALID_FORMAT\nDetails: there is no error code '" + code));
    return outcome.err.substr(outcome.err.find("Hint: "));
  };
  EXPECT_EQ(hint("EXECUTION.AGENT.FALED"), "Hint: did you mean EXECUTION.AGENT.FAILED?\n");
  EXPECT_EQ(hint("EMPTY_PROXY"), "Hint: did you mean USER.MCP_PROXY.EMPTY_PROXY?\n");
  EXPECT_EQ(hint("NONSENSE"), "Hint: awf error lists all codes\n");
}

TEST(ReportErrorsTest, FirstByClassGivesTheExitCode) {
  const std::vector<Error> errors = {
      {"EXECUTION.AGENT.FAILED", "agent", "", {}, "ask", ""},
      {"USER.PROVIDER.UNKNOWN", "bad \xFF name", "why", {"f.yaml", 3, 4}, "", "provider"}};
  const Printed text = PrintedBy([&] { return ReportErrors(errors, {}); });
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_EQ(text.err,
            "Error: EXECUTION.AGENT.FAILED\nStep: ask\nDetails: agent\n\n"
            "Error: USER.PROVIDER.UNKNOWN\nDetails: bad \xEF\xBF\xBD name (f.yaml:3:4)\nHint: why\n");
  GlobalOptions global;
  global.format = OutputFormat::kJson;
  const Printed as_json = PrintedBy([&] { return ReportErrors(errors, global); });
  EXPECT_EQ(as_json.err, "");
  EXPECT_EQ(as_json.out,
            "{\"success\":false,\"error\":{\"code\":\"USER.PROVIDER.UNKNOWN\",\"message\":\"bad \xEF\xBF\xBD name\","
            "\"step\":\"\",\"details\":{\"field\":\"provider\",\"file\":\"f.yaml\",\"line\":3,\"column\":4,"
            "\"others\":[{\"code\":\"EXECUTION.AGENT.FAILED\",\"step\":\"ask\",\"field\":\"\",\"message\":\"agent\","
            "\"file\":\"\",\"line\":0,\"column\":0,\"hint\":\"\"}]},\"hints\":[\"why\"]},\"exit_code\":1}\n");
  EXPECT_EQ(PrintedBy([] { return ReportErrors({}, {}); }).exit_code, 0);
}

TEST(ErrorBlockTest, IsSafeForATerminal) {
  EXPECT_EQ(
      ErrorBlock({"USER.INPUT.INVALID_FORMAT", "\x1b[2Jtwo\nlines\n", "", {}, "a\x07", ""}, Severity::kNote, true),
      "Note: USER.INPUT.INVALID_FORMAT\nStep: a\nDetails: two\nlines\n");
}

TEST(ErrorBlockTest, ThePlaceStandsBehindTheTextWhateverItsEnd) {
  EXPECT_EQ(
      ErrorBlock({"EXECUTION.WORKFLOW.FAILED", "two\nlines\n", "", {"w.yaml", 3, 5}, "", ""}, Severity::kError, true),
      "Error: EXECUTION.WORKFLOW.FAILED\nDetails: two\nlines (w.yaml:3:5)\n");
}

}  // namespace
}  // namespace awf::cli

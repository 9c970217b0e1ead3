#include "application/validation/file_checker.h"

#include <gtest/gtest.h>

#include "application/validation/findings.h"
#include "application/validation/test_workflows.h"
#include "domain/test_files.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

class FileCheckerTest : public testing::Test {
 protected:
  // "CODE file:line:column message", a line each.
  std::string Check() {
    ValidationContext context;
    context.environment = [](const std::string& name) -> std::optional<std::string> {
      if (name == "HOME") return "/home/me";
      return std::nullopt;
    };
    context.files = &files_;
    context.folders = Folders::From(context.environment, "/project");
    Workflow workflow = builder_.workflow();
    workflow.file = "/project/flows/x.yaml";
    std::vector<Finding> findings;
    ValidateWorkflow(workflow, context, findings);
    SortFindings(findings);
    std::string text;
    for (const Finding& finding : findings) {
      const Error& error = finding.error;
      text += error.code.substr(error.code.rfind('.') + 1) + " " + error.position.file + ":" +
              std::to_string(error.position.line) + ":" + std::to_string(error.position.column) + " " + error.message +
              "\n";
    }
    return text;
  }

  WorkflowBuilder builder_;
  FilesInMemory files_;
};

TEST_F(FileCheckerTest, APromptFileIsATemplateWithPositionsOfItsOwn) {
  files_.texts["/project/flows/p.md"] = "Hello\n\xC3\xA4 {{.inputs.who}} {{.inputs.woh}}\n{{.states.a.Output}}\n";
  builder_.Input("who");
  builder_.Agent("a", "p.md").on_success = builder_.Target("z");
  builder_.Terminal("z");
  EXPECT_EQ(Check(),
            "UNDEFINED_REFERENCE /project/flows/p.md:2:21 there is no input 'woh'\n"
            "FORWARD_REFERENCE /project/flows/p.md:3:3 state 'a' reads its own result before it has run\n");
}

TEST_F(FileCheckerTest, ASyntaxFaultOfAPromptFileStandsInIt) {
  files_.texts["/project/flows/p.md"] = "one\ntwo {{if}}\n";
  builder_.Agent("a", "p.md").on_success = builder_.Target("z");
  builder_.Terminal("z");
  EXPECT_TRUE(Check().starts_with("TEMPLATE_SYNTAX /project/flows/p.md:2:")) << Check();
}

TEST_F(FileCheckerTest, MissingFilesAreToldAtThePathAsWritten) {
  builder_.Agent("a", "~/p.md").on_success = builder_.Target("b");
  State& b = builder_.Step("b", "z");
  b.body = CommandState{{}, builder_.Text("run.sh")};
  builder_.Terminal("z");
  EXPECT_EQ(Check(),
            "MISSING_FILE x.yaml:1:10 there is no file /home/me/p.md\n"
            "MISSING_FILE x.yaml:2:10 there is no file /project/flows/run.sh\n");
}

TEST_F(FileCheckerTest, AScriptIsNoTemplate) {
  files_.texts["/project/flows/run.sh"] = "echo {{.inputs.nobody}} {{if}}";
  builder_.Step("b", "z").body = CommandState{{}, builder_.Text("run.sh")};
  builder_.Terminal("z");
  EXPECT_EQ(Check(), "");
}

TEST_F(FileCheckerTest, FoldersOfAwfAreKnownOtherTemplatesAreNot) {
  files_.texts["/home/me/.config/awf/prompts/p.md"] = "{{.inputs.nobody}}";
  builder_.Agent("a", "{{.awf.prompts_dir}}/p.md").on_success = builder_.Target("b");
  builder_.Agent("b", "{{.awf.prompts_dir}}/q.md").on_success = builder_.Target("c");
  builder_.Agent("c", "{{.states.a.Output}}/r.md").on_success = builder_.Target("z");
  builder_.Terminal("z");
  EXPECT_EQ(Check(),
            "UNDEFINED_REFERENCE /home/me/.config/awf/prompts/p.md:1:3 there is no input 'nobody'\n"
            "MISSING_FILE x.yaml:2:10 there is no file /project/.awf/prompts/q.md\n");
}

TEST_F(FileCheckerTest, AFileOfManyStatesIsReadOnce) {
  files_.texts["/project/flows/p.md"] = "{{.inputs.nobody}}";
  builder_.Agent("a", "p.md").on_success = builder_.Target("b");
  builder_.Agent("b", "./p.md").on_success = builder_.Target("z");
  builder_.Terminal("z");
  const std::string finding = "UNDEFINED_REFERENCE /project/flows/p.md:1:3 there is no input 'nobody'\n";
  EXPECT_EQ(Check(), finding + finding);  // one for each state
  EXPECT_EQ(files_.reads, 1);
}

}  // namespace
}  // namespace awf

#include "cli/input_help.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

WorkflowInput& Add(Workflow& workflow, const std::string& name, const std::string& type = "string") {
  workflow.inputs.emplace_back();
  workflow.inputs.back().name = name;
  workflow.inputs.back().type = type;
  return workflow.inputs.back();
}

TEST(InputHelpTest, TellsAllOfEveryInput) {
  Workflow workflow;
  WorkflowInput& target = Add(workflow, "target");
  target.required = true;
  target.description = "Where to deploy to.\nAsk before prod.\n";
  target.validation.values = {"dev", "prod"};
  WorkflowInput& count = Add(workflow, "count", "integer");
  count.default_value = "3";
  count.required = true;  // the default serves
  count.validation.min = 1;
  count.validation.max = 9;
  Add(workflow, "least", "integer").validation.min = -1;
  Add(workflow, "most", "integer").validation.max = 7;
  WorkflowInput& file = Add(workflow, "file");
  file.default_value = "";
  file.validation.file_exists = true;
  file.validation.file_extensions = {".md", ".txt"};
  file.validation.pattern = "^[a-z]+";
  WorkflowInput& key = Add(workflow, "key");
  key.secret = true;
  key.default_value = "hunter2";
  Add(workflow, "verbose", "boolean");
  EXPECT_EQ(InputHelp(workflow, 80),
            "Inputs (-i name=value, or name=@FILE for the text of a file):\n"
            "  target   string, required\n"
            "           Where to deploy to.\n"
            "           Ask before prod.\n"
            "           one of: dev, prod\n"
            "  count    integer, default: 3\n"
            "           from 1 to 9\n"
            "  least    integer\n"
            "           at least -1\n"
            "  most     integer\n"
            "           at most 7\n"
            "  file     string, default: \"\"\n"
            "           pattern: ^[a-z]+\n"
            "           ends with .md or .txt\n"
            "           a file that exists\n"
            "  key      string, secret, default: ***\n"
            "  verbose  boolean\n");
}

TEST(InputHelpTest, WrapsBesideTheNames) {
  Workflow workflow;
  Add(workflow, "a").description =
      "one two three four five six seven averyveryverylongwordthatisalone end\u00e9\u4e16\u754c x";
  Add(workflow, "a_name_that_is_wider_than_most");
  const std::string head = "Inputs (-i name=value, or name=@FILE for the text of a file):\n";
  EXPECT_EQ(InputHelp(workflow, 25), head +
                                         "  a  string\n"
                                         "     one two three four\n"
                                         "     five six seven\n"
                                         "     averyveryverylongwordthatisalone\n"
                                         "     end\u00e9\u4e16\u754c x\n"
                                         "  a_name_that_is_wider_than_most\n"
                                         "     string\n");
  EXPECT_EQ(InputHelp(workflow, 1), InputHelp(workflow, 25));  // 20 columns of text at least
  EXPECT_NE(InputHelp(workflow, 0).find("     one two three four five six seven avery"), std::string::npos);
}

TEST(InputHelpTest, IsSafeForATerminal) {
  Workflow workflow;
  WorkflowInput& input = Add(workflow, "a");
  input.description = "x\x1b]0;title\x07y\n\n  z";
  input.default_value = "p\nq\x1b[2J" + std::string(300, 'r');
  input.validation.values = {"\x1b[1mv"};
  EXPECT_EQ(InputHelp(workflow, 0),
            "Inputs (-i name=value, or name=@FILE for the text of a file):\n"
            "  a  string, default: p q" +
                std::string(196, 'r') +
                "…\n"
                "     xy\n"
                "\n"
                "     z\n"
                "     one of: v\n");
}

TEST(InputHelpTest, SaysWhenThereAreNone) { EXPECT_EQ(InputHelp({}, 80), "The workflow has no inputs.\n"); }

}  // namespace
}  // namespace awf::cli

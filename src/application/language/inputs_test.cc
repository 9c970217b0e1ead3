#include "application/language/inputs.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "domain/test_folder.h"
#include "domain/test_regexes.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

class InputsTest : public testing::Test {
 protected:
  InputsTest() {
    workflow_.file = "my flow.yaml";
    context_.regexes = &regexes_;
    context_.working_dir = folder_;
  }

  WorkflowInput& Add(const std::string& name, const std::string& type = "string") {
    WorkflowInput input;
    input.name = name;
    input.type = type;
    return workflow_.inputs.emplace_back(input);
  }
  std::string Resolved(const GivenInputs& given) const {
    const auto inputs = ResolveInputs(workflow_, given, context_);
    return inputs ? json::serialize(inputs->values) : "ERROR " + inputs.error().message;
  }
  // The phrase that refuses the value, "" when it passes.
  std::string Checked(const WorkflowInput& input, const json::value& value) const {
    const auto checked = CheckInput(input, value, context_);
    return checked ? "" : checked.error();
  }
  std::string WriteFile(const std::string& name, const std::string& text) const {
    return folder_.Put(name, text).string();
  }

  PlainRegexes regexes_;
  Workflow workflow_;
  InputContext context_;
  const TestFolder folder_;
};

TEST_F(InputsTest, DefaultsAreOverlaidAndCoerced) {
  Add("text").default_value = "1.10";
  Add("count", "integer").default_value = "3";
  Add("flag", "boolean").default_value = "yes";
  Add("optional");
  Add("number", "integer");
  EXPECT_EQ(Resolved({}), R"({"text":"1.10","count":3,"flag":true,"optional":"","number":null})");
  EXPECT_EQ(Resolved({{"count", "4"}, {"count", "+5"}, {"flag", "NO"}, {"optional", "a=b"}}),
            R"({"text":"1.10","count":5,"flag":false,"optional":"a=b","number":null})");
}

TEST_F(InputsTest, StrongerSourcesWinWhateverTheOrder) {
  for (const char* name : {"answer", "flag", "file", "config", "none"}) Add(name).default_value = "default";
  GivenInputs given;
  for (const auto& [source, names] :
       std::map<InputSource, std::vector<std::string>>{{InputSource::kConfig, {"config", "file", "flag", "answer"}},
                                                       {InputSource::kFile, {"file", "flag", "answer"}},
                                                       {InputSource::kFlag, {"flag", "answer"}},
                                                       {InputSource::kAnswer, {"answer"}}}) {
    for (const std::string& name : names) {
      given.insert(given.begin(), {name, "from " + std::to_string(static_cast<int>(source)), source});
    }
  }
  const auto inputs = ResolveInputs(workflow_, given, context_);
  ASSERT_TRUE(inputs.has_value());
  EXPECT_EQ(json::serialize(inputs->values),
            R"({"answer":"from 4","flag":"from 3","file":"from 2","config":"from 1","none":"default"})");
  EXPECT_EQ(inputs->sources, (std::map<std::string, InputSource>{{"answer", InputSource::kAnswer},
                                                                 {"flag", InputSource::kFlag},
                                                                 {"file", InputSource::kFile},
                                                                 {"config", InputSource::kConfig},
                                                                 {"none", InputSource::kDefault}}));
}

TEST_F(InputsTest, AllProblemsComeAtOnce) {
  Add("target").required = true;
  Add("count", "integer");
  Add("flag", "boolean");
  Add("key", "integer").secret = true;
  Add("api_token", "boolean");  // a secret by its name
  Add("level").validation.values = {"low", "high"};
  Add("fine").required = true;
  const auto inputs = ResolveInputs(workflow_,
                                    {{"count", "many"},
                                     {"flag", "maybe", InputSource::kFile},
                                     {"traget", "x"},
                                     {"key", "s3cret"},
                                     {"api_token", "hunter2"},
                                     {"level", "hihg", InputSource::kConfig},
                                     {"fine", "yes"}},
                                    context_);
  ASSERT_FALSE(inputs.has_value());
  EXPECT_EQ(inputs.error().code, "USER.INPUT.VALIDATION_FAILED");
  EXPECT_EQ(inputs.error().message,
            "there is no input 'traget'; did you mean 'target'?\n"
            "input 'target' is required\n"
            "input 'count' 'many' is no integer\n"
            "input 'flag' 'maybe' is no boolean: write true or false (from the input file)\n"
            "input 'key' is no integer\n"
            "input 'api_token' is no boolean: write true or false\n"
            "input 'level' 'hihg' is none of low, high (did you mean 'high'?) (from the configuration)");
  EXPECT_EQ(inputs.error().hint,
            "as in: awf run 'my flow.yaml' -i target=… -i count=… -i flag=… -i key=… -i api_token=… -i level=low "
            "-i fine=…");
}

TEST_F(InputsTest, UnknownNamesArePassedOverInTheConfigurationAlone) {
  Add("first");
  Add("second");
  EXPECT_EQ(Resolved({{"other", "x", InputSource::kConfig}}), R"({"first":"","second":""})");
  EXPECT_EQ(Resolved({{"other", "x", InputSource::kFile}}), "ERROR there is no input 'other' (from the input file)");
  EXPECT_EQ(ResolveInputs(workflow_, {{"other", "x"}}, context_).error().hint,
            "the workflow's inputs are: first, second");
  workflow_.inputs.clear();
  EXPECT_EQ(ResolveInputs(workflow_, {{"other", "x"}}, context_).error().hint, "the workflow has no inputs");
}

TEST_F(InputsTest, RequiredStringsMustNotBeEmpty) {
  Add("target").required = true;
  EXPECT_EQ(Resolved({{"target", ""}}), "ERROR input 'target' must not be empty");
}

TEST_F(InputsTest, AtSignReadsAFile) {
  Add("text");
  EXPECT_EQ(Resolved({{"text", "@" + WriteFile("a.txt", "line\n")}}), R"({"text":"line\n"})");
  EXPECT_EQ(Resolved({{"text", "@a.txt"}}), R"({"text":"line\n"})");
  EXPECT_EQ(Resolved({{"text", "@@x"}}), R"({"text":"@x"})");
  EXPECT_EQ(Resolved({{"text", "@a.txt", InputSource::kFile}}), R"({"text":"@a.txt"})");
  EXPECT_EQ(Resolved({{"text", "@@x", InputSource::kAnswer}}), R"({"text":"@@x"})");
  const std::string fitting = WriteFile("fitting", std::string(1U << 20, 'x'));
  EXPECT_EQ(Resolved({{"text", "@" + fitting}}).size(), (1U << 20) + 11);
}

TEST_F(InputsTest, FilesThatCannotBeTakenAreNamed) {
  Add("text");
  const auto refused = [&](const std::string& path) {
    const std::string text = Resolved({{"text", "@" + path}});
    const std::string begin = "ERROR input 'text' cannot be read from a file: the file " + path + " ";
    EXPECT_EQ(text.substr(0, begin.size()), begin);
    return text.substr(std::min(begin.size(), text.size()));
  };
  const std::string end = "; @@ stands for a literal @";
  EXPECT_EQ(refused((folder_ / "none").string()), "does not exist" + end);
  EXPECT_EQ(refused("/dev/zero"), "is no regular file" + end);
  EXPECT_EQ(refused(WriteFile("large", std::string((1U << 20) + 1, 'x'))), "is larger than 1 MiB" + end);
  EXPECT_EQ(refused(WriteFile("latin", "\xE9")), "is not UTF-8" + end);
}

TEST_F(InputsTest, ASecretThatBeginsWithAtIsNotShown) {
  Add("key").secret = true;
  EXPECT_EQ(Resolved({{"key", "@hunter2"}}),
            "ERROR input 'key' cannot be read from a file: the file does not exist; @@ stands for a literal @");
}

TEST_F(InputsTest, PromptFoldersComeBeforeTheWorkingFolder) {
  Add("text");
  context_.folders = {folder_ / "local", folder_ / "global"};
  WriteFile("both.md", "here");
  WriteFile("own.md", "own");
  WriteFile("local/both.md", "local");
  WriteFile("global/both.md", "global");
  WriteFile("global/only.md", "only");
  WriteFile("outside.md", "outside");
  EXPECT_EQ(Resolved({{"text", "@both.md"}}), R"({"text":"local"})");
  EXPECT_EQ(Resolved({{"text", "@only.md"}}), R"({"text":"only"})");
  EXPECT_EQ(Resolved({{"text", "@own.md"}}), R"({"text":"own"})");
  EXPECT_EQ(Resolved({{"text", "@" + (folder_ / "both.md").string()}}), R"({"text":"here"})");
  fs::create_directory(folder_ / "below");
  context_.working_dir = folder_ / "below";
  context_.folders = {folder_ / "local"};
  WriteFile("below.md", "beside");
  EXPECT_EQ(Resolved({{"text", "@../both.md"}}), R"({"text":"here"})");  // not that of local/..
}

TEST_F(InputsTest, TextsMustBeUtf8WithoutNul) {
  Add("text");
  EXPECT_EQ(Resolved({{"text", "\xE9"}}), "ERROR input 'text' is not UTF-8");
  EXPECT_EQ(Resolved({{"text", std::string("a\0b", 3)}}), "ERROR input 'text' holds a NUL byte");
}

TEST_F(InputsTest, IntegersMustFit) {
  Add("count", "integer");
  EXPECT_EQ(Resolved({{"count", "-9223372036854775808"}}), R"({"count":-9223372036854775808})");
  EXPECT_EQ(Resolved({{"count", "9223372036854775808"}}),
            "ERROR input 'count' '9223372036854775808' does not fit into 64 bits");
  for (const char* text : {"", "1.0", "0x10", " 1", "1 ", "+-1", "\u0661"}) {
    EXPECT_EQ(Resolved({{"count", text}}), "ERROR input 'count' '" + std::string(text) + "' is no integer");
  }
}

TEST_F(InputsTest, LongAndUnprintableValuesAreShownShortAndSafe) {
  Add("count", "integer");
  EXPECT_EQ(Resolved({{"count", std::string(98, 'x') + "\u20ac\u20ac"}}),
            "ERROR input 'count' '" + std::string(98, 'x') + "…' is no integer");
  EXPECT_EQ(Resolved({{"count", "a\x1b[31mb\nc"}}), "ERROR input 'count' 'ab c' is no integer");
}

TEST_F(InputsTest, PatternsAreSearchedInTheWholeValue) {
  WorkflowInput input = Add("name");
  input.validation.pattern = "b";
  EXPECT_EQ(Checked(input, "abc"), "");
  EXPECT_EQ(Checked(input, "ac"), "'ac' does not match the pattern b");
  input.validation.pattern = "^4";
  EXPECT_EQ(Checked(input, 42), "");
  EXPECT_EQ(Checked(input, 24), "'24' does not match the pattern ^4");
  input.validation.pattern = "(";
  EXPECT_EQ(Checked(input, "x"), "'x' cannot be checked: the pattern is malformed: missing )");
  context_.regexes = nullptr;
  EXPECT_EQ(Checked(input, "x"), "");
}

TEST_F(InputsTest, EnumValuesAreOfTheInputsType) {
  WorkflowInput level = Add("level");
  level.validation.values = {"low", "high"};
  EXPECT_EQ(Checked(level, "high"), "");
  EXPECT_EQ(Checked(level, "High"), "'High' is none of low, high (did you mean 'high'?)");
  WorkflowInput count = Add("count", "integer");
  count.validation.values = {"1", "+2"};
  EXPECT_EQ(Checked(count, 2), "");
  EXPECT_EQ(Checked(count, 30), "'30' is none of 1, +2");
  level.secret = true;
  EXPECT_EQ(Checked(level, "High"), "is none of low, high");
}

TEST_F(InputsTest, BoundsIncludeTheirEnds) {
  WorkflowInput count = Add("count", "integer");
  count.validation.min = -1;
  count.validation.max = 3;
  EXPECT_EQ(Checked(count, -1), "");
  EXPECT_EQ(Checked(count, 3), "");
  EXPECT_EQ(Checked(count, -2), "'-2' is less than -1");
  EXPECT_EQ(Checked(count, 4), "'4' is more than 3");
  EXPECT_EQ(Checked(count, nullptr), "");  // not given
}

TEST_F(InputsTest, FilesMustExistAndEndAsAllowed) {
  WorkflowInput file = Add("file");
  file.validation.file_exists = true;
  file.validation.file_extensions = {".md", ".tar.gz"};
  WriteFile("notes.md", "");
  const std::string absolute = WriteFile("b.tar.GZ", "");
  EXPECT_EQ(Checked(file, "notes.md"), "");
  EXPECT_EQ(Checked(file, absolute.c_str()), "");
  fs::create_directory(folder_ / "folder.md");
  EXPECT_EQ(Checked(file, "folder.md"), "'folder.md' is a folder, not a file");
  EXPECT_EQ(Checked(file, "none.txt"), "'none.txt' does not end with .md or .tar.gz and is no file that exists");
  EXPECT_EQ(Checked(file, ""), "'' does not end with .md or .tar.gz and is no file that exists");
  file.secret = true;
  EXPECT_EQ(Checked(file, "none.md"), "is no file that exists");
}

TEST_F(InputsTest, MissingAreThoseRequiredWithoutValueOrDefault) {
  Add("one").required = true;
  Add("optional");
  WorkflowInput& covered = Add("covered");
  covered.required = true;
  covered.default_value = "x";
  Add("given").required = true;
  Add("two").required = true;
  std::vector<std::string> names;
  for (const WorkflowInput* input : MissingInputs(workflow_, {{"given", "", InputSource::kConfig}}))
    names.push_back(input->name);
  EXPECT_EQ(names, (std::vector<std::string>{"one", "two"}));
}

TEST(Inputs, VariablesAreInCapitals) { EXPECT_EQ(InputVariable("my_Input2"), "AWF_INPUT_MY_INPUT2"); }

}  // namespace
}  // namespace awf

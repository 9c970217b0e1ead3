#include "application/inputs.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace awf {
namespace {

namespace fs = std::filesystem;

class InputsTest : public testing::Test {
 protected:
  InputsTest() {
    std::string pattern = (fs::temp_directory_path() / "awf-inputs-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    workflow_.file = "my flow.yaml";
  }
  ~InputsTest() override { fs::remove_all(folder_); }

  WorkflowInput& Add(const std::string& name, const std::string& type = "string") {
    WorkflowInput input;
    input.name = name;
    input.type = type;
    return workflow_.inputs.emplace_back(input);
  }
  std::string Resolved(const GivenInputs& given) const {
    const auto inputs = ResolveInputs(workflow_, given);
    return inputs ? json::serialize(*inputs) : "ERROR " + inputs.error().message;
  }
  std::string WriteFile(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

  Workflow workflow_;
  fs::path folder_;
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

TEST_F(InputsTest, AllProblemsComeAtOnce) {
  Add("target").required = true;
  Add("count", "integer");
  Add("flag", "boolean");
  Add("key", "integer").secret = true;
  const auto inputs =
      ResolveInputs(workflow_, {{"count", "many"}, {"flag", "maybe"}, {"traget", "x"}, {"key", "s3cret"}});
  ASSERT_FALSE(inputs.has_value());
  EXPECT_EQ(inputs.error().code, "USER.INPUT.VALIDATION_FAILED");
  EXPECT_EQ(inputs.error().message,
            "there is no input 'traget'; did you mean 'target'?\n"
            "input 'target' is required\n"
            "input 'count' 'many' is no integer\n"
            "input 'flag' 'maybe' is no boolean: write true or false\n"
            "input 'key' is no integer");
  EXPECT_EQ(inputs.error().hint, "as in: awf run 'my flow.yaml' -i target=…");
}

TEST_F(InputsTest, RequiredStringsMustNotBeEmpty) {
  Add("target").required = true;
  EXPECT_EQ(Resolved({{"target", ""}}), "ERROR input 'target' must not be empty");
}

TEST_F(InputsTest, AtSignReadsAFile) {
  Add("text");
  EXPECT_EQ(Resolved({{"text", "@" + WriteFile("a.txt", "line\n")}}), R"({"text":"line\n"})");
  EXPECT_EQ(Resolved({{"text", "@@x"}}), R"({"text":"@x"})");
  const std::string missing = (folder_ / "none").string();
  EXPECT_EQ(Resolved({{"text", "@" + missing}}), "ERROR input 'text': file " + missing + " does not exist");
  EXPECT_EQ(Resolved({{"text", "@/dev/zero"}}), "ERROR input 'text': file /dev/zero does not exist");
  const std::string large = WriteFile("large", std::string((1U << 20) + 1, 'x'));
  EXPECT_EQ(Resolved({{"text", "@" + large}}), "ERROR input 'text': file " + large + " is larger than 1 MiB");
  const std::string fitting = WriteFile("fitting", std::string(1U << 20, 'x'));
  EXPECT_EQ(Resolved({{"text", "@" + fitting}}).size(), (1U << 20) + 11);
  const std::string latin = WriteFile("latin", "\xE9");
  EXPECT_EQ(Resolved({{"text", "@" + latin}}), "ERROR input 'text': file " + latin + " is not UTF-8");
  EXPECT_EQ(Resolved({{"text", "\xE9"}}), "ERROR input 'text': is not UTF-8");
  EXPECT_EQ(Resolved({{"text", std::string("a\0b", 3)}}), "ERROR input 'text' holds a NUL byte");
}

TEST_F(InputsTest, IntegersMustFit) {
  Add("count", "integer");
  EXPECT_EQ(Resolved({{"count", "-9223372036854775808"}}), R"({"count":-9223372036854775808})");
  for (const char* text : {"9223372036854775808", "", "1.0", "0x10", " 1", "1 ", "+-1"}) {
    EXPECT_EQ(Resolved({{"count", text}}), "ERROR input 'count' '" + std::string(text) + "' is no integer");
  }
}

TEST(Inputs, VariablesAreInCapitals) { EXPECT_EQ(InputVariable("my_Input2"), "AWF_INPUT_MY_INPUT2"); }

}  // namespace
}  // namespace awf

#include "infrastructure/probe/request_reader.h"

#include <gtest/gtest.h>

namespace awf::probe {
namespace {

json::value Parse(std::string_view text) { return json::parse(json::string_view(text.data(), text.size())); }

// "id=text" of each answer.
std::vector<std::string> Answers(std::string_view body) {
  std::vector<std::string> texts;
  for (const ToolAnswer& answer : ToolAnswers(Parse(body))) texts.push_back(answer.call + "=" + answer.text);
  return texts;
}

TEST(RequestReaderTest, AnswersInAllFormats) {
  const std::vector<std::string> expected = {"a=one", "b=two"};
  EXPECT_EQ(Answers(R"({"messages":[{"role":"user","content":"go"},{"role":"assistant","tool_calls":[]},
      {"role":"tool","tool_call_id":"a","content":"one"},
      {"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"two"}]}]})"),
            expected);
  EXPECT_EQ(Answers(R"({"messages":[{"role":"user","content":[{"type":"text","text":"go"},
      {"type":"tool_result","tool_use_id":"a","is_error":true,"content":"one"},
      {"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"two"}]}]}]})"),
            expected);
  EXPECT_EQ(Answers(R"({"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"go"}]},
      {"type":"function_call","call_id":"a"},{"type":"function_call_output","call_id":"a","output":"one"},
      {"type":"custom_tool_call_output","call_id":"b","output":[{"type":"input_text","text":"two"}]}]})"),
            expected);
  EXPECT_EQ(Answers(R"({"contents":[{"role":"user","parts":[{"text":"go"}]},
      {"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"one"}}},
                              {"functionResponse":{"name":"b","response":{"error":"two"}}}]}]})"),
            expected);
  EXPECT_EQ(Answers(R"({"input":"go"})"), std::vector<std::string>());
  EXPECT_EQ(Answers("[1]"), std::vector<std::string>());
}

TEST(RequestReaderTest, NamesInAllFormats) {
  EXPECT_EQ(NamesOfTools(Parse(R"({"tools":[{"type":"function","function":{"name":"a"}},{"name":"b"},
      {"type":"web_search"},{"type":"namespace","name":"n","tools":[{"name":"c"}]},
      {"functionDeclarations":[{"name":"d"},{"name":"a"}]},7]})")),
            (std::vector<std::string>{"a", "b", "c", "d", "web_search"}));
  EXPECT_EQ(NamesOfTools(Parse(R"({"tools":{}})")), std::vector<std::string>());
  EXPECT_EQ(NamesOfTools(nullptr), std::vector<std::string>());
}

TEST(RequestReaderTest, RefusalsInTheWordsOfTheClis) {
  for (const char* text : {"<tool_use_error>Error: No such tool available: bash</tool_use_error>",
                           "Tool \"bash\" not found. Did you mean one of: \"mcp_awf_Read\"?", "unsupported call: bash",
                           "unsupported custom tool call: bash",
                           "Model tried to call unavailable tool 'invalid'. Available tools: awf-proxy_Bash.",
                           "Tool 'bash' does not exist.", "Unknown tool 'bash'"}) {
    EXPECT_TRUE(IsRefusal(text, "bash")) << text;
  }
  for (const char* text : {"", "done", "bash: foo: command not found", "the file 'bash' does not exist",
                           "Tool 'other' does not exist.", "permission denied"}) {
    EXPECT_FALSE(IsRefusal(text, "bash")) << text;
  }
}

}  // namespace
}  // namespace awf::probe

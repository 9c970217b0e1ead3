#include "tool_list.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mcp {
namespace {

Tool Named(std::string name, std::string_view schema = R"({"type":"object","properties":{}})") {
  Tool tool;
  tool.name = std::move(name);
  tool.input_schema = json::parse({schema.data(), schema.size()}).as_object();
  return tool;
}

std::string Refusal(const Tool& tool) {
  ToolList list(10, true);
  const auto added = list.Add(tool);
  return added ? "" : added.error().message;
}

TEST(ToolListTest, RefusesBadNames) {
  for (const std::string name : {"", "a b", "a.b", "a__b",
                                 "gr\xC3\xB6\xC3\x9F"
                                 "e",
                                 "x/y"}) {
    EXPECT_NE(Refusal(Named(name)), "") << name;
  }
  EXPECT_NE(Refusal(Named(std::string(49, 'a'))), "");
  EXPECT_EQ(Refusal(Named(std::string(48, 'a'))), "");
  EXPECT_EQ(Refusal(Named("Read_x-9")), "");
  ToolList list(10, true);
  EXPECT_TRUE(list.Add(Named("a")));
  EXPECT_EQ(list.Add(Named("a")).error().message, "tool name \"a\" is taken");
}

// Bugs 22 to 24, 37, 38 and 40: details of a schema for which clients drop a tool or the whole server.
TEST(ToolListTest, Bug37And38And40RefusesSchemasThatClientsChokeOn) {
  const std::vector<std::string> bad = {
      R"({})",
      R"({"type":"object"})",
      R"({"type":"string","properties":{}})",
      R"({"type":"object","properties":null})",
      R"({"type":"object","properties":{"a":true}})",
      R"({"type":"object","properties":{"a":{"type":["string","null"]}}})",
      R"({"type":"object","properties":{"a":{"type":"double"}}})",
      R"({"type":"object","properties":{"a":{"type":"array"}}})",
      R"({"type":"object","properties":{"a":{"type":"array","items":true}}})",
      R"({"type":"object","properties":{"a":{"type":"integer","enum":[1,2]}}})",
      R"({"type":"object","properties":{"a":{"type":"string","enum":[]}}})",
      R"({"type":"object","properties":{"a":{"type":"string","format":"uri"}}})",
      R"({"type":"object","properties":{"a":{"type":"string","default":"x"}}})",
      R"({"type":"object","properties":{"a":{"const":1}}})",
      R"({"type":"object","properties":{"a":{"$ref":"#/x"}}})",
      R"({"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"array"}}}}})",
      R"({"type":"object","properties":{"a":{"anyOf":[{"type":"array"}]}}})",
      R"({"type":"object","properties":{"a":{"anyOf":7}}})",
      R"({"type":"object","properties":{"a":{"not":{"type":7}}}})",
      R"({"type":"object","properties":{},"required":[]})",
      R"({"type":"object","properties":{},"required":["a"]})",
      R"({"type":"object","properties":{},"required":"a"})",
      R"({"type":"object","properties":{},"additionalProperties":false})",
      R"({"type":"object","properties":{},"$schema":"x"})",
      R"({"type":"object","properties":{},"anyOf":[]})",
      R"({"type":"object","properties":{},"if":{}})",
  };
  for (const std::string& schema : bad) {
    EXPECT_NE(Refusal(Named("t", schema)), "") << schema;
    ToolList unchecked(10, false);
    EXPECT_TRUE(unchecked.Add(Named("t", schema))) << schema;
  }
  EXPECT_EQ(Refusal(Named("t", R"({"type":"object","properties":{
      "format":{"type":"string","enum":["a"],"description":"x"},
      "list":{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer","minimum":0}}}},
      "any":{"anyOf":[{"type":"string"},{"type":"number"}]}},"required":["format"]})")),
            "");
  Tool wordy = Named("t");
  wordy.description = std::string(2048, 'x');
  EXPECT_NE(Refusal(wordy), "");
}

TEST(ToolListTest, WritesToolsWithWhatTheyHave) {
  ToolList list(10, true);
  ASSERT_TRUE(list.Add(Named("plain")));
  Tool full = Named("full");
  full.title = "Title";
  full.description = "Does \"it\".";
  full.annotations = {.read_only = false, .destructive = true, .idempotent = true, .open_world = false};
  full.meta = {{"k", 1}};
  ASSERT_TRUE(list.Add(full));
  EXPECT_EQ(
      list.First().json,
      R"("tools":[{"name":"plain","inputSchema":{"type":"object","properties":{}}},)"
      R"({"name":"full","title":"Title","description":"Does \"it\".",)"
      R"("inputSchema":{"type":"object","properties":{}},)"
      R"("annotations":{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false},)"
      R"("_meta":{"k":1}}])");
}

std::string CursorOf(const ToolList::Page& page) {
  const json::value parsed = json::parse("{" + page.json + "}");
  const json::value* cursor = parsed.get_object().if_contains("nextCursor");
  return cursor == nullptr ? "" : std::string(std::string_view(cursor->get_string()));
}

TEST(ToolListTest, GivesPagesAndKnowsItsOwnCursors) {
  ToolList list(2, true), other(2, true);
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    ASSERT_TRUE(list.Add(Named(name)));
    ASSERT_TRUE(other.Add(Named(name + "2")));
  }
  EXPECT_EQ(list.First().count, 2U);
  const std::string second = CursorOf(list.First());
  ASSERT_TRUE(list.After(second));
  const std::string third = CursorOf(*list.After(second));
  ASSERT_TRUE(list.After(third));
  EXPECT_EQ(list.After(third)->count, 1U);
  EXPECT_EQ(CursorOf(*list.After(third)), "");
  for (const std::string& cursor :
       {std::string(), std::string("xyz"), std::string("p2"), std::string("p2-0"), std::string("p1") + second.substr(2),
        second + "0", CursorOf(other.First()), std::string("p99999999999999999999999-1")}) {
    EXPECT_FALSE(list.After(cursor)) << cursor;
  }
  EXPECT_EQ(ToolList(2, true).First().json, R"("tools":[])");
}

}  // namespace
}  // namespace mcp

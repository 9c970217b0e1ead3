#include "infrastructure/agents/toml_text.h"

#include <gtest/gtest.h>

namespace awf::agents {
namespace {

TEST(TomlTextTest, StringsAreEscaped) {
  EXPECT_EQ(TomlString(""), R"("")");
  EXPECT_EQ(TomlString("plain 'text' = {x} # é"), R"("plain 'text' = {x} # é")");
  EXPECT_EQ(TomlString(R"(a"b\c)"), R"("a\"b\\c")");
  EXPECT_EQ(TomlString("\b\t\n\f\r"), R"("\b\t\n\f\r")");
  EXPECT_EQ(TomlString(std::string_view("\0\x01\x1f\x7f", 4)), R"("\u0000\u0001\u001F\u007F")");
  EXPECT_EQ(TomlString("a\xffz"), "\"a\xEF\xBF\xBDz\"");
  // What would end the string and the table around it.
  EXPECT_EQ(TomlString(R"("},evil={command="sh"}#)"), R"("\"},evil={command=\"sh\"}#")");
}

TEST(TomlTextTest, BareKeys) {
  for (const char* key : {"a", "A-b_9", "1"}) EXPECT_TRUE(IsBareTomlKey(key)) << key;
  for (const char* key : {"", "a.b", "a b", "é", "\"a\"", "a="}) EXPECT_FALSE(IsBareTomlKey(key)) << key;
}

TEST(TomlTextTest, ValuesOfAllKinds) {
  const json::value value = json::parse(
      R"({"name":"x","url.s":"\"","n":-3,"f":1.5,"yes":true,"no":null,"list":[1,null,"a",{"k":[]}],"t":{}})");
  EXPECT_EQ(TomlValue(value), R"({name="x","url.s"="\"",n=-3,f=1.5E0,yes=true,list=[1,"a",{k=[]}],t={}})");
  EXPECT_EQ(TomlValue(nullptr), R"("")");
}

}  // namespace
}  // namespace awf::agents

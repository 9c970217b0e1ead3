#include "infrastructure/agents/mistral_vibe_home.h"

#include <gtest/gtest.h>

#include "domain/test_folder.h"

namespace awf::agents {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

TEST(VibeHomeTest, IsNamedByTheEnvironment) {
  Environment environment;
  EXPECT_EQ(VibeHome(environment), "");
  environment.Set("HOME", "/home/u");
  EXPECT_EQ(VibeHome(environment), "/home/u/.vibe");
  environment.Set("VIBE_HOME", "/else");
  EXPECT_EQ(VibeHome(environment), "/else");
}

TEST(DotEnvTest, ReadsWhatDotEnvFilesHold) {
  EXPECT_EQ(DotEnvValues("A=1\nexport B = two words  # why\r\n# C=3\n\nD=\nE='it''s'\nF=\"q\\\"\\n#\" # x\nG=a#b\n"
                         "no name=1\nrest"),
            (Values{{"A", "1"}, {"B", "two words"}, {"E", "it"}, {"F", "q\"\n#"}, {"G", "a#b"}}));
  EXPECT_EQ(DotEnvValues(""), Values());
}

struct Settings {
  const char* name;
  const char* toml;
  const char* kept;
};

TEST(ModelSettingsTest, KeepsModelsAndProvidersOnly) {
  const Settings cases[] = {
      {"nothing", "", ""},
      {"keys", "active_model = \"x\"\ndisabled_tools = [\"awf*\"]\napi_timeout = 5",
       "active_model = \"x\"\napi_timeout = 5\n"},
      {"tables", "[tools.bash]\npermission = \"always\"\n[[providers]]\nname = \"p\"\n[[mcp_servers]]\nname = \"s\"\n",
       "[[providers]]\nname = \"p\"\n"},
      {"a key of a foreign table is not kept for its name",
       "[tools.x]\nactive_model = \"y\"\n[models.m]\nname = \"n\"\n", "[models.m]\nname = \"n\"\n"},
      {"quoted and dotted keys", "\"active_model\" = 'a'\nmodels.m.name = \"n\"\n'tools'.x = 1\n",
       "\"active_model\" = 'a'\nmodels.m.name = \"n\"\n"},
      {"a header within a string opens no table", "theme = '''\n[providers]\nx = \"''\n'''\nactive_model = \"a\"\n",
       "active_model = \"a\"\n"},
      {"a header within an array opens no table",
       "skill_paths = [\n  \"a\", # ]\n  [\"providers\"],\n]\nactive_model = \"a\"\n", "active_model = \"a\"\n"},
      {"kept values may be long", "allowed_models = [\n  \"a]\",\n  'b',\n]\n",
       "allowed_models = [\n  \"a]\",\n  'b',\n]\n"},
      {"a text that ends within a value", "active_model = \"a\"\nallowed_models = [\n", ""},
      {"a string that does not end", "active_model = \"a\n", ""},
  };
  for (const Settings& test : cases) EXPECT_EQ(ModelSettings(test.toml), test.kept) << test.name;
}

TEST(WithoutMentionsTest, BreaksThoseOfFilesThatExist) {
  const TestFolder top;
  top.Put("work/note.txt", "x");
  top.Put("work/two words.md", "x");
  top.Put("home/secret", "x");
  const auto changed = [&](std::string_view text) { return WithoutMentions(text, top / "work", top / "home"); };
  EXPECT_EQ(changed("see @note.txt and @./note.txt"), "see @ note.txt and @ ./note.txt");
  EXPECT_EQ(changed("(@note.txt)."), "(@ note.txt).");
  EXPECT_EQ(changed("@\"two words.md\" @'two words.md'"), "@ \"two words.md\" @ 'two words.md'");
  EXPECT_EQ(changed("@~/secret "
                    "@" +
                    (top / "work/note.txt").string()),
            "@ ~/secret @ " + (top / "work/note.txt").string());
  EXPECT_EQ(changed("me@note.txt, @Override, @missing.txt, @\"open, @"),
            "me@note.txt, @Override, @missing.txt, @\"open, @");
  EXPECT_EQ(changed("@~. @note.txt.)]}"), "@ ~. @ note.txt.)]}");
}

// What would take long to be looked for counts as a file: each of these took minutes once, the first of them 12 s.
TEST(WithoutMentionsTest, LongMentionsAreNotTriedInAllLengths) {
  const TestFolder top;
  const auto changed = [&](const std::string& text) { return WithoutMentions(text, top, top) != text; };
  EXPECT_TRUE(changed("@" + std::string(300'000, ')')));
  EXPECT_TRUE(changed("@" + std::string(1'000'000, 'x')));
  EXPECT_TRUE(changed("@missing.txt" + std::string(33, ')')));
  EXPECT_FALSE(changed("@missing.txt" + std::string(32, ')')));
}

}  // namespace
}  // namespace awf::agents

#include "application/language/folders.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "domain/test_files.h"

namespace awf {
namespace {

namespace fs = std::filesystem;
using Paths = std::vector<fs::path>;

EnvironmentLookup Environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

Folders From(std::map<std::string, std::string> variables) {
  return Folders::From(Environment(std::move(variables)), "/srv/project");
}

TEST(Folders, AreTheProjectsBeforeTheUsers) {
  const Folders folders = From({{"HOME", "/home/ann"}});
  EXPECT_EQ(folders.config, "/home/ann/.config/awf");
  EXPECT_EQ(folders.data, "/home/ann/.local/share/awf");
  EXPECT_EQ(folders.workflows, (Paths{"/srv/project/.awf/workflows", "/home/ann/.config/awf/workflows"}));
  EXPECT_EQ(folders.prompts, (Paths{"/srv/project/.awf/prompts", "/home/ann/.config/awf/prompts"}));
  EXPECT_EQ(folders.scripts, (Paths{"/srv/project/.awf/scripts", "/home/ann/.config/awf/scripts"}));
  EXPECT_EQ(folders.plugins, (Paths{"/srv/project/.awf/plugins", "/home/ann/.local/share/awf/plugins"}));
  EXPECT_EQ(folders.skills, (Paths{"/srv/project/.awf/skills", "/srv/project/.agents/skills",
                                   "/home/ann/.config/awf/skills", "/home/ann/.agents/skills"}));
  EXPECT_EQ(folders.roles, (Paths{"/srv/project/.awf/roles", "/srv/project/.agents/roles",
                                  "/home/ann/.config/awf/roles", "/home/ann/.agents/roles"}));
}

TEST(Folders, FollowTheVariablesOfXdg) {
  const Folders folders = From({{"HOME", "/home/ann"}, {"XDG_CONFIG_HOME", "/c//x/"}, {"XDG_DATA_HOME", "/d"}});
  EXPECT_EQ(folders.config, "/c/x/awf");
  EXPECT_EQ(folders.data, "/d/awf");
  EXPECT_EQ(folders.prompts.back(), "/c/x/awf/prompts");
  EXPECT_EQ(folders.plugins.back(), "/d/awf/plugins");
  const Folders relative = From({{"HOME", "/home/ann"}, {"XDG_CONFIG_HOME", "c"}, {"XDG_DATA_HOME", ""}});
  EXPECT_EQ(relative.config, "/home/ann/.config/awf");
  EXPECT_EQ(relative.data, "/home/ann/.local/share/awf");
}

TEST(Folders, ConfigHomeStandsForTheWholeConfigFolder) {
  const Folders folders = From({{"HOME", "/home/ann"}, {"XDG_CONFIG_HOME", "/c"}, {"AWF_CONFIG_HOME", "/mine/"}});
  EXPECT_EQ(folders.config, "/mine");
  EXPECT_EQ(folders.workflows.back(), "/mine/workflows");
  EXPECT_EQ(From({{"HOME", "/home/ann"}, {"AWF_CONFIG_HOME", "conf"}}).config, "/srv/project/conf");
  EXPECT_EQ(From({{"HOME", "/home/ann"}, {"AWF_CONFIG_HOME", "~/conf"}}).config, "/home/ann/conf");
}

TEST(Folders, ListsInVariablesStandAlone) {
  const Folders folders = From({{"HOME", "/home/ann"},
                                {"AWF_WORKFLOWS_PATH", "/a/:b/../c::~/d:/a"},
                                {"AWF_PROMPTS_PATH", "/p"},
                                {"AWF_PLUGINS_PATH", ":"},
                                {"AWF_SKILLS_PATH", "/s"},
                                {"AWF_ROLES_PATH", ""}});
  EXPECT_EQ(folders.workflows, (Paths{"/a", "/srv/project/c", "/home/ann/d"}));
  EXPECT_EQ(folders.prompts, (Paths{"/p"}));
  EXPECT_EQ(folders.plugins, Paths{});
  EXPECT_EQ(folders.skills, (Paths{"/s"}));
  EXPECT_EQ(folders.roles.size(), 4U);
}

TEST(Folders, WithoutAHomeAreTheProjectsAlone) {
  const Folders folders = From({});
  EXPECT_EQ(folders.config, "/srv/project/.awf");
  EXPECT_EQ(folders.data, "/srv/project/.awf");
  EXPECT_EQ(folders.prompts, (Paths{"/srv/project/.awf/prompts"}));
  EXPECT_EQ(folders.skills, (Paths{"/srv/project/.awf/skills", "/srv/project/.agents/skills"}));
  EXPECT_EQ(From({{"AWF_WORKFLOWS_PATH", "~/w"}}).workflows, (Paths{"/srv/project/~/w"}));
}

TEST(Folders, AreNamedInTemplatesByTheFirstOfEach) {
  EXPECT_EQ(From({{"HOME", "/home/ann"}, {"AWF_ROLES_PATH", ":"}}).Namespace("/d/runs/1"),
            (json::object{{"prompts_dir", "/srv/project/.awf/prompts"},
                          {"scripts_dir", "/srv/project/.awf/scripts"},
                          {"workflows_dir", "/srv/project/.awf/workflows"},
                          {"plugins_dir", "/srv/project/.awf/plugins"},
                          {"skills_dir", "/srv/project/.awf/skills"},
                          {"roles_dir", ""},
                          {"config_dir", "/home/ann/.config/awf"},
                          {"data_dir", "/home/ann/.local/share/awf"},
                          {"run_dir", "/d/runs/1"}}));
}

TEST(Folders, ResolveWhatAWorkflowNames) {
  const EnvironmentLookup environment = Environment({{"HOME", "/home/ann"}});
  const Folders folders = Folders::From(environment, "/srv/project");
  FilesInMemory files;
  for (const char* name :
       {"/home/ann/.config/awf/prompts/all/b.md", "/home/ann/.config/awf/scripts/s.sh",
        "/srv/project/.awf/prompts/c.md", "/home/ann/.config/awf/prompts/c.md", "/home/ann/.agents/skills/x/SKILL.md"})
    files.texts[name] = "";
  const auto resolved = [&](std::string_view written) {
    return folders.Resolve(written, "/flows/team", environment, files).string();
  };
  EXPECT_EQ(resolved("a.md"), "/flows/team/a.md");
  EXPECT_EQ(resolved("./x/../a.md"), "/flows/team/a.md");
  EXPECT_EQ(resolved("../a.md"), "/flows/a.md");
  EXPECT_EQ(resolved("../../../../a.md"), "/a.md");
  EXPECT_EQ(resolved("~/a.md"), "/home/ann/a.md");
  EXPECT_EQ(resolved("~//a.md"), "/home/ann/a.md");
  EXPECT_EQ(resolved("~ann/a.md"), "/flows/team/~ann/a.md");
  EXPECT_EQ(resolved("/x//a.md"), "/x/a.md");

  EXPECT_EQ(resolved("/srv/project/.awf/prompts/c.md"), "/srv/project/.awf/prompts/c.md");
  EXPECT_EQ(resolved("/srv/project/.awf/prompts/all/b.md"), "/home/ann/.config/awf/prompts/all/b.md");
  EXPECT_EQ(resolved("/srv/project/.awf/prompts/../prompts/all/b.md"), "/home/ann/.config/awf/prompts/all/b.md");
  EXPECT_EQ(resolved("/srv/project/.awf/scripts/s.sh"), "/home/ann/.config/awf/scripts/s.sh");
  EXPECT_EQ(resolved("/srv/project/.awf/skills/x/SKILL.md"), "/home/ann/.agents/skills/x/SKILL.md");
  EXPECT_EQ(resolved("/srv/project/.awf/prompts/none.md"), "/srv/project/.awf/prompts/none.md");
  EXPECT_EQ(resolved("/srv/project/.awf/prompts-2/c.md"), "/srv/project/.awf/prompts-2/c.md");
  EXPECT_EQ(resolved("/srv/project/.awf/prompts"), "/srv/project/.awf/prompts");
}

}  // namespace
}  // namespace awf

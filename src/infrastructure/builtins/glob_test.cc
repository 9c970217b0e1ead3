#include "infrastructure/builtins/glob.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "infrastructure/builtins/tool_fixture_for_tests.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf::builtins {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Glob : public ::testing::Test {
 protected:
  // As the router does it: arguments are checked first.
  ToolResult Result(const json::object& arguments) {
    const GlobTool tool(std::make_shared<const Confinement>(settings), settings);
    const auto checked = SchemaArgumentChecker().Check(tool.Definition(), arguments);
    if (!checked) return ToolResult::Failure(checked.error());
    return tool.Call(ToolCall{"0123456789abcdef", "Glob", *checked, deadline, cancelled});
  }
  std::string Text(const json::object& arguments) {
    const ToolResult result = Result(arguments);
    EXPECT_FALSE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  std::string Error(const json::object& arguments) {
    const ToolResult result = Result(arguments);
    EXPECT_TRUE(result.is_error) << TextOf(result);
    return TextOf(result);
  }
  void Strict() { settings.sandbox.mode = SandboxMode::kStrict; }

  // Modification times in the order of the names, the first one newest.
  void Touch(std::initializer_list<const char*> names) {
    int age = 0;
    for (const char* name : names) {
      folder.Put(name, "");
      const timespec times[2] = {{1'700'000'000 - age, 0}, {1'700'000'000 - age, 0}};
      ASSERT_EQ(::utimensat(AT_FDCWD, (folder.root() / name).c_str(), times, 0), 0);
      ++age;
    }
  }
  void Project() {
    Touch({"main.go", "cmd/cli.go", "internal/pkg.go", "internal/deep/x_test.go", ".github/workflows/ci.yml", ".env",
           "node_modules/x/package.json", "dist/app.js", "README.md", ".git/HEAD", ".git/config"});
    folder.Put(".gitignore", "dist/\nnode_modules/\n");
  }

  TestWorkspace folder;
  ToolSettings settings = folder.Settings();
  Deadline deadline;
  std::stop_token cancelled;
};

TEST_F(Glob, DoubleStarMeansAllLevelsAndStarOne) {
  Project();
  EXPECT_THAT(Text({{"pattern", "**/*.go"}, {"directory", "."}}),
              StartsWith("main.go\ncmd/cli.go\ninternal/pkg.go\ninternal/deep/x_test.go\n\n[2 ignored entries"));
  EXPECT_EQ(Text({{"pattern", "**/**/**/*.go"}}), Text({{"pattern", "**/*.go"}}));
  EXPECT_EQ(Text({{"pattern", "*.go"}}), "main.go");
  EXPECT_EQ(Text({{"pattern", "internal/**"}}), "internal/pkg.go\ninternal/deep/x_test.go");
  EXPECT_EQ(Text({{"pattern", "{main,cmd/cli}.go"}}), "main.go\ncmd/cli.go");
}

TEST_F(Glob, HiddenFilesCount) {
  Project();
  EXPECT_EQ(Text({{"pattern", ".github/workflows/*.yml"}}), ".github/workflows/ci.yml");
  EXPECT_THAT(Text({{"pattern", "**/*.yml"}}), StartsWith(".github/workflows/ci.yml"));
  EXPECT_THAT(Text({{"pattern", "**/.env*"}}), StartsWith(".env"));
}

TEST_F(Glob, IgnoredEntriesAreLeftOutAndTold) {
  Project();
  Touch({"a.json"});
  EXPECT_EQ(Text({{"pattern", "**/*.json"}}),
            "a.json\n\n[2 ignored entries not searched (.gitignore). Set include_ignored to search them.]");
  EXPECT_EQ(Text({{"pattern", "**/*.json"}, {"include_ignored", true}}), "a.json\nnode_modules/x/package.json");
  EXPECT_EQ(Text({{"pattern", "**/*.json"}, {"no_ignore", "true"}}), "a.json\nnode_modules/x/package.json");
  EXPECT_EQ(Text({{"pattern", "**/*.json"}, {"respect_git_ignore", false}}), "a.json\nnode_modules/x/package.json");
  EXPECT_EQ(Text({{"pattern", "node_modules/x/package.json"}}), "node_modules/x/package.json");
  EXPECT_THAT(Text({{"pattern", "**/node_modules/**/*.json"}}),
              StartsWith("node_modules/x/package.json\n\n[1 ignored entry"));  // that is dist
  EXPECT_EQ(Text({{"pattern", "**"}, {"directory", "dist"}}), "dist/app.js");
  EXPECT_EQ(Text({{"pattern", "dist/*"}}), "dist/app.js");
  EXPECT_EQ(Text({{"pattern", "*.js"}}), "No files found for \"*.js\" in \".\".");
}

TEST_F(Glob, NodeModulesNeedNoRule) {
  Touch({"node_modules/a.js", "b.js"});
  EXPECT_EQ(Text({{"pattern", "**/*.js"}}),
            "b.js\n\n[1 ignored entry not searched (node_modules). Set include_ignored to search it.]");
}

TEST_F(Glob, NothingOfGit) {
  Project();
  const std::string text = Text({{"pattern", "**/*"}, {"include_ignored", true}});
  EXPECT_THAT(text, HasSubstr("README.md"));
  EXPECT_THAT(text, Not(HasSubstr(".git/")));
}

TEST_F(Glob, NestedRulesWithNegation) {
  folder.Put(".gitignore", "*.log\n");
  folder.Put("a/.gitignore", "!keep.log\n");
  Touch({"x.log", "a/keep.log", "a/y.log", "a/b/keep.log", "a/b/z.txt"});
  const std::string text = Text({{"pattern", "**/[a-z]*"}});
  EXPECT_THAT(text, StartsWith("a/keep.log\na/b/keep.log\na/b/z.txt\n\n[2 ignored"));
}

TEST_F(Glob, FolderLinksAreNotFollowedUnlessNamed) {
  Touch({"d/f.go"});
  fs::create_symlink(".", folder.root() / "d/self");
  fs::create_symlink("..", folder.root() / "d/up");
  folder.Put(folder.out() / "d/secret.txt", "");
  fs::create_symlink(folder.out() / "d", folder.root() / "ext");
  EXPECT_EQ(Text({{"pattern", "**/*.go"}}), "d/f.go");
  EXPECT_THAT(Text({{"pattern", "**/*.txt"}}), StartsWith("No files found"));
  EXPECT_EQ(Text({{"pattern", "ext/*.txt"}}), "ext/secret.txt");
  EXPECT_EQ(Text({{"pattern", "*.txt"}, {"directory", "ext"}}), "ext/secret.txt");
  Strict();
  EXPECT_THAT(Error({{"pattern", "ext/*.txt"}}), StartsWith("Blocked by the sandbox (strict): cannot read ext"));
}

TEST_F(Glob, FileLinksCountWhenTheyLeadIntoTheWorkspace) {
  Touch({"real.txt"});
  folder.Put(folder.out() / "o.txt", "");
  fs::create_symlink("real.txt", folder.root() / "in.txt");
  fs::create_symlink(folder.out() / "o.txt", folder.root() / "out.txt");
  fs::create_symlink("nowhere", folder.root() / "dangling.txt");
  fs::create_symlink(".", folder.root() / "folder.txt");
  EXPECT_EQ(Text({{"pattern", "*.txt"}}), "in.txt\nreal.txt");
}

TEST_F(Glob, TheSandboxHoldsForPatternsToo) {
  folder.Put(folder.out() / "secret.txt", "");
  EXPECT_EQ(Text({{"pattern", "../out/*.txt"}}), (folder.out() / "secret.txt").string());
  EXPECT_EQ(Text({{"pattern", "*.txt"}, {"directory", folder.out().string()}}), (folder.out() / "secret.txt").string());
  Strict();
  const ToolResult result = Result({{"pattern", "../out/*.txt"}});
  EXPECT_TRUE(result.is_error);
  EXPECT_EQ(result.fields.denied, "sandbox");
  EXPECT_THAT(Error({{"pattern", "/etc/host*"}}), HasSubstr("sandbox"));
}

TEST_F(Glob, AbsolutePatterns) {
  Touch({"s/a.c"});
  EXPECT_EQ(Text({{"pattern", (folder.root() / "s/*.c").string()}}), "s/a.c");
  EXPECT_EQ(Text({{"pattern", (folder.root() / "s/*.c").string()}, {"directory", "s"}}), "s/a.c");
  EXPECT_EQ(Text({{"pattern", (folder.root() / "*.c").string()}}),
            "No files found for \"" + (folder.root() / "*.c").string() + "\" in \"/\".");
}

TEST_F(Glob, WrongDirectoriesAreErrors) {
  folder.Put("src/a", "");
  folder.Put("f", "");
  EXPECT_EQ(Error({{"pattern", "*"}, {"directory", "srcc"}}), "Directory not found: srcc. Did you mean src?");
  EXPECT_EQ(Error({{"pattern", "*"}, {"directory", "f"}}), "f is not a directory.");
  EXPECT_EQ(Error({{"pattern", "*"}, {"directory", ""}}), "The path is empty.");
}

TEST_F(Glob, BadPatternsAreErrors) {
  folder.Put("[", "");
  EXPECT_EQ(Error({{"pattern", "["}}), "Bad pattern [: \"[\" without \"]\".");
  EXPECT_EQ(Error({{"pattern", "{a"}}), "Bad pattern {a: \"{\" without \"}\".");
  EXPECT_EQ(Error({{"pattern", "*/../x"}}), "Bad pattern */../x: \"..\" behind a wildcard or at the end.");
  EXPECT_EQ(Error({{"pattern", ""}}), "pattern is empty.");
  EXPECT_EQ(Error({{"pattern", std::string("a\0b", 3)}}), "pattern contains a NUL character.");
}

TEST_F(Glob, BracketsThatFindNothingAreTakenLiterally) {
  Touch({"app/[id]/page.tsx", "{{name}}/x.py"});
  EXPECT_EQ(Text({{"pattern", "app/[id]/*.tsx"}}), "app/[id]/page.tsx");
  EXPECT_EQ(Text({{"pattern", "{{name}}/*.py"}}), "{{name}}/x.py");
  Touch({"app/i/page.tsx"});
  EXPECT_EQ(Text({{"pattern", "app/[id]/*.tsx"}}), "app/i/page.tsx");
}

TEST_F(Glob, StrangeNamesAreShownOnOneLine) {
  Touch({"b.go", "new\nline.go", "bad\xFF.go"});
  EXPECT_EQ(Text({{"pattern", "*.go"}}), "b.go\nnew\\nline.go\nbad\xEF\xBF\xBD.go");
}

TEST_F(Glob, NewestFirstThenByName) {
  Touch({"b.go", "c.go", "a.go"});
  EXPECT_EQ(Text({{"pattern", "*.go"}}), "b.go\nc.go\na.go");
  const timespec same[2] = {{1'600'000'000, 5}, {1'600'000'000, 5}};
  for (const char* name : {"a.go", "b.go", "c.go"}) ::utimensat(AT_FDCWD, (folder.root() / name).c_str(), same, 0);
  EXPECT_EQ(Text({{"pattern", "*.go"}}), "a.go\nb.go\nc.go");
}

TEST_F(Glob, AHundredEntriesAtMost) {
  for (int i = 0; i < 250; ++i) folder.Put("m/f" + std::to_string(i) + ".txt", "");
  const ToolResult result = Result({{"pattern", "**/*.txt"}});
  EXPECT_THAT(TextOf(result), EndsWith("\n\n[100 of 250 files shown, newest first. Narrow the pattern.]"));
  EXPECT_TRUE(result.fields.truncated);
  EXPECT_EQ(result.fields.structured.at("matches").as_array().size(), 100U);
  settings.budget.characters = settings.budget.bytes = 4000;
  EXPECT_THAT(Text({{"pattern", "**/*.txt"}}), HasSubstr("[10 of 250 files shown"));
}

TEST_F(Glob, ASmallBudgetHolds) {
  for (int i = 0; i < 100; ++i) folder.Put(std::string(200, 'n') + std::to_string(i), "");
  settings.budget.characters = settings.budget.bytes = 16'000;
  const std::string text = Text({{"pattern", "n*"}});
  EXPECT_LE(text.size(), 16'000U);
  EXPECT_THAT(text, HasSubstr(" of 100 files shown"));
}

TEST_F(Glob, AnUnreadableFolderIsANote) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  Touch({"ok/a.c", "no/b.c"});
  ASSERT_EQ(::chmod((folder.root() / "no").c_str(), 0), 0);
  EXPECT_EQ(Text({{"pattern", "**/*.c"}}), "ok/a.c\n\n[1 unreadable directory skipped: no]");
}

TEST_F(Glob, NothingFoundIsNoErrorAndHints) {
  Touch({"README.MD", "src/deep/x.rs"});
  EXPECT_EQ(Text({{"pattern", "*.zig"}}), "No files found for \"*.zig\" in \".\".");
  EXPECT_EQ(Text({{"pattern", "*.md"}}), "No files found for \"*.md\" in \".\". Only the case differs: README.MD.");
  EXPECT_EQ(Text({{"pattern", "*.rs"}}), "No files found for \"*.rs\" in \".\". Hint: **/*.rs searches all levels.");
  EXPECT_EQ(Text({{"pattern", "src/*.rs"}}),
            "No files found for \"src/*.rs\" in \".\". Hint: src/**/*.rs searches all levels.");
  EXPECT_EQ(Text({{"pattern", "src/"}}), "No files found for \"src/\" in \".\". Hint: src/** lists its files.");
  EXPECT_EQ(Text({{"pattern", "srcc/*.rs"}}),
            "No files found for \"srcc/*.rs\" in \".\". Directory not found: srcc. Did you mean src?");
}

TEST_F(Glob, OverlappingAlternativesListAFileOnce) {
  Touch({"a/b/x.c", "a/y.c"});
  EXPECT_EQ(Text({{"pattern", "{a,a/b}/**/*.c"}}), "a/b/x.c\na/y.c");
}

TEST_F(Glob, WorksThroughALinkedRootAndBelowTheTopOfARepository) {
  Touch({"sub/a.c", ".git/HEAD", "sub/skip/b.c"});
  folder.Put(".gitignore", "/sub/skip\n");
  settings.root = folder.root() / "sub";
  EXPECT_THAT(Text({{"pattern", "**/*.c"}}), StartsWith("a.c\n\n[1 ignored"));
  fs::create_symlink(folder.root() / "sub", folder.out() / "link");
  settings.root = folder.out() / "link";
  EXPECT_THAT(Text({{"pattern", "**/*.c"}}), StartsWith("a.c\n\n[1 ignored"));
  EXPECT_THAT(Text({{"pattern", (folder.root() / "sub/*.c").string()}}), StartsWith("a.c"));
}

TEST_F(Glob, AMissingRootIsTold) {
  settings.root = folder.root() / "gone";
  EXPECT_EQ(Error({{"pattern", "*"}}), "The workspace root no longer exists.");
}

TEST_F(Glob, CancellationAndDeadline) {
  Touch({"a"});
  std::stop_source source;
  source.request_stop();
  cancelled = source.get_token();
  EXPECT_EQ(Error({{"pattern", "*"}}), "The search was cancelled.");
  cancelled = {};
  deadline = SteadyClock::now();
  const ToolResult result = Result({{"pattern", "**"}});
  EXPECT_THAT(TextOf(result), HasSubstr("[The time limit ended the search; not everything was searched.]"));
  EXPECT_TRUE(result.fields.truncated);
}

TEST_F(Glob, IsDescribed) {
  const GlobTool tool(std::make_shared<const Confinement>(settings), settings);
  const ToolDefinition definition = tool.Definition();
  EXPECT_EQ(definition.name, "Glob");
  EXPECT_LT(definition.description.size(), 2048U);
  std::string names;
  for (const auto& property : definition.input_schema.at("properties").as_object())
    names.append(property.key()).append(" ");
  EXPECT_EQ(names, "pattern directory include_ignored ");
  EXPECT_EQ(json::serialize(definition.input_schema.at("required")), "[\"pattern\"]");
  EXPECT_EQ(definition.annotations.read_only, true);
  EXPECT_EQ(definition.annotations.open_world, false);
  EXPECT_FALSE(definition.annotations.destructive.has_value());
}

TEST_F(Glob, AliasesOfTheFolder) {
  Touch({"s/a"});
  for (const char* name : {"directory", "path", "cwd", "dir_path"}) {
    EXPECT_EQ(Text({{"pattern", "*"}, {name, "s"}}), "s/a") << name;
  }
  EXPECT_THAT(Error({{"pattern", "*"}, {"directry", "s"}}), HasSubstr("unknown argument 'directry'"));
}

}  // namespace
}  // namespace awf::builtins

#include "infrastructure/builtins/grep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "infrastructure/builtins/tool_fixture_for_tests.h"
#include "infrastructure/regex/re2_regex.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf::builtins {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
namespace fs = std::filesystem;

class Grep : public ::testing::Test {
 protected:
  // As the router does it: arguments are checked first.
  ToolResult Result(const json::object& arguments) {
    const GrepTool tool(std::make_shared<const Confinement>(settings), settings, compiler);
    const auto checked = SchemaArgumentChecker().Check(tool.Definition(), arguments);
    if (!checked) return ToolResult::Failure(checked.error());
    return tool.Call(ToolCall{"0123456789abcdef", "Grep", *checked, deadline, cancelled});
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

  const Re2Compiler compiler;
  TestWorkspace folder;
  ToolSettings settings = folder.Settings();
  Deadline deadline;
  std::stop_token cancelled;
};

TEST_F(Grep, FileNumberAndText) {
  folder.Put("src/main.go", "a\n// TODO: x\nb\n");
  const ToolResult result = Result({{"pattern", "TODO"}, {"path", "src"}});
  EXPECT_EQ(TextOf(result), "src/main.go\n2:// TODO: x");
  EXPECT_EQ(json::serialize(result.fields.structured),
            R"({"matches":[{"file":"src/main.go","line":2,"text":"// TODO: x"}]})");
  EXPECT_FALSE(result.fields.truncated);
}

TEST_F(Grep, SeveralFilesInPathOrder) {
  folder.Put("s/a", "x\nhit\n");
  folder.Put("s/b", "hit\n");
  folder.Put("s/a.d/c", "hit");
  EXPECT_EQ(Text({{"pattern", "hit"}, {"path", "s"}}), "s/a\n2:hit\n\ns/a.d/c\n1:hit\n\ns/b\n1:hit");
}

TEST_F(Grep, NoMatchIsNoError) {
  folder.Put("f.txt", "a\n");
  EXPECT_EQ(Text({{"pattern", "zzz"}}), "No matches for \"zzz\" in \".\".");
  EXPECT_EQ(Text({{"pattern", "zzz"}, {"path", "f.txt"}, {"output_mode", "files_with_matches"}}),
            "No matches for \"zzz\" in \"f.txt\".");
  EXPECT_EQ(Text({{"pattern", "zzz"}, {"glob", "*.zig"}}),
            "No matches for \"zzz\" in \".\". No file there matches the glob \"*.zig\".");
  folder.Put("src/f.c", "arr[i]\n");
  EXPECT_EQ(Text({{"pattern", "arr[i]"}, {"path", "src"}}),
            "No matches for \"arr[i]\" in \"src\". The pattern is a regular expression; for a literal search use "
            "arr\\[i\\].");
}

TEST_F(Grep, PathsThatAreMissingOrNoFiles) {
  folder.Put("src/utils/a", "");
  EXPECT_EQ(Error({{"pattern", "x"}, {"path", "src/utlis"}}), "Path not found: src/utlis. Did you mean src/utils?");
  ASSERT_EQ(::mkfifo((folder.root() / "p").c_str(), 0600), 0);
  EXPECT_EQ(Error({{"pattern", "x"}, {"path", "p"}}), "p is not a regular file.");
  folder.Put("t", "needle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}}), "t\n1:needle");  // the FIFO does not block
}

TEST_F(Grep, ANamedFileIsSearchedWhateverGlobAndRulesSay) {
  folder.Put("a/b.ts", "needle\n");
  folder.Put(".gitignore", "*.ts\n");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"path", "a/b.ts"}, {"glob", "*.py"}}), "a/b.ts\n1:needle");
}

TEST_F(Grep, ArgumentsAreNoOptions) {
  folder.Put("d.txt", "->arrow -x\n");
  folder.Put("-fpat", "");
  EXPECT_EQ(Text({{"pattern", "->arrow"}}), "d.txt\n1:->arrow -x");
  EXPECT_THAT(Text({{"pattern", "--pre=./p.sh"}}), StartsWith("No matches for \"--pre=./p.sh\" in \".\"."));
  EXPECT_THAT(Text({{"pattern", "t"}, {"path", "-fpat"}, {"glob", "--files"}}), StartsWith("No matches"));
}

TEST_F(Grep, BadPatterns) {
  EXPECT_EQ(Error({{"pattern", "foo("}}),
            "Invalid regular expression \"foo(\": missing ) at 4. For a literal search use foo\\(.");
  EXPECT_THAT(Error({{"pattern", "x(?!y)"}}), HasSubstr("Look-around and back-references are not supported."));
  EXPECT_THAT(Error({{"pattern", "(ab)\\1"}}), HasSubstr("Look-around and back-references are not supported."));
  EXPECT_THAT(Error({{"pattern", ""}}), HasSubstr("pattern"));
  EXPECT_THAT(Error({{"pattern", "foo\\(\\n"}}), HasSubstr("Set multiline"));
  EXPECT_THAT(Error({{"pattern", "a"}, {"glob", "["}}), StartsWith("Bad pattern [: \"[\" without \"]\"."));
}

TEST_F(Grep, EvilPatternsTakeLinearTime) {
  folder.Put("a.txt", std::string(5000, 'a') + "!\n");
  folder.Put("b.txt", std::string(300'000, 'a') + "\n");
  EXPECT_THAT(Text({{"pattern", "(a+)+$"}, {"path", "a.txt"}}), StartsWith("No matches"));
  EXPECT_THAT(Text({{"pattern", "(a|b)*c"}}), StartsWith("No matches"));
}

TEST_F(Grep, CarriageReturnsAreNotShown) {
  folder.Put("c.txt", "alpha\r\nbeta\r\n");
  EXPECT_EQ(Text({{"pattern", "beta$"}}), "c.txt\n2:beta");
}

TEST_F(Grep, LongLinesAreCutAroundTheMatch) {
  folder.Put("m.js", std::string(5000, 'x') + "needle" + std::string(5000, 'y') + "\n");
  const std::string text = Text({{"pattern", "needle"}});
  EXPECT_THAT(text, StartsWith("m.js\n1:...x"));
  EXPECT_THAT(text, HasSubstr("needle"));
  EXPECT_LT(text.size(), 600U);
  folder.Put("j.json", "{\"a\":\"" + std::string(10'000'000, 'a') + "needle\"}\n");
  EXPECT_LT(Text({{"pattern", "needle"}, {"path", "j.json"}}).size(), 600U);
}

TEST_F(Grep, ALongLineDoesNotHideOthers) {
  folder.Put("x.txt", std::string(2'000'000, 'a') + "\nneedle\n");
  folder.Put("y.txt", "needle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}}), "x.txt\n2:needle\n\ny.txt\n1:needle");
}

TEST_F(Grep, TheBudgetBoundsTheText) {
  std::string text;
  for (int i = 1; i <= 300; ++i) text += std::string(2000, 'k') + " hit " + std::to_string(i) + "\n";
  folder.Put("k.txt", text);
  const ToolResult result = Result({{"pattern", "hit"}});
  EXPECT_LT(TextOf(result).size(), 31'000U);
  EXPECT_THAT(TextOf(result), HasSubstr(" of 300 matches shown. Narrow the pattern or path.]"));
  EXPECT_TRUE(result.fields.truncated);
  settings.budget.characters = settings.budget.bytes = 4000;
  const std::string small = Text({{"pattern", "hit"}});
  EXPECT_LE(small.size(), 4000U);
  EXPECT_THAT(small, HasSubstr(" of 300 matches shown"));
}

TEST_F(Grep, LinesOfTheBudgetBoundTheText) {
  settings.budget.lines = 100;
  std::string text;
  for (int i = 1; i <= 300; ++i) text += "hit\n";
  folder.Put("k.txt", text);
  // The name and 79 lines; 20 are free for notes.
  EXPECT_THAT(Text({{"pattern", "hit"}, {"head_limit", 0}}),
              EndsWith("\n79:hit\n\n[79 of 300 matches shown. Narrow the pattern or path.]"));
}

TEST_F(Grep, ContextOverlapsOnce) {
  folder.Put("ctx", "l1\nl2\nM1\nl4\nM2\nl6\nl7\nl8\nl9\nM3\n");
  EXPECT_EQ(Text({{"pattern", "M"}, {"context_lines", 1}}), "ctx\n2-l2\n3:M1\n4-l4\n5:M2\n6-l6\n--\n9-l9\n10:M3");
}

TEST_F(Grep, ContextAliases) {
  folder.Put("f", "a\nHIT\nb\nc\n");
  EXPECT_EQ(Text({{"pattern", "hit"}, {"-i", true}, {"-n", true}, {"-A", 1}}), "f\n2:HIT\n3-b");
  EXPECT_EQ(Text({{"pattern", "HIT"}, {"-B", 1}}), "f\n1-a\n2:HIT");
  EXPECT_EQ(Text({{"pattern", "HIT"}, {"-C", 1}}), "f\n1-a\n2:HIT\n3-b");
  EXPECT_EQ(Text({{"pattern", "HIT"}, {"context", 1}, {"after", 2}}), "f\n1-a\n2:HIT\n3-b\n4-c");
  EXPECT_EQ(Text({{"pattern", "hit"}, {"case_sensitive", "false"}, {"before", "0"}}), "f\n2:HIT");
  EXPECT_THAT(Error({{"pattern", "x"}, {"context_lines", -1}}), StartsWith("invalid arguments:"));
}

TEST_F(Grep, BinaryFiles) {
  folder.Put("b.dat", std::string("needle\0bin\n", 11));
  folder.Put("t.txt", "needle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}}), "t.txt\n1:needle");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"path", "b.dat"}}), "b.dat is a binary file and matches.");
  EXPECT_EQ(Text({{"pattern", "nowhere"}, {"path", "b.dat"}}), "No matches for \"nowhere\" in \"b.dat\".");
}

TEST_F(Grep, EncodingsOtherThanUtf8) {
  std::string utf16("\xFF\xFE", 2);
  for (const char c : std::string("needle\n")) utf16 += {c, '\0'};
  folder.Put("u.txt", utf16);
  folder.Put("l.txt", "caf\xE9 needle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}}), "l.txt\n1:caf\xEF\xBF\xBD needle\n\nu.txt\n1:needle");
}

TEST_F(Grep, UnreadableEntriesAreNotes) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  folder.Put("r/n.txt", "the answer is 42\n");
  folder.Put("l/x", "answer\n");
  folder.Put("secret", "answer\n");
  ASSERT_EQ(::chmod((folder.root() / "l").c_str(), 0), 0);
  ASSERT_EQ(::chmod((folder.root() / "secret").c_str(), 0), 0);
  EXPECT_EQ(Text({{"pattern", "answer"}}),
            "r/n.txt\n1:the answer is 42\n\n[1 unreadable directory skipped: l]\n[1 unreadable file skipped: secret]");
}

TEST_F(Grep, LinksAreNotFollowedInAWalk) {
  folder.Put(folder.out() / "d/s", "needle\n");
  fs::create_symlink(folder.out() / "d", folder.root() / "ext");
  fs::create_symlink(folder.out() / "d/s", folder.root() / "fl");
  folder.Put("in.txt", "needle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}}), "in.txt\n1:needle");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"path", "fl"}}), "fl\n1:needle");
  settings.sandbox.mode = SandboxMode::kStrict;
  const ToolResult result = Result({{"pattern", "needle"}, {"path", "ext"}});
  EXPECT_THAT(TextOf(result), StartsWith("Blocked by the sandbox (strict): cannot read ext"));
  EXPECT_EQ(result.fields.denied, "sandbox");
}

TEST_F(Grep, Multiline) {
  folder.Put("m.js", "function foo(\n  a,\n  b) {\n}\n");
  EXPECT_EQ(Text({{"pattern", "foo\\(\\n\\s+a"}, {"multiline", true}}), "m.js\n1:function foo(\n2:  a,");
}

TEST_F(Grep, GlobNarrowsTheFiles) {
  for (const char* name : {"src/a/x.ts", "src/a/y.tsx", "src/a/z.js", "top.ts"}) folder.Put(name, "needle\n");
  const json::object all = {{"pattern", "needle"}, {"glob", "*.{ts,tsx}"}, {"output_mode", "files_with_matches"}};
  EXPECT_EQ(Text(all), "src/a/x.ts\nsrc/a/y.tsx\ntop.ts");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"glob", "src/**/*.ts"}}), "src/a/x.ts\n1:needle");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"include", "src/a/*.ts"}, {"path", "src"}}), "src/a/x.ts\n1:needle");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"glob", (folder.root() / "*.ts").string()}}), "top.ts\n1:needle");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"glob", "*.ts"}, {"path", folder.root().string() + "/src/a"}}),
            "src/a/x.ts\n1:needle");
}

TEST_F(Grep, CaseInsensitive) {
  folder.Put("f", "NeeDle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"case_insensitive", true}}), "f\n1:NeeDle");
}

TEST_F(Grep, CountsAndFileLists) {
  folder.Put("f1", "a\na\n");
  folder.Put("f2", "a");
  folder.Put("f3", "b");
  const ToolResult counts = Result({{"pattern", "a"}, {"output_mode", "count"}});
  EXPECT_EQ(TextOf(counts), "f1:2\nf2:1\n3 matches in 2 files");
  EXPECT_EQ(json::serialize(counts.fields.structured),
            R"({"matches":[{"file":"f1","count":2},{"file":"f2","count":1}]})");
  EXPECT_EQ(Text({{"pattern", "a"}, {"output_mode", "files_with_matches"}}), "f1\nf2");
  EXPECT_EQ(Text({{"pattern", "a"}, {"output_mode", "files_with_matches"}, {"head_limit", 1}}),
            "f1\n\n[1 of 2 files shown. Narrow the pattern or path.]");
}

TEST_F(Grep, AnUnknownModeIsAnError) {
  const std::string error = Error({{"pattern", "a"}, {"output_mode", "lines"}});
  for (const char* mode : {"content", "files_with_matches", "count"}) EXPECT_THAT(error, HasSubstr(mode));
  const GrepTool tool(std::make_shared<const Confinement>(settings), settings, compiler);
  EXPECT_EQ(TextOf(CallTool(tool, {{"pattern", "a"}, {"output_mode", "lines"}})),
            "output_mode must be content, files_with_matches or count.");
}

TEST_F(Grep, HeadLimit) {
  std::string numbers;
  for (int i = 1; i <= 1000; ++i) numbers += std::to_string(i) + "\n";
  folder.Put("n", numbers);
  EXPECT_EQ(Text({{"pattern", "1"}, {"head_limit", 3}}),
            "n\n1:1\n10:10\n11:11\n\n[3 of 272 matches shown. Narrow the pattern or path.]");
  EXPECT_THAT(Text({{"pattern", "1"}}), HasSubstr("[250 of 272 matches shown."));
  EXPECT_THAT(Text({{"pattern", "1"}, {"head_limit", 0}}), EndsWith("\n1000:1000"));
  EXPECT_EQ(Text({{"pattern", "^1$|^3$"}, {"head_limit", 1}, {"-B", 1}, {"-A", 1}}),
            "n\n1:1\n2-2\n\n[1 of 2 matches shown. Narrow the pattern or path.]");
}

TEST_F(Grep, TheFirstFilesAreShownWhateverThreadIsFaster) {
  for (int i = 100; i < 400; ++i) folder.Put("d" + std::to_string(i), "hit\nhit\n");
  const std::string text = Text({{"pattern", "hit"}, {"head_limit", 5}});
  EXPECT_EQ(text,
            "d100\n1:hit\n2:hit\n\nd101\n1:hit\n2:hit\n\nd102\n1:hit\n\n"
            "[5 of 600 matches shown. Narrow the pattern or path.]");
}

TEST_F(Grep, HiddenFilesCountAndGitDoesNot) {
  folder.Put(".github/w.yml", "TOKEN\n");
  folder.Put(".git/config", "TOKEN\n");
  EXPECT_EQ(Text({{"pattern", "TOKEN"}}), ".github/w.yml\n1:TOKEN");
}

TEST_F(Grep, IgnoreRules) {
  folder.Put(".gitignore", "build/\n");
  folder.Put("build/o", "needle\n");
  folder.Put("s", "needle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}}),
            "s\n1:needle\n\n[1 ignored entry not searched (.gitignore). Set include_ignored to search it.]");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"path", "build"}}), "build/o\n1:needle");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"include_ignored", true}}), "build/o\n1:needle\n\ns\n1:needle");
  EXPECT_EQ(Text({{"pattern", "needle"}, {"glob", "build/*"}}), "build/o\n1:needle");
}

TEST_F(Grep, StrangeNames) {
  folder.Put(
      "b\xFF"
      "d",
      "needle\n");
  folder.Put("c\nd", "needle\n");
  EXPECT_EQ(Text({{"pattern", "needle"}}),
            "b\xEF\xBF\xBD"
            "d\n1:needle\n\nc\\nd\n1:needle");
}

TEST_F(Grep, ProcFilesAreReadToTheirEnd) {
  EXPECT_THAT(Text({{"pattern", "^processor"}, {"path", "/proc/cpuinfo"}}), StartsWith("/proc/cpuinfo\n1:processor"));
  EXPECT_THAT(Error({{"pattern", "x"}, {"path", "/proc/self/environ"}}), HasSubstr("sandbox"));
}

TEST_F(Grep, CancellationAndDeadline) {
  folder.Put("a", "a\n");
  std::stop_source source;
  source.request_stop();
  cancelled = source.get_token();
  EXPECT_EQ(Error({{"pattern", "a"}}), "The search was cancelled.");
  cancelled = {};
  deadline = SteadyClock::now();
  const ToolResult result = Result({{"pattern", "a"}});
  EXPECT_THAT(TextOf(result), HasSubstr("[The time limit ended the search; not everything was searched.]"));
  EXPECT_TRUE(result.fields.truncated);
}

TEST_F(Grep, IsDescribed) {
  const GrepTool tool(std::make_shared<const Confinement>(settings), settings, compiler);
  const ToolDefinition definition = tool.Definition();
  EXPECT_EQ(definition.name, "Grep");
  EXPECT_LT(definition.description.size(), 2048U);
  std::string names;
  for (const auto& property : definition.input_schema.at("properties").as_object())
    names.append(property.key()).append(" ");
  EXPECT_EQ(names,
            "pattern path context_lines glob case_insensitive output_mode head_limit multiline include_ignored ");
  EXPECT_EQ(json::serialize(definition.input_schema.at("properties").at("output_mode").at("enum")),
            R"(["content","files_with_matches","count"])");
  EXPECT_EQ(definition.annotations.read_only, true);
  EXPECT_EQ(definition.annotations.open_world, false);
}

TEST_F(Grep, AliasesOfPath) {
  folder.Put("s/a", "hit\n");
  for (const char* name : {"path", "file_path", "filePath", "filename", "file", "directory", "dir_path"}) {
    EXPECT_EQ(Text({{"pattern", "hit"}, {name, "s"}}), "s/a\n1:hit") << name;
  }
}

}  // namespace
}  // namespace awf::builtins

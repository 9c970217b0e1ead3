#include "infrastructure/builtins/glob_pattern.h"

#include <gtest/gtest.h>

namespace awf::builtins {
namespace {

GlobPattern Compiled(std::string_view pattern, const GlobOptions& options = {}) {
  auto compiled = GlobPattern::Compile(pattern, options);
  EXPECT_TRUE(compiled.has_value()) << pattern << ": " << (compiled ? "" : compiled.error());
  return compiled.value_or(GlobPattern());
}

bool Matches(std::string_view pattern, std::string_view path, const GlobOptions& options = {}) {
  return Compiled(pattern, options).Matches(path);
}

std::string ErrorOf(std::string_view pattern) {
  auto compiled = GlobPattern::Compile(pattern);
  return compiled ? "" : compiled.error();
}

TEST(GlobPattern, StarStaysInOneComponent) {
  EXPECT_TRUE(Matches("*.go", "main.go"));
  EXPECT_FALSE(Matches("*.go", "cmd/main.go"));
  EXPECT_TRUE(Matches("a*c*e", "abcde"));
  EXPECT_FALSE(Matches("a*c*e", "abcd"));
  EXPECT_TRUE(Matches("*", ".env"));
  EXPECT_TRUE(Matches("a**b", "axxb"));
  EXPECT_FALSE(Matches("a**b", "ax/xb"));
}

TEST(GlobPattern, QuestionMarkIsOneCharacter) {
  EXPECT_TRUE(Matches("?.c", "a.c"));
  EXPECT_TRUE(Matches("?.c", "\xC3\xA9.c"));  // é
  EXPECT_TRUE(Matches("?.c", "\xFF.c"));      // a byte that is no UTF-8
  EXPECT_FALSE(Matches("?.c", "\xC3\xA9\xFF.c"));
  EXPECT_FALSE(Matches("?", ""));
  EXPECT_FALSE(Matches("a?b", "a/b"));
}

TEST(GlobPattern, DoubleStarIsZeroOrMoreFolders) {
  for (const char* path : {"main.go", "cmd/cli.go", "a/b/c.go"}) {
    EXPECT_TRUE(Matches("**/*.go", path)) << path;
    EXPECT_TRUE(Matches("**/**/**/*.go", path)) << path;
  }
  EXPECT_FALSE(Matches("**/*.go", "main.c"));
  EXPECT_TRUE(Matches("a/**/b/**/c", "a/b/c"));
  EXPECT_TRUE(Matches("a/**/b/**/c", "a/x/b/y/z/c"));
  EXPECT_FALSE(Matches("a/**/b/**/c", "a/x/y/c"));
  EXPECT_TRUE(Matches("**/x", "x"));
}

TEST(GlobPattern, DoubleStarAtTheEndNeedsOneComponent) {
  EXPECT_TRUE(Matches("internal/**", "internal/a"));
  EXPECT_TRUE(Matches("internal/**", "internal/a/b"));
  EXPECT_FALSE(Matches("internal/**", "internal"));
  EXPECT_TRUE(Matches("**", "a/b"));
}

TEST(GlobPattern, Sets) {
  EXPECT_TRUE(Matches("[a-c]x", "bx"));
  EXPECT_FALSE(Matches("[a-c]x", "dx"));
  EXPECT_TRUE(Matches("[!a]x", "bx"));
  EXPECT_FALSE(Matches("[^a]x", "ax"));
  EXPECT_TRUE(Matches("[]a]", "]"));
  EXPECT_TRUE(Matches("[a-]", "-"));
  EXPECT_TRUE(Matches("[\\]]", "]"));
  EXPECT_TRUE(Matches("[[:digit:]x]*", "7z"));
  EXPECT_FALSE(Matches("[[:digit:]x]*", "y"));
  EXPECT_TRUE(Matches("[\xC3\xA0-\xC3\xBC]", "\xC3\xA9"));  // à to ü
  EXPECT_FALSE(Matches("a[!x]b", "a/b"));
}

TEST(GlobPattern, Braces) {
  EXPECT_TRUE(Matches("{main,cmd/cli}.go", "main.go"));
  EXPECT_TRUE(Matches("{main,cmd/cli}.go", "cmd/cli.go"));
  EXPECT_TRUE(Matches("*.{ts,tsx}", "x.tsx"));
  EXPECT_FALSE(Matches("*.{ts,tsx}", "x.js"));
  EXPECT_TRUE(Matches("{a,{b,c}}d", "cd"));
  EXPECT_TRUE(Matches("x{,y}", "x"));
  EXPECT_TRUE(Matches("\\{a\\}", "{a}"));
  EXPECT_TRUE(Matches("[{,}]", ","));
  EXPECT_TRUE(Matches("{a}", "{a}", {.braces = false}));
}

TEST(GlobPattern, EscapesAndLiteralBrackets) {
  EXPECT_TRUE(Matches("\\*.c", "*.c"));
  EXPECT_FALSE(Matches("\\*.c", "a.c"));
  EXPECT_TRUE(Matches("app/[id]/*.tsx", "app/[id]/page.tsx", {.literal_brackets = true}));
  EXPECT_FALSE(Matches("app/[id]/*.tsx", "app/[id]/page.tsx"));
  EXPECT_TRUE(Matches("{{x}}/*", "{{x}}/f", {.literal_brackets = true}));
}

TEST(GlobPattern, BytesThatAreNoUtf8MeanThemselves) {
  for (const char* name : {"\xE0\x9A\x9D", "\xED\xA0\x80", "\xF5\x80\x80\x80", "a\xC3", "\x80"}) {
    EXPECT_TRUE(Matches(name, name));
    EXPECT_TRUE(Matches(std::string(name) + "*?", std::string(name) + "xy"));
  }
}

TEST(GlobPattern, CaseIsIgnoredOnDemand) {
  EXPECT_FALSE(Matches("*.md", "README.MD"));
  EXPECT_TRUE(Matches("*.md", "README.MD", {.ignore_case = true}));
  EXPECT_TRUE(Matches("[a-c]?", "Bx", {.ignore_case = true}));
  EXPECT_TRUE(Matches("READ*.md", "readme.MD", {.ignore_case = true}));
}

TEST(GlobPattern, EmptyAndDotSegmentsMeanNothing) {
  EXPECT_TRUE(Matches("./a//b", "a/b"));
  EXPECT_TRUE(Compiled("/a/*").alternatives()[0].absolute());
  EXPECT_TRUE(Compiled("a/").alternatives()[0].folders_only());
  EXPECT_FALSE(Matches("a/", "a"));
}

TEST(GlobPattern, Faults) {
  EXPECT_EQ(ErrorOf("["), "\"[\" without \"]\"");
  EXPECT_EQ(ErrorOf("a[]"), "\"[\" without \"]\"");
  EXPECT_EQ(ErrorOf("{a,b"), "\"{\" without \"}\"");
  EXPECT_EQ(ErrorOf("a\\"), "\"\\\" at the end");
  EXPECT_EQ(ErrorOf("[z-a]"), "a range that runs backwards");
  EXPECT_EQ(ErrorOf("[[:foo:]]"), "unknown set [:foo:]");
  std::string many;
  for (int i = 0; i < 11; ++i) many += "{a,b}";
  EXPECT_EQ(ErrorOf(many), "more than 1024 alternatives");
  std::string deep;
  for (int i = 0; i < 64; ++i) deep += "a/";
  EXPECT_EQ(ErrorOf(deep + "b"), "more than 63 folders");
  EXPECT_EQ(ErrorOf(std::string(8193, 'a')), "longer than 8192 bytes");
}

TEST(GlobPattern, NoExponentialTime) {
  std::string pattern, folders;
  for (int i = 0; i < 40; ++i) pattern += "a*";
  EXPECT_FALSE(Matches(pattern + "b", std::string(255, 'a')));
  for (int i = 0; i < 20; ++i) folders += "**/a/";
  std::string path;
  for (int i = 0; i < 200; ++i) path += "a/";
  EXPECT_FALSE(Matches(folders + "b", path + "c"));
  EXPECT_TRUE(Matches(folders + "b", path + "b"));
}

TEST(GlobPattern, ReachTellsWhereToGo) {
  const GlobPattern pattern = Compiled("src/**/gen/*.cc");
  EXPECT_EQ(pattern.ReachOf(""), GlobReach::kBelow);
  EXPECT_EQ(pattern.ReachOf("src"), GlobReach::kNamed);
  EXPECT_EQ(pattern.ReachOf("lib"), GlobReach::kNone);
  EXPECT_EQ(pattern.ReachOf("src/a"), GlobReach::kBelow);
  EXPECT_EQ(pattern.ReachOf("src/a/gen"), GlobReach::kNamed);
  EXPECT_EQ(Compiled("*.cc").ReachOf("src"), GlobReach::kNone);
  EXPECT_EQ(Compiled("{a,b}/*").ReachOf("b"), GlobReach::kNamed);
}

TEST(GlobPattern, LiteralLead) {
  const GlobPattern pattern = Compiled("a/b/*/c");
  const GlobPath& path = pattern.alternatives()[0];
  EXPECT_EQ(path.LiteralLead(), 2U);
  EXPECT_TRUE(path.WithoutLead(2).Matches("x/c"));
  EXPECT_TRUE(path.NamesFile());
  EXPECT_EQ(Compiled("main.go").alternatives()[0].LiteralLead(), 0U);
  EXPECT_FALSE(Compiled("*.go").alternatives()[0].NamesFile());
}

}  // namespace
}  // namespace awf::builtins

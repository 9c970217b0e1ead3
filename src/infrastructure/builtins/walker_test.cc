#include "infrastructure/builtins/walker.h"

#include <dirent.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>
#include <mutex>
#include <set>

#include "infrastructure/builtins/glob_pattern.h"
#include "infrastructure/builtins/test_workspace.h"
#include "infrastructure/process/fd.h"

namespace awf::builtins {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using Paths = std::set<std::string>;

// Collects what matches a pattern.
class Collector : public WalkVisitor {
 public:
  explicit Collector(std::string_view pattern) : pattern_(*GlobPattern::Compile(pattern)) {}

  WalkInterest Folder(std::string_view path) const override {
    const GlobReach reach = pattern_.ReachOf(path);
    if (reach == GlobReach::kNone) return WalkInterest::kNone;
    return reach == GlobReach::kNamed ? WalkInterest::kNamed : WalkInterest::kWanted;
  }
  WalkInterest File(std::string_view path) const override {
    if (!pattern_.Matches(path)) return WalkInterest::kNone;
    return pattern_.alternatives()[0].NamesFile() ? WalkInterest::kNamed : WalkInterest::kWanted;
  }
  bool Found(const WalkedFolder& folder) override {
    const std::lock_guard lock(mutex_);
    for (const WalkedFile& file : folder.files) {
      paths_.insert((folder.path.empty() ? "" : std::string(folder.path) + "/") + std::string(file.name));
    }
    return !stop_;
  }

  void StopAfterFirst() { stop_ = true; }
  const Paths& paths() const { return paths_; }

 private:
  GlobPattern pattern_;
  bool stop_ = false;
  std::mutex mutex_;
  Paths paths_;
};

struct Walked {
  Paths paths;
  WalkReport report;
};

class Walker : public ::testing::Test {
 protected:
  Walked Run(std::string_view pattern = "**", std::string_view start = "") {
    const std::string real = start.empty() ? tree.root().string() : (tree.root() / start).string();
    const Fd fd(::open(real.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    EXPECT_TRUE(fd.valid()) << real;
    Collector collector(pattern);
    options.workspace = tree.root().string();
    WalkReport report = Walk(fd.get(), real, options, collector);
    return {collector.paths(), std::move(report)};
  }

  TestWorkspace tree;
  WalkOptions options;
};

TEST_F(Walker, ListsFilesAndHiddenOnesButNothingOfGit) {
  tree.Put("a", "");
  tree.Put(".b/c", "");
  tree.Put("d/e/f", "");
  tree.Put(".git/config", "");
  tree.Put("d/.git", "gitdir: nowhere");
  EXPECT_THAT(Run().paths, UnorderedElementsAre("a", ".b/c", "d/e/f"));
}

TEST_F(Walker, LinksAreNotFollowedAndReportedOnDemand) {
  tree.Put("d/f", "");
  std::filesystem::create_symlink(".", tree.root() / "d/self");
  std::filesystem::create_symlink("..", tree.root() / "d/up");
  std::filesystem::create_symlink("d/f", tree.root() / "l");
  EXPECT_THAT(Run().paths, UnorderedElementsAre("d/f"));
  options.links = true;
  EXPECT_THAT(Run().paths, UnorderedElementsAre("d/f", "d/self", "d/up", "l"));
}

TEST_F(Walker, FifosAreNoFiles) {
  ASSERT_EQ(::mkfifo((tree.root() / "p").c_str(), 0600), 0);
  tree.Put("f", "");
  EXPECT_THAT(Run().paths, UnorderedElementsAre("f"));
}

TEST_F(Walker, IgnoreRulesNestAndAreCounted) {
  tree.Put(".gitignore", "*.log\nbuild/\n");
  tree.Put("a/.gitignore", "!keep.log\n");
  tree.Put("x.log", "");
  tree.Put("build/deep/o", "");
  tree.Put("a/keep.log", "");
  tree.Put("a/y.log", "");
  tree.Put("a/b/keep.log", "");
  tree.Put("node_modules/x/p.json", "");
  const Walked walked = Run();
  EXPECT_THAT(walked.paths, UnorderedElementsAre(".gitignore", "a/.gitignore", "a/keep.log", "a/b/keep.log"));
  EXPECT_EQ(walked.report.ignored, 4U);
  EXPECT_TRUE(walked.report.ignored_by[static_cast<std::size_t>(IgnoreSource::kGitignore)]);
  EXPECT_TRUE(walked.report.ignored_by[static_cast<std::size_t>(IgnoreSource::kNodeModules)]);
  EXPECT_FALSE(walked.report.ignored_by[static_cast<std::size_t>(IgnoreSource::kIgnore)]);
  options.ignore_rules = false;
  EXPECT_EQ(Run().paths.size(), 8U);
}

TEST_F(Walker, OnlyWhatIsWantedCountsAsIgnored) {
  tree.Put(".gitignore", "*.log\nbuild/\n");
  tree.Put("x.log", "");
  tree.Put("build/o.c", "");
  tree.Put("a.c", "");
  EXPECT_EQ(Run("*.c").report.ignored, 0U);
  EXPECT_EQ(Run("**/*.c").report.ignored, 1U);
}

TEST_F(Walker, DotIgnoreAndExcludeCount) {
  tree.Put(".git/HEAD", "ref: refs/heads/main\n");
  tree.Put(".git/info/exclude", "e\ni\n");
  tree.Put(".gitignore", "!e\ng\n");
  tree.Put(".ignore", "i\n!g\n");
  for (const char* name : {"e", "g", "i", "n"}) tree.Put(name, "");
  EXPECT_THAT(Run().paths, UnorderedElementsAre(".gitignore", ".ignore", "e", "g", "n"));
}

TEST_F(Walker, TheExcludeFileOfAWorktreeIsThatOfItsRepository) {
  tree.Put("main/.git/HEAD", "ref: refs/heads/main\n");
  tree.Put("main/.git/info/exclude", "secret\n");
  tree.Put("main/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
  tree.Put("main/.git/worktrees/w/commondir", "../..\n");
  tree.Put("w/.git", "gitdir: " + (tree.root() / "main/.git/worktrees/w").string() + "\n");
  tree.Put("w/secret", "");
  tree.Put("w/a", "");
  EXPECT_THAT(Run("**", "w").paths, UnorderedElementsAre("a"));
}

TEST_F(Walker, RulesOfTheFoldersAboveCountUpToTheWorkTree) {
  tree.Put(".gitignore", "*.o\n");
  tree.Put("repo/.git/HEAD", "ref: refs/heads/main\n");
  tree.Put("repo/.gitignore", "/src/gen\n*.tmp\n");
  tree.Put("repo/src/a.o", "");
  tree.Put("repo/src/a.tmp", "");
  tree.Put("repo/src/gen/g.c", "");
  EXPECT_THAT(Run("**", "repo/src").paths, UnorderedElementsAre("a.o"));
  // From above, the repository is a world of its own too.
  EXPECT_THAT(Run("**/*.{o,tmp}").paths, UnorderedElementsAre("repo/src/a.o"));
}

TEST_F(Walker, AnIgnoredStartIsSearchedWithoutRules) {
  tree.Put(".gitignore", "build/\n*.log\n");
  tree.Put("build/x.log", "");
  tree.Put("build/node_modules/y", "");
  EXPECT_THAT(Run("**", "build").paths, UnorderedElementsAre("x.log", "node_modules/y"));
  tree.Put("node_modules/p/dist/z.log", "");
  EXPECT_THAT(Run("**", "node_modules/p").paths, UnorderedElementsAre("dist/z.log"));
}

TEST_F(Walker, AFolderThatIgnoresItselfIsSearchedWhenNamed) {
  tree.Put("venv/.gitignore", "*\n");
  tree.Put("venv/lib/x.py", "");
  EXPECT_THAT(Run("**/*.py").paths, UnorderedElementsAre());
  EXPECT_THAT(Run("**/*.py", "venv").paths, UnorderedElementsAre("lib/x.py"));
  EXPECT_THAT(Run("**/venv/**/*.py").paths, UnorderedElementsAre("venv/lib/x.py"));
}

TEST_F(Walker, NamedEntriesAreNotIgnored) {
  tree.Put(".gitignore", "dist/\n*.env\n");
  tree.Put("a/dist/app.js", "");
  tree.Put("a/dist/sub/app.js", "");
  tree.Put("prod.env", "");
  EXPECT_THAT(Run("**/dist/**").paths, UnorderedElementsAre("a/dist/app.js", "a/dist/sub/app.js"));
  EXPECT_THAT(Run("**/prod.env").paths, UnorderedElementsAre("prod.env"));
  EXPECT_THAT(Run("**/app.js").paths, UnorderedElementsAre());
}

TEST_F(Walker, AnUnreadableFolderIsTold) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  tree.Put("ok/a", "");
  tree.Put("no/b", "");
  ASSERT_EQ(::chmod((tree.root() / "no").c_str(), 0), 0);
  const Walked walked = Run();
  ASSERT_EQ(::chmod((tree.root() / "no").c_str(), 0700), 0);
  EXPECT_THAT(walked.paths, UnorderedElementsAre("ok/a"));
  EXPECT_EQ(walked.report.unreadable, 1U);
  EXPECT_THAT(walked.report.unreadable_names, ElementsAre("no"));
}

TEST_F(Walker, ForbiddenFoldersAreLeftOut) {
  tree.Put("ok/a", "");
  tree.Put("private/b", "");
  const std::string forbidden = (tree.root() / "private").string();
  options.may_read = [&](std::string_view real) { return real != forbidden; };
  EXPECT_THAT(Run().paths, UnorderedElementsAre("ok/a"));
}

int OpenDescriptors() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

TEST_F(Walker, ManyFoldersNeedFewDescriptorsAndLeaveNone) {
  for (int i = 0; i < 300; ++i) tree.Put("d" + std::to_string(i) + "/x/f", "");
  const int before = OpenDescriptors();
  const Walked walked = Run();
  EXPECT_EQ(walked.paths.size(), 300U);
  EXPECT_FALSE(walked.report.incomplete);
  EXPECT_EQ(OpenDescriptors(), before);
}

TEST_F(Walker, AVeryDeepTreeIsWalked) {
  std::string path;
  Fd folder(::open(tree.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string name(200, 'n');
  for (int i = 0; i < 30; ++i) {  // 6000 bytes, beyond PATH_MAX
    ASSERT_EQ(::mkdirat(folder.get(), name.c_str(), 0700), 0);
    folder = Fd(::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    path += name + "/";
  }
  Fd(::openat(folder.get(), "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  folder.Reset();
  EXPECT_THAT(Run("**/f").paths, UnorderedElementsAre(path + "f"));
}

TEST_F(Walker, EndsEarlyOnCancellationDeadlineOrWish) {
  tree.Put("a/b", "");
  std::stop_source source;
  source.request_stop();
  options.cancelled = source.get_token();
  EXPECT_TRUE(Run().report.incomplete);
  EXPECT_THAT(Run().paths, UnorderedElementsAre());
  options.cancelled = {};
  options.deadline = SteadyClock::now();
  EXPECT_TRUE(Run().report.incomplete);
  options.deadline = {};

  for (int i = 0; i < 20; ++i) tree.Put("d" + std::to_string(i) + "/f", "");
  Collector collector("**");
  collector.StopAfterFirst();
  const Fd fd(::open(tree.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_TRUE(Walk(fd.get(), tree.root().string(), options, collector).incomplete);
  EXPECT_LT(collector.paths().size(), 21U);
}

TEST_F(Walker, IgnoreFilesThatAreLinksOrFifosDoNotCount) {
  tree.Put("rules", "a\n");
  std::filesystem::create_symlink("rules", tree.root() / ".gitignore");
  ASSERT_EQ(::mkfifo((tree.root() / ".ignore").c_str(), 0600), 0);
  tree.Put("a", "");
  EXPECT_THAT(Run().paths, UnorderedElementsAre("a", "rules"));
}

}  // namespace
}  // namespace awf::builtins

#include "infrastructure/operations/github_repository.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

TEST(GithubRepositoryTest, RemotesInEveryForm) {
  struct Case {
    const char *url, *host, *repository;
    bool ssh;
  };
  for (const Case& c : {Case{"https://github.com/oct/cat.git", "github.com", "oct/cat", false},
                        Case{"https://github.com/oct/cat", "github.com", "oct/cat", false},
                        Case{"https://user:pw@GitHub.com:443/oct/cat.js/", "github.com", "oct/cat.js", false},
                        Case{"http://ghe.example/o-1/c_2", "ghe.example", "o-1/c_2", false},
                        Case{"git@github.com:oct/cat.git", "github.com", "oct/cat", true},
                        Case{"github.com:/oct/cat", "github.com", "oct/cat", true},
                        Case{"ssh://git@ssh.github.com:443/oct/cat.git", "ssh.github.com", "oct/cat", true},
                        Case{"git@work:oct/cat", "work", "oct/cat", true}}) {
    const auto remote = ParseRemote(c.url);
    ASSERT_TRUE(remote) << c.url;
    EXPECT_EQ(remote->host, c.host);
    EXPECT_EQ(remote->repository, c.repository);
    EXPECT_EQ(remote->ssh, c.ssh);
  }
  for (const char* url : {"", "/srv/git/cat.git", "../cat", "file:///srv/oct/cat", "https://github.com/cat",
                          "https://github.com/a/b/c", "git@github.com:../cat", "git@github.com:oct/c at"}) {
    EXPECT_FALSE(ParseRemote(url)) << url;
  }
}

TEST(GithubRepositoryTest, OwnerAndName) {
  for (const char* good : {"o/r", "O-1/r.x_y"}) EXPECT_TRUE(IsRepository(good)) << good;
  for (const char* bad : {"", "o", "/r", "o/", "o/r/x", "../r", "o/..", "o/r?x", "o/ r"})
    EXPECT_FALSE(IsRepository(bad)) << bad;
}

class RepositoryOfOriginTest : public testing::Test {
 protected:
  std::string Found(const std::string& host) const {
    const json::object none;
    const OperationCall call{"", "", none, SteadyClock::now() + kHang, {}, "", ""};
    const auto found = RepositoryOfOrigin(user_.folder(), host, user_.Variables(), call);
    return found ? *found : found.error().error;
  }

  TestUser user_;
};

TEST_F(RepositoryOfOriginTest, GitIsAskedInTheWorkingDirectory) {
  user_.Install("git", "echo \"$* in $PWD\" > \"$HOME/log\"\necho git@github.com:oct/cat.git\n");
  EXPECT_EQ(Found("github.com"), "oct/cat");
  EXPECT_EQ(user_.Log(), "remote get-url origin in " + user_.folder().string() + "\n");
}

TEST_F(RepositoryOfOriginTest, OnlyOfTheServerAtHand) {
  user_.Install("git", "echo https://u:secret@gitlab.example/oct/cat\n");
  EXPECT_EQ(Found("github.com"),
            "not_found: no repo is given, and the git remote origin is at gitlab.example, not at github.com");
  EXPECT_EQ(Found("gitlab.example"), "oct/cat");
  EXPECT_EQ(Found(""), "oct/cat");
  user_.Install("git", "echo git@work:oct/cat\n");  // a name of ~/.ssh/config
  EXPECT_EQ(Found("github.com"), "oct/cat");
  user_.Install("git", "echo https://u:secret@h/cat\n");
  EXPECT_EQ(Found("github.com"), "not_found: no repo is given, and the git remote origin is none of GitHub");
}

TEST_F(RepositoryOfOriginTest, Failures) {
  EXPECT_EQ(Found("github.com"), "not_found: no repo is given, and git was not found on the PATH");
  user_.Install("git", "echo \"error: No such remote 'origin'\" >&2\necho more >&2\nexit 2\n");
  EXPECT_EQ(Found("github.com"),
            "not_found: no repo is given, and git knows no remote origin: error: No such remote 'origin'");
}

TEST_F(RepositoryOfOriginTest, RealGit) {
  if (::access("/usr/bin/git", X_OK) != 0) GTEST_SKIP() << "git is not installed";
  user_.Set("PATH", "/usr/bin");
  user_.Set("GIT_CONFIG_NOSYSTEM", "1");
  user_.folder().Put(".git/HEAD", "ref: refs/heads/main\n");
  std::filesystem::create_directories(user_.folder() / ".git/objects");
  std::filesystem::create_directories(user_.folder() / ".git/refs");
  user_.folder().Put(".git/config", "[remote \"origin\"]\n\turl = gh:oct/cat.git\n");
  user_.folder().Put(".gitconfig", "[url \"https://github.com/\"]\n\tinsteadOf = gh:\n");
  EXPECT_EQ(Found("github.com"), "oct/cat");
}

}  // namespace
}  // namespace awf::operations

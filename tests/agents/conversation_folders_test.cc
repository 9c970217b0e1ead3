// The private folders of conversations, with the real awf as their keeper.
#include "infrastructure/agents/conversation_folders.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "domain/test_folder.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

class ConversationFoldersTest : public testing::Test {
 protected:
  std::unique_ptr<ConversationFolders> Make() const {
    auto place = process::PrivateFolder::OpenIn({}, top_ / "private");
    EXPECT_TRUE(place);
    return std::make_unique<ConversationFolders>(std::getenv("AWF_PROGRAM"), *place);
  }
  bool IsEmpty() const { return fs::is_empty(top_ / "private"); }

  const TestFolder top_{"/tmp"};
};

TEST_F(ConversationFoldersTest, EachConversationHasOneOfItsOwnAsLongAsTheRunLives) {
  auto folders = Make();
  EXPECT_TRUE(IsEmpty());
  const auto first = folders->Folder("plan"), second = folders->Folder("other"), again = folders->Folder("plan");
  ASSERT_TRUE(first && second && again);
  EXPECT_EQ(*first, *again);
  EXPECT_NE(*first, *second);
  for (const fs::path& folder : {*first, first->parent_path()}) {
    struct stat status{};
    ASSERT_EQ(::stat(folder.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700U) << folder;
  }
  EXPECT_EQ(ConversationFolders::MarkOf(*first), "");
  std::ofstream(*first / "session") << "x";
  const std::string mark = ConversationFolders::MarkOf(*first);
  EXPECT_TRUE(mark.ends_with("/1")) << mark;

  auto others = Make();
  const auto elsewhere = others->Folder("plan");
  ASSERT_TRUE(elsewhere);
  std::ofstream(*elsewhere / "session") << "x";
  EXPECT_NE(ConversationFolders::MarkOf(*elsewhere), mark);
  others.reset();
  EXPECT_TRUE(fs::exists(*first / "session"));
  folders.reset();
  EXPECT_TRUE(IsEmpty());
}

TEST_F(ConversationFoldersTest, TheyGoWhenTheRunIsKilled) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t owner = ::fork();
  if (owner == 0) {
    auto folders = Make();
    const auto folder = folders->Folder("plan");
    if (!folder) ::_exit(1);
    std::ofstream(*folder / "session") << "x";
    if (::write(ends[1], "x", 1) != 1) ::_exit(1);
    for (;;) ::pause();
  }
  ::close(ends[1]);
  char ready = 0;
  ASSERT_EQ(::read(ends[0], &ready, 1), 1);
  ::close(ends[0]);
  EXPECT_FALSE(IsEmpty());
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!IsEmpty() && std::chrono::steady_clock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(IsEmpty());
}

TEST_F(ConversationFoldersTest, APlaceThatCannotHoldThemIsAnError) {
  auto folders = Make();
  ASSERT_TRUE(folders->Folder("plan"));
  ConversationFolders broken("/nonexistent/awf", *process::PrivateFolder::OpenIn({}, top_ / "private"));
  const auto folder = broken.Folder("plan");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, "EXECUTION.COMMAND.SPAWN_FAILED");
}

}  // namespace
}  // namespace awf::agents

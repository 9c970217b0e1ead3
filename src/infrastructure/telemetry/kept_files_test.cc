#include "infrastructure/telemetry/kept_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "domain/test_folder.h"

namespace awf::telemetry {
namespace {

class TextFilesTest : public testing::Test {
 protected:
  std::filesystem::path CopyOf(const std::filesystem::path& path) const {
    return folder_ / "run" / "files" / path.relative_path();
  }
  // "" or what the message says behind the path.
  static std::string Cause(TextFiles& files, const std::filesystem::path& path) {
    const auto text = files.Read(path);
    if (text) return "";
    EXPECT_EQ(text.error().code, "USER.INPUT.MISSING_FILE");
    const std::string begin = "cannot read " + path.string() + ": ";
    EXPECT_TRUE(text.error().message.starts_with(begin)) << text.error().message;
    return text.error().message.substr(std::min(begin.size(), text.error().message.size()));
  }

  const TestFolder folder_;
  PlainFiles plain_;
};

using PlainFilesTest = TextFilesTest;
using KeptFilesTest = TextFilesTest;

TEST_F(PlainFilesTest, ReadsTextAsItIs) {
  EXPECT_EQ(plain_.Read(folder_.Put("a.md", "Grüße\r\n")), "Grüße\r\n");
  EXPECT_EQ(plain_.Read(folder_.Put("empty.md", "")), "");
  const std::string longest(kMaxTextFileBytes, 'x');
  EXPECT_EQ(plain_.Read(folder_.Put("long.md", longest)), longest);
  std::filesystem::create_symlink(folder_ / "empty.md", folder_ / "link.md");
  EXPECT_EQ(plain_.Read(folder_ / "link.md"), "");
}

TEST_F(PlainFilesTest, NamesPathAndCauseOfWhatItCannotRead) {
  EXPECT_EQ(Cause(plain_, folder_ / "no.md"), "No such file or directory");
  EXPECT_EQ(Cause(plain_, folder_), "it is a folder");
  EXPECT_EQ(Cause(plain_, "/dev/null"), "it is not a regular file");
  EXPECT_EQ(Cause(plain_, folder_.Put("long.md", std::string(kMaxTextFileBytes + 1, 'x'))), "it is longer than 1 MiB");
  EXPECT_EQ(Cause(plain_, folder_.Put("latin.md", "abc\xE9 def")), "it is not UTF-8 text (at byte 3)");
  EXPECT_EQ(Cause(plain_, folder_.Put("cut.md", "\xC3\xA9\xC3")), "it is not UTF-8 text (at byte 2)");
}

TEST_F(PlainFilesTest, DoesNotWaitForTheWriterOfAPipe) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(Cause(plain_, folder_ / "pipe"), "it is not a regular file");
}

TEST_F(PlainFilesTest, ExistsIsTrueOfEverythingButFolders) {
  EXPECT_TRUE(plain_.Exists(folder_.Put("a.md", "x")));
  EXPECT_TRUE(plain_.Exists("/dev/null"));
  EXPECT_FALSE(plain_.Exists(folder_));
  EXPECT_FALSE(plain_.Exists(folder_ / "no.md"));
}

TEST_F(KeptFilesTest, KeepsAPrivateCopyOfWhatItReads) {
  std::filesystem::create_directory(folder_ / "run");
  const std::filesystem::path path = folder_.Put("prompts/review.md", "Review it.\n");
  const mode_t old = ::umask(0);
  KeptFiles files(folder_ / "run" / "files", false);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "run" / "files"));
  EXPECT_EQ(files.Read(path), "Review it.\n");
  ::umask(old);
  EXPECT_EQ(FileText(CopyOf(path)), "Review it.\n");
  EXPECT_EQ(FileMode(folder_ / "run" / "files"), 0700U);
  EXPECT_EQ(FileMode(CopyOf(path).parent_path()), 0700U);
  EXPECT_EQ(FileMode(CopyOf(path)), 0600U);
  EXPECT_EQ(Cause(files, folder_ / "no.md"), "No such file or directory");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "run" / "files"), {}), 1);
}

TEST_F(KeptFilesTest, CopiesStayInTheirFolderWhateverThePath) {
  std::filesystem::create_directory(folder_ / "run");
  const std::filesystem::path path = folder_.Put("a.md", "x");
  KeptFiles files(folder_ / "run" / "files", false);
  EXPECT_EQ(files.Read("/../.." + folder_.string() + "/b/../a.md").error().code, "USER.INPUT.MISSING_FILE");
  std::filesystem::create_directory(folder_ / "b");
  EXPECT_EQ(files.Read("/../.." + folder_.string() + "/b/../a.md"), "x");
  EXPECT_EQ(FileText(CopyOf(path)), "x");
}

TEST_F(KeptFilesTest, ReadsAChangedFileAnewAndReplacesTheCopy) {
  std::filesystem::create_directory(folder_ / "run");
  KeptFiles files(folder_ / "run" / "files", false);
  const std::filesystem::path path = folder_.Put("a.md", "first");
  EXPECT_EQ(files.Read(path), "first");
  EXPECT_EQ(files.Read(path), "first");
  folder_.Put("a.md", "second");
  EXPECT_EQ(files.Read(path), "second");
  EXPECT_EQ(FileText(CopyOf(path)), "second");
}

TEST_F(KeptFilesTest, AResumedRunIsGivenTheCopies) {
  std::filesystem::create_directory(folder_ / "run");
  const std::filesystem::path kept = folder_.Put("kept.md", "then"), fresh = folder_.Put("fresh.md", "one");
  EXPECT_TRUE(KeptFiles(folder_ / "run" / "files", false).Read(kept));
  folder_.Put("kept.md", "now");
  KeptFiles resumed(folder_ / "run" / "files", true);
  EXPECT_EQ(resumed.Read(kept), "then");
  std::filesystem::remove(kept);
  EXPECT_EQ(resumed.Read(kept), "then");
  EXPECT_TRUE(resumed.Exists(kept));
  EXPECT_FALSE(KeptFiles(folder_ / "run" / "files", false).Exists(kept));

  // A file that the resumed run is the first to read behaves as in a first run.
  EXPECT_EQ(resumed.Read(fresh), "one");
  folder_.Put("fresh.md", "two");
  EXPECT_EQ(resumed.Read(fresh), "two");
  EXPECT_EQ(FileText(CopyOf(fresh)), "two");
}

TEST_F(KeptFilesTest, TellsWhenTheCopyCannotBeWritten) {
  const std::filesystem::path path = folder_.Put("a.md", "x");
  KeptFiles files(folder_ / "run" / "files", false);  // there is no run folder
  const auto text = files.Read(path);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(text.error().message, "cannot write " + (folder_ / "run/files").string() + ": No such file or directory");
}

}  // namespace
}  // namespace awf::telemetry

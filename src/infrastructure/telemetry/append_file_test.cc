#include "infrastructure/telemetry/append_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>

#include "domain/masker.h"
#include "domain/test_folder.h"
#include "infrastructure/telemetry/audit_verifier.h"
#include "infrastructure/telemetry/log_file.h"
#include "infrastructure/telemetry/transcript_file.h"

namespace awf::telemetry {
namespace {

void ExpectNoFile(const std::filesystem::path& path) {
  const auto file = AppendFile::Open(path, false);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(file.error().message, "cannot write " + path.string() + ": it is no regular file");
}

TEST(AppendFile, APipeIsRefusedWithAndWithoutAReader) {
  const TestFolder folder;
  const auto pipe = folder / "ff";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  ExpectNoFile(pipe);
  const Fd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader);
  ExpectNoFile(pipe);
  const Masker masker;
  EXPECT_FALSE(LogFile::Open(pipe, LogLevel::kInfo, masker));
  TranscriptFile transcript(pipe, "r", masker);
  ASSERT_TRUE(transcript.fault());
  EXPECT_EQ(transcript.fault()->code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_FALSE(transcript.Write({}));
}

TEST(AppendFile, SocketsAndFoldersAreRefusedToo) {
  const TestFolder folder;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder / "s").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ExpectNoFile(path);
  const auto opened = AppendFile::Open(folder / ".", false);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, "SYSTEM.IO.WRITE_FAILED");
}

TEST(AppendFile, ADeviceTakesRecordsAndTellsWhyItTakesNoMore) {
  auto null = AppendFile::Open("/dev/null", false);
  ASSERT_TRUE(null);
  EXPECT_TRUE(null->Write("x\n"));
  EXPECT_EQ(null->Failure(), "");
  auto full = AppendFile::Open("/dev/full", false);
  ASSERT_TRUE(full);
  EXPECT_FALSE(full->Write("x\n"));
  EXPECT_EQ(full->Failure(), "No space left on device");
}

TEST(VerifyAuditFile, APipeThatNobodyWritesToIsNoAudit) {
  const TestFolder folder;
  ASSERT_EQ(::mkfifo((folder / "ff").c_str(), 0600), 0);
  const auto verdict = VerifyAuditFile(folder / "ff", {});
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, "SYSTEM.IO.READ_FAILED");
  EXPECT_EQ(verdict.error().message, "cannot read " + (folder / "ff").string() + ": it is no regular file");
}

}  // namespace
}  // namespace awf::telemetry

#include "infrastructure/telemetry/audit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "domain/test_folder.h"
#include "domain/test_time.h"
#include "infrastructure/telemetry/record_cut.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::telemetry {
namespace {

// Empty when the chain holds, else what is wrong: the chain as docs/records.md tells it, computed anew.
std::string ChainFault(const std::vector<std::string>& lines) {
  std::string prev(64, '0');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    json::error_code error;
    const json::value value = json::parse(line, error);
    if (error) return "line " + std::to_string(i) + " is no JSON";
    if (value.at("seq").to_number<std::size_t>() != i) return "seq " + std::to_string(i);
    if (value.at("prev").as_string() != prev) return "prev " + std::to_string(i);
    if (value.at("hash").as_string() != Sha256Hex(line.substr(0, line.size() - 75))) return "hash " + std::to_string(i);
    prev = value.at("hash").as_string();
  }
  return {};
}

class AuditFileTest : public testing::Test {
 protected:
  const TestFolder folder_;
  const std::filesystem::path path_ = folder_ / "audit.jsonl";
  Masker masker_;
};

TEST_F(AuditFileTest, WritesTheDocumentedTestVector) {
  long long now = 1793700900000;
  auto audit = AuditFile::Create(path_, "r", masker_, [&] { return At(now); });
  ASSERT_TRUE(audit);
  EXPECT_EQ((*audit)->Head().seq, -1);
  ASSERT_TRUE((*audit)->Append("run.started", {}, Durability::kOnDisk));
  now = 1793700909125;
  ASSERT_TRUE((*audit)->Append("run.completed", {{"status", "success"}}, Durability::kOnDisk));
  EXPECT_THAT(
      FileLines(path_),
      testing::ElementsAre(
          R"({"v":1,"seq":0,"time":"2026-11-03T10:15:00.000Z","run":"r","type":"run.started","prev":)"
          R"("0000000000000000000000000000000000000000000000000000000000000000","hash":)"
          R"("204bd1987580c5516dfe1972d6f0bd716d9ce10462bae2bf00f53355a048a38d"})",
          R"({"v":1,"seq":1,"time":"2026-11-03T10:15:09.125Z","run":"r","type":"run.completed","status":"success","prev":)"
          R"("204bd1987580c5516dfe1972d6f0bd716d9ce10462bae2bf00f53355a048a38d","hash":)"
          R"("fc54a2e4da9b01c9bd05dcef3cec83202dbc5fec3ae5c61f445b40aabbffa3e3"})"));
  EXPECT_EQ((*audit)->Head().seq, 1);
  EXPECT_EQ((*audit)->Head().hash, "fc54a2e4da9b01c9bd05dcef3cec83202dbc5fec3ae5c61f445b40aabbffa3e3");
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
}

TEST_F(AuditFileTest, RefusesAFileThatIsThere) {
  std::ofstream(path_) << "x";
  auto audit = AuditFile::Create(path_, "r", masker_);
  ASSERT_FALSE(audit);
  EXPECT_EQ(audit.error().code, "SYSTEM.IO.WRITE_FAILED");
  EXPECT_EQ(audit.error().message, "cannot write " + path_.string() + ": File exists");
}

TEST_F(AuditFileTest, HoldsTheChainWithConcurrentWriters) {
  constexpr int kThreads = 16, kRecords = 60;
  auto audit = AuditFile::Create(path_, "r", masker_);
  ASSERT_TRUE(audit);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRecords; ++i) {
        const auto durability = i % 20 == 0 ? Durability::kOnDisk : Durability::kWritten;
        EXPECT_TRUE((*audit)->Append("tool.call", {{"thread", t}, {"text", std::string(1000, 'x')}}, durability));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto lines = FileLines(path_);
  EXPECT_EQ(lines.size(), 1U * kThreads * kRecords);
  EXPECT_EQ(ChainFault(lines), "");
  EXPECT_EQ((*audit)->Head().seq, kThreads * kRecords - 1);
}

TEST_F(AuditFileTest, MasksThenCuts) {
  masker_.AddSecret("hunter2hunter2");
  auto audit = AuditFile::Create(path_, "r", masker_);
  ASSERT_TRUE(audit);
  // The secret lies across the place of the cut.
  std::string error(kLongestLine - 900, 'x');
  for (int i = 0; i < 100; ++i) error += "hunter2hunter2 ";
  error += std::string(100'000, 'y');
  ASSERT_TRUE((*audit)->Append("tool.call",
                               {{"tool", "Bash"}, {"error", error}, {"token", "abc"}, {"bad", "a\xFF"}, {"n", 1}},
                               Durability::kWritten));
  const auto lines = FileLines(path_);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LE(lines[0].size() + 1, kLongestLine);
  EXPECT_GT(lines[0].size(), kLongestLine - 2000);
  EXPECT_EQ(ChainFault(lines), "");
  EXPECT_EQ(lines[0].find("hunter2"), std::string::npos);
  const json::value value = json::parse(lines[0]);
  EXPECT_EQ(json::serialize(value.at("cut")), R"(["error"])");
  EXPECT_EQ(value.at("token").as_string(), "***");
  EXPECT_EQ(value.at("bad").as_string(), "a\xEF\xBF\xBD");
  EXPECT_TRUE(value.at("error").as_string().starts_with("xxxx"));
  std::vector<std::string> keys;
  for (const auto& entry : value.as_object()) keys.emplace_back(entry.key());
  EXPECT_THAT(keys, testing::ElementsAre("v", "seq", "time", "run", "type", "tool", "error", "token", "bad", "n", "cut",
                                         "prev", "hash"));
}

// As a run that is resumed finds it.
class AuditContinuedTest : public AuditFileTest {
 protected:
  void Write(int records) {
    auto audit = AuditFile::Create(path_, "r", masker_);
    ASSERT_TRUE(audit);
    for (int i = 0; i < records; ++i) ASSERT_TRUE((*audit)->Append("run.started", {{"n", i}}, Durability::kWritten));
  }
  void Leave(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // Appends one record; the head before it.
  std::int64_t Continue() {
    auto audit = AuditFile::Continue(path_, "r", masker_);
    EXPECT_TRUE(audit) << audit.error().message;
    if (!audit) return -2;
    const std::int64_t seq = (*audit)->Head().seq;
    EXPECT_TRUE((*audit)->Append("run.completed", {{"text", std::string(20'000, 'x')}}, Durability::kWritten));
    return seq;
  }
};

TEST_F(AuditContinuedTest, GoesOnFromTheLastRecord) {
  Write(3);
  EXPECT_EQ(Continue(), 2);
  EXPECT_EQ(Continue(), 3);  // the last line is as long as lines get
  const auto lines = FileLines(path_);
  EXPECT_EQ(lines.size(), 5U);
  EXPECT_EQ(ChainFault(lines), "");
}

TEST_F(AuditContinuedTest, BeginsWhereThereIsNothing) {
  EXPECT_EQ(Continue(), -1);
  std::ofstream(path_, std::ios::trunc).close();
  EXPECT_EQ(Continue(), -1);
  EXPECT_EQ(ChainFault(FileLines(path_)), "");
}

TEST_F(AuditContinuedTest, AnswersACutLine) {
  const std::string cut = R"({"v":1,"seq":2,"time":"2026-)";
  Write(2);
  Leave(cut);
  EXPECT_EQ(Continue(), 2);  // that of `recovered`
  auto lines = FileLines(path_);
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[2], cut);
  const json::value recovered = json::parse(lines[3]);
  EXPECT_EQ(recovered.at("type").as_string(), "recovered");
  EXPECT_EQ(recovered.at("seq").as_int64(), 2);
  EXPECT_EQ(recovered.at("dropped_bytes").as_int64(), 28);
  EXPECT_EQ(recovered.at("dropped_sha256").as_string(), Sha256Hex(cut));
  lines.erase(lines.begin() + 2);
  EXPECT_EQ(ChainFault(lines), "");
}

TEST_F(AuditContinuedTest, EveryPlaceOfACutIsAnswered) {
  Write(2);
  const std::string whole = Text();
  const std::size_t second = whole.find('\n') + 1;
  for (std::size_t length = 1; length < whole.size(); ++length) {
    std::ofstream(path_, std::ios::trunc) << whole.substr(0, length);
    Continue();
    auto lines = FileLines(path_);
    const bool in_first = length < second - 1;
    const bool between = length == second - 1 || length == second || length == whole.size() - 1;
    if (!between) lines.erase(lines.begin() + (in_first ? 0 : 1));
    EXPECT_EQ(ChainFault(lines), "") << length;
    EXPECT_EQ(lines.size(), between ? (length <= second ? 2U : 3U) : (in_first ? 2U : 3U)) << length;
  }
}

// The crash came between the line feed and `recovered`.
TEST_F(AuditContinuedTest, AnswersACutLineThatWasEndedAlready) {
  Write(1);
  Leave("{\"v\":\n");
  EXPECT_EQ(Continue(), 1);
  auto lines = FileLines(path_);
  EXPECT_EQ(json::parse(lines[2]).at("dropped_bytes").as_int64(), 5);
  lines.erase(lines.begin() + 1);
  EXPECT_EQ(ChainFault(lines), "");
}

TEST_F(AuditContinuedTest, RefusesWhatIsNoAudit) {
  Write(1);
  Leave("one\ntwo\n");
  const std::string before = Text();
  const auto audit = AuditFile::Continue(path_, "r", masker_);
  ASSERT_FALSE(audit);
  EXPECT_EQ(audit.error().code, "SYSTEM.IO.READ_FAILED");
  EXPECT_EQ(audit.error().message, "cannot read " + path_.string() + ": it does not end in an audit record");
  EXPECT_EQ(Text(), before);
}

// The size limit of the process makes a write fail as a full disk does. In a child, since the limit cannot be raised
// again and other tests run beside this one.
TEST_F(AuditFileTest, AWriteFailureIsForGood) {
  const auto fill = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400, 400};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    auto audit = AuditFile::Create(path_, "r", masker_);
    if (!audit || !(*audit)->Append("run.started", {}, Durability::kWritten)) ::_exit(3);
    const auto failed = (*audit)->Append("tool.call", {{"error", std::string(500, 'x')}}, Durability::kWritten);
    if (failed || failed.error().code != "SYSTEM.IO.WRITE_FAILED") ::_exit(4);
    const auto later = (*audit)->Append("run.completed", {}, Durability::kOnDisk);
    if (later || later.error() != failed.error()) ::_exit(5);
    ::_exit((*audit)->Head().seq == 0 ? 0 : 6);
  };
  EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace awf::telemetry

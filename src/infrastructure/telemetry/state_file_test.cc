#include "infrastructure/telemetry/state_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "domain/test_folder.h"

namespace awf::telemetry {
namespace {

class StateFileTest : public testing::Test {
 protected:
  static json::object Ended(const std::string& path, const std::string& state, const json::value& output = "out") {
    return EndedRecord(path, state, {{"Output", output}, {"Status", "success"}}, {}, "b");
  }
  static json::object Ended(const std::string& state) { return Ended(state, state); }
  std::string Text() const { return FileText(path_); }
  std::vector<std::string> Order() const {
    auto state = StateFile::Load(path_);
    EXPECT_TRUE(state) << state.error().message;
    return state ? state->order : std::vector<std::string>();
  }

  const TestFolder folder_;
  const std::filesystem::path path_ = folder_ / "state.json";
};

TEST_F(StateFileTest, WhatWasAppendedComesBack) {
  const std::string hostile = "bytes \xff, line\nfeed, \"quote\", \x1b[31m";
  json::value deep = 1;
  for (int i = 0; i < 100; ++i) deep = json::object{{"in", std::move(deep)}};
  auto file = StateFile::Create(path_);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append(BegunRecord({{"text", hostile}, {"n", 3}})));
  ASSERT_TRUE((*file)->Append(EnteredRecord("a", "a")));
  ASSERT_TRUE((*file)->Append(Ended("a", "a", deep)));
  struct stat info{};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);

  const auto state = StateFile::Load(path_);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(std::string(state->inputs.at("text").as_string()), hostile);
  EXPECT_EQ(state->inputs.at("n").as_int64(), 3);
  EXPECT_EQ(state->results.at("a")->at("Output"), deep);
  EXPECT_EQ(state->cursor, "b");

  (*file)->Remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_EQ(StateFile::Load(path_).error().code, "SYSTEM.IO.READ_FAILED");
  EXPECT_FALSE(StateFile::Continue(path_));
}

TEST_F(StateFileTest, CreateRefusesAFileThatIsThere) {
  std::ofstream(path_) << "x";
  const auto file = StateFile::Create(path_);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, "SYSTEM.IO.WRITE_FAILED");
}

TEST_F(StateFileTest, ACutLastLineCountsAsNotWritten) {
  {
    auto file = StateFile::Create(path_);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->Append(BegunRecord({})));
    ASSERT_TRUE((*file)->Append(EnteredRecord("a", "a")));
    ASSERT_TRUE((*file)->Append(Ended("a")));
    ASSERT_TRUE((*file)->Append(EnteredRecord("b", "b")));
    ASSERT_TRUE((*file)->Append(Ended("b", "b", json::value(std::string(100'000, 'x')))));
  }
  const std::string whole = Text();
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (const std::size_t length : {whole.size() - 1, whole.size() - 70'000, last + 1, last}) {
    std::ofstream(path_, std::ios::trunc) << whole.substr(0, length);
    EXPECT_EQ(Order(), std::vector<std::string>{"a"}) << length;
    auto file = StateFile::Continue(path_);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->Append(Ended("b")));
    EXPECT_EQ(Order(), (std::vector<std::string>{"a", "b"})) << length;
  }
  std::ofstream(path_, std::ios::trunc) << "{\"cut";
  EXPECT_TRUE(Order().empty());
  ASSERT_TRUE(StateFile::Continue(path_));
  EXPECT_EQ(Text(), "");
}

TEST_F(StateFileTest, ADamagedRecordIsNamedByItsLine) {
  const std::string begun = json::serialize(BegunRecord({})) + "\n";
  const auto fault = [&](const std::string& text) {
    std::ofstream(path_, std::ios::trunc) << text;
    const auto state = StateFile::Load(path_);
    EXPECT_FALSE(state);
    if (state) return std::string();
    EXPECT_EQ(state.error().code, "USER.RUN.NOT_RESUMABLE");
    return state.error().message;
  };
  const std::string where = path_.string() + " is damaged in line ";
  EXPECT_TRUE(fault(begun + "{\"cut\n" + begun).starts_with(where + "2: it is no JSON: "));
  EXPECT_EQ(fault("[]\n"), where + "1: it is no JSON object");
  EXPECT_TRUE(fault(begun + "{\"foreign\":1}\n").starts_with(where + "2: "));
}

TEST_F(StateFileTest, ConcurrentRecordsStayWhole) {
  constexpr int kThreads = 8, kRecords = 25;
  auto file = StateFile::Create(path_);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->Append(BegunRecord({})));
  ASSERT_TRUE((*file)->Append(EnteredRecord("p", "p")));
  ASSERT_TRUE((*file)->Append(ParallelBegunRecord("p")));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRecords; ++i) {
        const std::string state = "s" + std::to_string(t * kRecords + i), path = "p/" + state;
        EXPECT_TRUE((*file)->Append(EnteredRecord(path, state)));
        EXPECT_TRUE((*file)->Append(Ended(path, state, json::value(std::string(3000, 'x')))));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Order().size(), 1U * kThreads * kRecords);
}

// In a child, since the limit on the size of files cannot be raised again.
TEST_F(StateFileTest, AWriteFailureIsForGoodAndLeavesWholeRecords) {
  const auto fill = [&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{400, 400};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
    auto file = StateFile::Create(path_);
    if (!file || !(*file)->Append(BegunRecord({}))) ::_exit(3);
    const auto failed = (*file)->Append(Ended("a", "a", json::value(std::string(500, 'x'))));
    if (failed || failed.error().code != "SYSTEM.IO.WRITE_FAILED") ::_exit(4);
    const auto later = (*file)->Append(Ended("b"));
    ::_exit(!later && later.error() == failed.error() ? 0 : 5);
  };
  EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(Text(), json::serialize(BegunRecord({})) + "\n");
}

}  // namespace
}  // namespace awf::telemetry

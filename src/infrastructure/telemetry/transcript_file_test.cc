#include "infrastructure/telemetry/transcript_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>
#include <vector>

#include "domain/test_folder.h"
#include "domain/test_time.h"
#include "domain/tool_observer.h"

namespace awf::telemetry {
namespace {

using testing::ElementsAre;

constexpr char kSecret[] = "hunter2hunter2";

TranscriptRecord Record(json::object payload) {
  return {"message.user", "loop:2/fix", 3, At(1'793'700'909'123), payload};
}

class TranscriptFileTest : public testing::Test {
 protected:
  TranscriptFileTest() { masker_.AddSecret(kSecret); }

  TranscriptFile File() { return {path_, "r", masker_}; }
  // The payload of the only line, once that record was written.
  json::object Written(json::object payload) {
    std::filesystem::remove(path_);
    EXPECT_TRUE(File().Write(Record(std::move(payload))));
    const auto lines = FileLines(path_);
    EXPECT_EQ(lines.size(), 1U);
    return lines.empty() ? json::object() : json::parse(lines[0]).at("payload").as_object();
  }

  const TestFolder folder_;
  const std::filesystem::path path_ = folder_ / "transcript.jsonl";
  Masker masker_;
};

TEST_F(TranscriptFileTest, NumbersGoOnBehindWhatIsThere) {
  EXPECT_TRUE(File().Write(Record({{"a", 1}})));
  {
    TranscriptFile file = File();
    EXPECT_EQ(file.Name(), path_.string());
    EXPECT_TRUE(file.Write({"run.completed", "", 1, At(0), {}}));
  }
  std::ofstream(path_, std::ios::app) << R"({"seq":9,"run_)";  // a crash
  EXPECT_TRUE(File().Write(Record({})));
  const std::string place = R"("type":"message.user","path":"loop:2/fix","attempt":3,)"
                            R"("timestamp":"2026-11-03T10:15:09.123Z",)";
  EXPECT_THAT(FileLines(path_),
              ElementsAre(R"({"seq":1,"run_id":"r",)" + place + R"("payload":{"a":1}})",
                          R"({"seq":2,"run_id":"r","type":"run.completed","path":"","attempt":1,)"
                          R"("timestamp":"1970-01-01T00:00:00.000Z","payload":{}})",
                          R"({"seq":9,"run_)", R"({"seq":3,"run_id":"r",)" + place + R"("payload":{}})"));
  EXPECT_EQ(FileMode(path_), 0600U);
}

TEST_F(TranscriptFileTest, LongLinesDoNotHideTheLastNumber) {
  for (int i = 0; i < 3; ++i) {
    TranscriptFile file = File();
    json::array blocks;
    for (int block = 0; block < 10; ++block) blocks.emplace_back(json::object{{"text", std::string(100'000, 'x')}});
    EXPECT_TRUE(file.Write(Record({{"blocks", blocks}})));
  }
  std::ofstream(path_, std::ios::app) << std::string(kLongestTranscriptLine - 1, 'y');
  EXPECT_TRUE(File().Write(Record({})));
  const auto lines = FileLines(path_);
  EXPECT_EQ(lines.size(), 5U);
  EXPECT_TRUE(lines.back().starts_with(R"({"seq":4,)"));
}

TEST_F(TranscriptFileTest, MasksTextsAndArguments) {
  EXPECT_EQ(json::serialize(Written({{"output", "say hunter2hunter2"},
                                     {"input", {{"password", "x"}, {"content", "hunter2hunter2 hunter2hunt…"}}},
                                     {"blocks", {{{"type", "text"}, {"text", "hunter2hunter2"}}}},
                                     {"bytes", 3}})),
            R"({"output":"say ***","input":{"password":"***","content":"*** ***…"},)"
            R"("blocks":[{"type":"text","text":"***"}],"bytes":3})");
}

TEST_F(TranscriptFileTest, MasksBeforeItCuts) {
  const std::string text = std::string(kLongestContent - 4, 'x') + kSecret + std::string(1000, 'y');
  const json::object payload = Written({{"output", text}});
  EXPECT_EQ(payload.at("output"), json::value(std::string(kLongestContent - 4, 'x') + "***y"));
  EXPECT_EQ(payload.at("cut"), json::value(json::array{"output"}));
}

TEST_F(TranscriptFileTest, NamesWhatItCutOnceAndInItsBlock) {
  const std::string much(kLongestContent + 1, 'x');
  const json::object payload =
      Written({{"output", much}, {"cut", {"output"}}, {"blocks", {{{"text", much}}, {{"text", "few"}}}}});
  EXPECT_EQ(payload.at("cut"), json::value(json::array{"output"}));
  EXPECT_EQ(payload.at("blocks").at(0).at("cut"), json::value(json::array{"text"}));
  EXPECT_FALSE(payload.at("blocks").at(1).as_object().contains("cut"));
}

TEST_F(TranscriptFileTest, NoLineIsLongerThanItsBound) {
  json::array blocks;
  for (int i = 0; i < 12; ++i)
    blocks.emplace_back(json::object{{"type", "text"}, {"text", std::string(kLongestContent, '\x01')}});
  const json::object payload = Written({{"role", "assistant"}, {"blocks", blocks}});
  EXPECT_LE(std::filesystem::file_size(path_), kLongestTranscriptLine);
  EXPECT_GT(std::filesystem::file_size(path_), kLongestTranscriptLine / 2);
  EXPECT_EQ(payload.at("cut"), json::value(json::array{"blocks"}));
  EXPECT_EQ(payload.at("blocks").as_array().size(), 12U);
}

TEST_F(TranscriptFileTest, BadBytesAreRepaired) {
  EXPECT_EQ(json::serialize(Written({{"output", "a\xFF"}})), "{\"output\":\"a\xEF\xBF\xBD\"}");
}

TEST_F(TranscriptFileTest, WhatCannotBeWrittenIsToldByWrite) {
  std::filesystem::create_directory(path_);
  EXPECT_FALSE(File().Write(Record({})));
  TranscriptFile full("/dev/full", "r", masker_);
  EXPECT_FALSE(full.Write(Record({})));
}

TEST_F(TranscriptFileTest, LinesOfSeveralThreadsStandInTheOrderOfTheirNumbers) {
  constexpr int kThreads = 8, kRecords = 100;
  TranscriptFile file = File();
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&file] {
        for (int n = 0; n < kRecords; ++n) EXPECT_TRUE(file.Write(Record({{"output", std::string(n * 10, 'x')}})));
      });
    }
  }
  const auto lines = FileLines(path_);
  ASSERT_EQ(lines.size(), std::size_t{kThreads} * kRecords);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(json::parse(lines[i]).at("seq"), json::value(i + 1));
}

}  // namespace
}  // namespace awf::telemetry

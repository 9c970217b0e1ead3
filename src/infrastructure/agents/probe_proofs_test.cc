#include "infrastructure/agents/probe_proofs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <set>
#include <thread>

#include "domain/test_folder.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

class ProbeProofsTest : public testing::Test {
 protected:
  ProbeProofsTest() {
    // As npm installs it: the name on the PATH is a link into the package.
    package_ = top_.Put("node_modules/@openai/codex/package.json", R"({"version":"0.171.0"})");
    program_ = top_.Put("node_modules/@openai/codex/bin/codex.js", "#!/usr/bin/env node\n");
    fs::create_directories(top_ / "node_modules/.bin");
    fs::create_symlink("../@openai/codex/bin/codex.js", top_ / "node_modules/.bin/codex");
    key_.provider = "codex";
    key_.version = "0.171.0";
    key_.program = top_ / "node_modules/.bin/codex";
  }

  static void Touch(const fs::path& file) {
    const timespec times[] = {{0, UTIME_OMIT}, {1'000'000'000, 1}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }

  const TestFolder top_;
  fs::path program_, package_;
  ProofKey key_;
  const fs::path file_ = top_ / "state/awf/probes.jsonl";
  const ProbeProofs proofs_{file_};
};

TEST_F(ProbeProofsTest, DigestTellsAllThatMayChangeTheOffer) {
  const std::string first = key_.Digest();
  EXPECT_EQ(first.size(), 64U);
  EXPECT_EQ(key_.Digest(), first);
  std::set<std::string> digests{first};
  const auto differs = [&](auto change) {
    ProofKey key = key_;
    change(key);
    return digests.insert(key.Digest()).second;
  };
  EXPECT_TRUE(differs([](ProofKey& key) { key.provider = "gemini"; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.version = "0.171.1"; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.recipe = 2; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.intercept = false; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.model = "gpt-5.6"; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.extra_args = {"-a", "b"}; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.extra_args = {"b", "-a"}; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.extra_args = {"-a b"}; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.env = {{"A", "1"}, {"B", "2"}}; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.env = {{"A", "1"}}; }));
  EXPECT_TRUE(differs([](ProofKey& key) { key.ambient = {"A=1"}; }));
  // The order of variables means nothing, nor does the link by which the program is found.
  EXPECT_FALSE(differs([](ProofKey& key) { key.env = {{"B", "2"}, {"A", "1"}}; }));
  EXPECT_FALSE(differs([&](ProofKey& key) { key.program = program_; }));
}

TEST_F(ProbeProofsTest, AnotherProgramOrPackageIsAnotherDigest) {
  std::set<std::string> digests{key_.Digest()};
  Touch(program_);
  EXPECT_TRUE(digests.insert(key_.Digest()).second) << "time of the program";
  top_.Put("node_modules/@openai/codex/bin/codex.js", "#!/usr/bin/env node\n//\n");
  Touch(program_);
  EXPECT_TRUE(digests.insert(key_.Digest()).second) << "size of the program";
  Touch(package_);
  EXPECT_TRUE(digests.insert(key_.Digest()).second) << "time of the package";
  top_.Put("other/bin/codex.js", FileText(program_));
  Touch(top_ / "other/bin/codex.js");
  key_.program = top_ / "other/bin/codex.js";
  EXPECT_TRUE(digests.insert(key_.Digest()).second) << "another place";
  key_.program = top_ / "gone";
  EXPECT_EQ(key_.Digest(), "");
}

TEST_F(ProbeProofsTest, EveryFileOfThePackageCounts) {
  const fs::path chunk = top_.Put("node_modules/@openai/codex/bundle/chunk-1.js", "1");
  const fs::path native = top_.Put("node_modules/@openai/codex-linux-x64/vendor/codex", "1");
  top_.Put("node_modules/@openai/codex-linux-x64/package.json", "{}");
  top_.Put("node_modules/@openai/codex/bin/package.json", R"({"type":"module"})");
  std::set<std::string> digests{key_.Digest()};
  top_.Put("node_modules/@openai/codex/bundle/chunk-1.js", "12");
  EXPECT_TRUE(digests.insert(key_.Digest()).second) << "size";
  Touch(chunk);
  EXPECT_TRUE(digests.insert(key_.Digest()).second) << "time";
  const auto hidden = [&](const fs::path& file) {
    // As one does who wants no trace: same size, the old time. The clock of the file system ticks every few ms.
    struct stat before{}, after{};
    ASSERT_EQ(::stat(file.c_str(), &before), 0);
    do {
      std::ofstream(file) << FileText(file).replace(0, 1, "X");
      const timespec times[] = {before.st_atim, before.st_mtim};
      ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
      ASSERT_EQ(::stat(file.c_str(), &after), 0);
    } while (after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
    EXPECT_TRUE(digests.insert(key_.Digest()).second) << file;
  };
  hidden(chunk);
  hidden(program_);
  hidden(native);
  fs::rename(chunk, chunk.parent_path() / "chunk-2.js");
  EXPECT_TRUE(digests.insert(key_.Digest()).second) << "name";
  top_.Put("node_modules/other/index.js", "");
  EXPECT_FALSE(digests.insert(key_.Digest()).second) << "another package";
}

TEST_F(ProbeProofsTest, OfAFolderWithTooManyFilesThePackageFileCounts) {
  const fs::path folder = top_ / "node_modules/@openai/codex/many";
  fs::create_directories(folder);
  for (int i = 0; i < 5000; ++i) std::ofstream(folder / std::to_string(i));
  std::set<std::string> digests{key_.Digest()};
  std::ofstream(folder / "7") << "x";
  EXPECT_FALSE(digests.insert(key_.Digest()).second);
  Touch(package_);
  EXPECT_TRUE(digests.insert(key_.Digest()).second);
  Touch(program_);
  EXPECT_TRUE(digests.insert(key_.Digest()).second);
}

TEST_F(ProbeProofsTest, AssumedHoldsForAllAndKeepsNothing) {
  const ProbeProofs assumed = ProbeProofs::Assumed();
  EXPECT_TRUE(assumed.Holds(key_));
  EXPECT_TRUE(assumed.empty());
  EXPECT_FALSE(assumed.Add(key_));
}

TEST_F(ProbeProofsTest, ConfigurationThatOutranksFlagsVoidsAProof) {
  const fs::path managed = top_ / "etc/codex/managed_config.toml";
  key_.managed = {managed};
  ASSERT_TRUE(proofs_.Add(key_));
  EXPECT_TRUE(proofs_.Holds(key_));
  top_.Put("etc/codex/managed_config.toml", "[features]\n");
  EXPECT_FALSE(proofs_.Holds(key_));
  ASSERT_TRUE(proofs_.Add(key_));
  fs::remove(managed);
  EXPECT_TRUE(proofs_.Holds(key_)) << "as it was when it was probed first";
}

TEST_F(ProbeProofsTest, AddedHoldsUntilRemoved) {
  EXPECT_FALSE(proofs_.Holds(key_));
  EXPECT_TRUE(proofs_.Remove(key_));
  EXPECT_FALSE(fs::exists(top_ / "state")) << "nothing is made to remove nothing";
  ASSERT_TRUE(proofs_.Add(key_));
  EXPECT_TRUE(proofs_.Holds(key_));
  EXPECT_EQ(FileMode(file_), 0600U);
  ProofKey other = key_;
  other.provider = "gemini";
  EXPECT_FALSE(proofs_.Holds(other));
  ASSERT_TRUE(proofs_.Add(other));
  ASSERT_TRUE(proofs_.Add(key_));
  EXPECT_EQ(FileLines(file_).size(), 2U) << "a proof is kept once";
  ASSERT_TRUE(proofs_.Remove(key_));
  EXPECT_FALSE(proofs_.Holds(key_));
  EXPECT_TRUE(ProbeProofs(file_).Holds(other));
  Touch(program_);
  EXPECT_FALSE(proofs_.Holds(other)) << "the program was changed";
}

TEST_F(ProbeProofsTest, LinesThatAreNoProofsProveNothingAndGoWithTheNextWrite) {
  ASSERT_TRUE(proofs_.Add(key_));
  const std::string line = FileLines(file_).at(0);
  top_.Put("state/awf/probes.jsonl", "{\"key\":7}\nnonsense\n\n[]\n{\"key\":\"abc\"}\n\xff\n" + line + "\n");
  EXPECT_TRUE(proofs_.Holds(key_));
  ProofKey other = key_;
  other.recipe = 2;
  ASSERT_TRUE(proofs_.Add(other));
  EXPECT_EQ(FileLines(file_).size(), 2U);
  top_.Put("state/awf/probes.jsonl", line);
  EXPECT_FALSE(proofs_.Holds(key_)) << "the line was cut";
}

TEST_F(ProbeProofsTest, FilesThatOthersCouldHaveWrittenProveNothing) {
  ASSERT_TRUE(proofs_.Add(key_));
  ASSERT_EQ(::chmod(file_.c_str(), 0620), 0);
  EXPECT_FALSE(proofs_.Holds(key_));
  ASSERT_EQ(::chmod(file_.c_str(), 0600), 0);
  EXPECT_TRUE(proofs_.Holds(key_));
  const fs::path moved = top_ / "moved";
  fs::rename(file_, moved);
  fs::create_symlink(moved, file_);
  EXPECT_FALSE(proofs_.Holds(key_)) << "a link";
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_FALSE(proofs_.Holds(key_));
  const auto added = proofs_.Add(key_);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, "SYSTEM.IO.WRITE_FAILED");
}

TEST_F(ProbeProofsTest, ManyWritersLoseNothing) {
  std::vector<std::jthread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      ProofKey key = key_;
      for (int round = 0; round < 10; ++round) {
        key.recipe = 100 * i + round;
        EXPECT_TRUE(ProbeProofs(file_).Add(key));
        if (round % 2 == 0) continue;
        EXPECT_TRUE(ProbeProofs(file_).Remove(key));
      }
    });
  }
  writers.clear();
  EXPECT_EQ(FileLines(file_).size(), 40U);
  for (int recipe : {0, 2, 708}) {
    key_.recipe = recipe;
    EXPECT_TRUE(proofs_.Holds(key_));
  }
}

TEST_F(ProbeProofsTest, WhereTheyLie) {
  EXPECT_EQ(ProbeProofs::FileFor("/s", "/h"), "/s/awf/probes.jsonl");
  EXPECT_EQ(ProbeProofs::FileFor("", "/h"), "/h/.local/state/awf/probes.jsonl");
  EXPECT_EQ(ProbeProofs::FileFor("s", "/h"), "/h/.local/state/awf/probes.jsonl");
  EXPECT_EQ(ProbeProofs::FileFor("", ""), "");
  const ProbeProofs none{fs::path()};
  EXPECT_FALSE(none.Holds(key_));
  EXPECT_TRUE(none.Remove(key_));
  ASSERT_FALSE(none.Add(key_));
}

}  // namespace
}  // namespace awf::agents

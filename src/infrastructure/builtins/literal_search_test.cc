#include "infrastructure/builtins/literal_search.h"

#include <gtest/gtest.h>

#include <random>

namespace awf::builtins {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

TEST(LiteralSearch, FindsFromAPlaceOn) {
  for (const ScanEngine engine : {ScanEngine::kBest, ScanEngine::kScalar}) {
    const LiteralSearch search("needle", false, engine);
    const std::string text = std::string(100, 'n') + "needle" + std::string(50, 'e') + "needle";
    EXPECT_EQ(search.Find(text, 0), 100U);
    EXPECT_EQ(search.Find(text, 101), 156U);
    EXPECT_EQ(search.Find(text, 157), kNone);
    EXPECT_EQ(search.Find(text, text.size() + 5), kNone);
    EXPECT_EQ(search.Find("need", 0), kNone);
    EXPECT_EQ(search.Find("", 0), kNone);
  }
}

TEST(LiteralSearch, OneByteAndNothing) {
  EXPECT_EQ(LiteralSearch("x").Find("abxx", 0), 2U);
  EXPECT_EQ(LiteralSearch("x").Find("abc", 0), kNone);
  EXPECT_TRUE(LiteralSearch().empty());
  EXPECT_EQ(LiteralSearch().Find("abc", 0), kNone);
}

TEST(LiteralSearch, IgnoresTheCaseOfAsciiLetters) {
  for (const ScanEngine engine : {ScanEngine::kBest, ScanEngine::kScalar}) {
    const LiteralSearch search("ToDo:", true, engine);
    EXPECT_EQ(search.Find(std::string(70, '.') + "TODO:", 0), 70U);
    EXPECT_EQ(search.Find(std::string(70, '.') + "todo\x1a" + std::string(70, '.'), 0), kNone);  // ':' without bit 5
    EXPECT_EQ(LiteralSearch("@", true, engine).Find("`@", 0), 1U);
    EXPECT_EQ(LiteralSearch("t", true, engine).Find(std::string(64, '\x14') + "T", 0), 64U);
  }
}

TEST(LiteralSearch, BothEnginesAgree) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text(random() % 200, '\0'), literal(1 + random() % 4, '\0');
    for (char& c : text) c = "abAB\n\x80"[random() % 6];
    for (char& c : literal) c = "abAB\n\x80"[random() % 6];
    const std::size_t from = random() % 64;
    for (const bool ignore_case : {false, true}) {
      EXPECT_EQ(LiteralSearch(literal, ignore_case).Find(text, from),
                LiteralSearch(literal, ignore_case, ScanEngine::kScalar).Find(text, from));
    }
    EXPECT_EQ(CountLineFeeds(text), CountLineFeeds(text, ScanEngine::kScalar));
    EXPECT_EQ(AllAscii(text), AllAscii(text, ScanEngine::kScalar));
  }
}

TEST(LiteralSearch, CountsManyLineFeeds) {
  EXPECT_EQ(CountLineFeeds(std::string(100'000, '\n')), 100'000U);
  EXPECT_EQ(CountLineFeeds("a\nb"), 1U);
  EXPECT_EQ(CountLineFeeds(""), 0U);
}

TEST(LiteralSearch, TellsAscii) {
  EXPECT_TRUE(AllAscii(""));
  EXPECT_TRUE(AllAscii(std::string(1000, 'a')));
  EXPECT_FALSE(AllAscii(std::string(1000, 'a') + "\xC3"));
  EXPECT_FALSE(AllAscii("\xFF" + std::string(1000, 'a')));
}

}  // namespace
}  // namespace awf::builtins

#include "infrastructure/telemetry/record_cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace awf::telemetry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::size_t Size(const json::object& record) { return json::serialize(record).size(); }

TEST(CutToFit, LeavesWhatFits) {
  json::object record{{"a", "x"}, {"b", json::array{1, 2}}};
  EXPECT_THAT(CutToFit(record, Size(record)), IsEmpty());
  EXPECT_EQ(json::serialize(record), R"({"a":"x","b":[1,2]})");
}

TEST(CutToFit, CutsTheLongestStringFirst) {
  json::object record{{"short", std::string(100, 's')}, {"long", std::string(1000, 'l')}};
  EXPECT_THAT(CutToFit(record, 500), ElementsAre("long"));
  EXPECT_EQ(record["short"].as_string().size(), 100U);
  EXPECT_EQ(Size(record), 500U);
}

TEST(CutToFit, CutsBetweenCharactersAndCountsEscapes) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "€\n";
  json::object record{{"t", text}};
  EXPECT_THAT(CutToFit(record, 300), ElementsAre("t"));
  EXPECT_LE(Size(record), 300U);
  EXPECT_GE(Size(record), 290U);
  EXPECT_TRUE(record["t"].as_string().ends_with("€") || record["t"].as_string().ends_with("\n"));
  json::object control{{"t", std::string(1000, '\x01')}};
  CutToFit(control, 100);
  EXPECT_LE(Size(control), 100U);
}

TEST(CutToFit, ReachesIntoListsAndMaps) {
  json::object record{{"inputs", {{"a", std::string(5000, 'x')}, {"b", "y"}}}, {"list", json::array{"z"}}};
  EXPECT_THAT(CutToFit(record, 1000), ElementsAre("inputs"));
  EXPECT_EQ(record["inputs"].at("b").as_string(), "y");
  EXPECT_EQ(Size(record), 1000U);
}

TEST(CutToFit, DropsElementsWhereStringsAreNotTheReason) {
  json::array numbers(10'000, 1);
  json::object many;
  for (int i = 0; i < 5000; ++i) many["key" + std::to_string(i)] = "v";
  json::object record{{"numbers", numbers}, {"many", many}, {"keep", true}};
  EXPECT_THAT(CutToFit(record, 2000), ElementsAre("numbers", "many"));
  EXPECT_LE(Size(record), 2000U);
  EXPECT_TRUE(record["keep"].as_bool());
}

TEST(RepairStrings, RepairsKeysAndValues) {
  json::object record;
  record["k\xFF"] = json::array{"v\xFE", 1};
  EXPECT_EQ(json::serialize(RepairStrings(record)), "{\"k\xEF\xBF\xBD\":[\"v\xEF\xBF\xBD\",1]}");
}

}  // namespace
}  // namespace awf::telemetry

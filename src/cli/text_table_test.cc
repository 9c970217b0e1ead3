#include "cli/text_table.h"

#include <gtest/gtest.h>

namespace awf::cli {
namespace {

TextTable Sample() {
  TextTable table({{"name", false, true}, {"count", true}, {"note", false, true}});
  table.Add({"short", "7", "x"});
  table.Add({"a-rather-long-name", "12345", "a note of some length"}, "31");
  return table;
}

TEST(TextTable, AlignsItsColumns) {
  EXPECT_EQ(Sample().Render({}),
            "name                count  note\n"
            "short                   7  x\n"
            "a-rather-long-name  12345  a note of some length\n");
}

TEST(TextTable, GivesWayWhereItMayOnANarrowTerminal) {
  EXPECT_EQ(Sample().Render({false, 37}),
            "name           count  note\n"
            "short              7  x\n"
            "a-rather-lon…  12345  a note of som…\n");
  // Then lines are cut.
  EXPECT_EQ(Sample().Render({false, 20}),
            "name      count  n…\n"
            "short         7  x\n"
            "a-rathe…  12345  a…\n");
}

TEST(TextTable, ColoursWholeRows) {
  TextTable table({{"a"}});
  table.Add({"x"}, "31");
  table.Add({"y"});
  EXPECT_EQ(table.Render({true, 0}), "\x1b[1ma\x1b[0m\n\x1b[31mx\x1b[0m\ny\n");
}

TEST(TextTable, CellsCannotReachTheTerminal) {
  TextTable table({{"a"}, {"b"}});
  table.Add({"x\x1b[2Jy\nz", "日本"});
  table.Add({"1", "2"});
  EXPECT_EQ(table.Render({}), "a     b\nxy z  日本\n1     2\n");
}

}  // namespace
}  // namespace awf::cli

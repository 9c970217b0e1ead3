// TextTable: rows of cells in aligned columns, for what commands list on stdout. Cells are made safe for a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands.h"
#include "cli/progress_text.h"

namespace awf::cli {

// As stdout takes it: as wide as its terminal and in colour where wanted; plain and uncut where it is none.
LineStyle StyleOfStdout(const GlobalOptions& global);

// One line of output: without blanks at its end, cut to the terminal, coloured as a whole by `look` (parameters of an
// SGR sequence, or empty), with its line feed.
std::string StyledLine(std::string line, std::string_view look, const LineStyle& style);

struct TableColumn {
  std::string title;
  bool right = false;    // numbers
  bool shrinks = false;  // gives way on a narrow terminal, before the line is cut
};

class TextTable {
 public:
  explicit TextTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // As many cells as columns. `look`: parameters of an SGR sequence for the whole row, or empty.
  void Add(const std::vector<std::string>& cells, std::string_view look = {});
  bool empty() const { return rows_.empty(); }

  // A line of titles and one for each row, each ending in a line feed.
  std::string Render(const LineStyle& style) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string look;
  };
  std::vector<std::size_t> Widths(int columns) const;
  std::string Line(const Row& row, const std::vector<std::size_t>& widths, const LineStyle& style) const;

  std::vector<TableColumn> columns_;
  std::vector<Row> rows_;
};

}  // namespace awf::cli

#include "cli/text_table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "cli/console.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 8;  // of a column that shrinks

}  // namespace

LineStyle StyleOfStdout(const GlobalOptions& global) {
  LineStyle style;
  if (::isatty(STDOUT_FILENO) == 0) return style;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.columns = size.ws_col;
  style.color = WantsColor(global.no_color);
  return style;
}

std::string StyledLine(std::string line, std::string_view look, const LineStyle& style) {
  while (line.ends_with(' ')) line.pop_back();
  if (style.columns > 0) line = FitColumns(line, static_cast<std::size_t>(std::max(style.columns - 1, 1)));
  if (style.color && !look.empty()) line = std::string("\x1b[").append(look).append("m").append(line).append("\x1b[0m");
  return line + "\n";
}

void TextTable::Add(const std::vector<std::string>& cells, std::string_view look) {
  Row row{{}, std::string(look)};
  for (const std::string& cell : cells) row.cells.push_back(PrintableLine(cell));
  row.cells.resize(columns_.size());
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> TextTable::Widths(int columns) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    widths.push_back(DisplayWidth(columns_[i].title));
    for (const Row& row : rows_) widths[i] = std::max(widths[i], DisplayWidth(row.cells[i]));
  }
  if (columns <= 0) return widths;
  const auto limit = static_cast<std::size_t>(std::max(columns - 1, 1));
  const auto total = [&] { return std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1)); };
  while (total() > limit) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (columns_[i].shrinks && widths[i] > kNarrowest && (widest == nullptr || widths[i] > *widest))
        widest = &widths[i];
    }
    if (widest == nullptr) break;
    --*widest;  // so that they share what is there
  }
  return widths;
}

std::string TextTable::Line(const Row& row, const std::vector<std::size_t>& widths, const LineStyle& style) const {
  std::string line;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::string cell = FitColumns(row.cells[i], widths[i]);
    const std::string space(widths[i] - std::min(widths[i], DisplayWidth(cell)), ' ');
    if (i > 0) line.append(kGap, ' ');
    line += columns_[i].right ? space + cell : cell + space;
  }
  return StyledLine(std::move(line), row.look, style);
}

std::string TextTable::Render(const LineStyle& style) const {
  const std::vector<std::size_t> widths = Widths(style.columns);
  Row titles{{}, "1"};
  for (const TableColumn& column : columns_) titles.cells.push_back(column.title);
  std::string text = Line(titles, widths, style);
  for (const Row& row : rows_) text += Line(row, widths, style);
  return text;
}

}  // namespace awf::cli

#include "cli/wrapped_text.h"

#include <algorithm>
#include <utility>

#include "domain/terminal_text.h"

namespace awf::cli {

std::vector<std::string> Wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && DisplayWidth(line) + 1 + DisplayWidth(word) > columns)
      lines.push_back(std::exchange(line, {}));
    line.append(line.empty() ? "" : " ").append(word);
  }
  lines.push_back(std::move(line));
  return lines;
}

}  // namespace awf::cli

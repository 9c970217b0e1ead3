// The text of a YAML file, and the way from a scalar's value back to where each piece of it stands in that text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "domain/workflow.h"
#include "infrastructure/yaml/yaml_node.h"

namespace awf {

// Constant after construction. `text` must be valid UTF-8 without a byte order mark.
class YamlSource {
 public:
  explicit YamlSource(std::string text);

  std::string_view text() const { return text_; }
  // Byte offset of the character with this index.
  std::size_t OffsetOf(std::size_t character) const;
  // Line and column (from 1) of a byte, with the line breaks that YAML 1.1 knows. Linear.
  TextMark MarkOf(std::size_t offset) const;
  // Where the pieces of a scalar's value stand; exact for every character that is no white space.
  std::vector<TextMark> MarksOf(const YamlNode& scalar) const;

 private:
  std::string text_;
  std::vector<std::size_t> checkpoints_;  // offset of every 64th character
};

}  // namespace awf

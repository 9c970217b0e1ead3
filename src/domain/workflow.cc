#include "domain/workflow.h"

#include <algorithm>

#include "domain/utf8.h"

namespace awf {

Position TemplateText::At(std::size_t offset) const {
  offset = std::min(offset, text.size());
  const auto after = std::ranges::upper_bound(marks, offset, {}, &TextMark::offset);
  if (after == marks.begin()) return position;
  const TextMark& mark = *std::prev(after);
  std::size_t column = mark.column;
  for (std::size_t i = mark.offset; i < offset; ++i) {
    if (!IsUtf8Continuation(text[i])) ++column;  // columns count characters
  }
  return {position.file, mark.line, column};
}

}  // namespace awf

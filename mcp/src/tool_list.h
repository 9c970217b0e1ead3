// ToolList: the registered tools, in a fixed order, as pages of JSON.
//
// Filled before the first request, constant afterwards.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/error.h"
#include "mcp/tool.h"

namespace mcp {

class ToolList {
 public:
  struct Page {
    std::string json;  // `"tools":[…]` and, unless it is the last, `,"nextCursor":"…"`
    std::size_t count = 0;
  };

  ToolList(std::size_t page_size, bool check_schemas) : page_size_(page_size), check_schemas_(check_schemas) {}

  std::expected<void, Error> Add(const Tool& tool);
  Page First() const { return PageAt(0); }
  // Nothing when the cursor is not one that First or this function gave out for this very list.
  std::optional<Page> After(std::string_view cursor) const;

 private:
  std::string CursorTo(std::size_t index) const;
  Page PageAt(std::size_t index) const;

  std::size_t page_size_;
  bool check_schemas_;
  std::set<std::string, std::less<>> names_;
  std::vector<std::string> tools_;  // JSON of each
};

}  // namespace mcp

// What a record keeps of the arguments and of the result of a call, where content is captured. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/json.h"
#include "domain/tool.h"

namespace awf {

// As JSON text of at most kLongestContent, that parses; `size` is that of the whole text. Where that is more, the
// longest strings end in kCutMark; members that are too long even so are left out.
std::string CapturedArguments(const json::object& arguments, std::uint64_t size);

// The first kLongestContent bytes, or a few less: not within a character.
std::string CapturedText(std::string_view text);
// The same of the text blocks, each in a line of its own.
std::string CapturedText(const ToolResult& result);

}  // namespace awf

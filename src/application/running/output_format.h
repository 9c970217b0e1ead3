// What an agent's answer holds as JSON (output_format: json). Pure functions.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "domain/json.h"

namespace awf {

// The whole text, or what one code fence around it holds; else the first embedded fence that is marked as json. The
// error is a message that shows the first 200 characters.
std::expected<json::value, std::string> JsonOfAnswer(std::string_view text);

// The object that the text as a whole is; nothing when it is something else.
std::optional<json::value> ObjectOfAnswer(std::string_view text);

}  // namespace awf

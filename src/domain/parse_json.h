// JSON of unknown origin to a value. Stateless.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "domain/json.h"

namespace awf {

// What agents and results nest: the parser's own limit is 32, and each level costs stack.
inline constexpr std::size_t kMaxJsonNesting = 256;

// Nothing when the text is no JSON, or nests deeper.
inline std::optional<json::value> ParseJson(std::string_view text, std::size_t max_nesting = kMaxJsonNesting) {
  json::parse_options options;
  options.max_depth = max_nesting;
  json::error_code fault;
  json::value value = json::parse(json::string_view(text.data(), text.size()), fault, {}, options);
  if (fault) return std::nullopt;
  return value;
}

}  // namespace awf

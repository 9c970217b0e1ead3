// JSON to a value, with the numbers that were written.
//
// The parser's own conversion of fractions is off by a unit in the last place now and then, and makes an infinity of
// what is out of range. Arguments of a call that pass through several processes must arrive as they were sent.
// Stateless.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "domain/json.h"
#include "domain/parse_json.h"

namespace awf {

struct ExactJsonOptions {
  std::size_t max_nesting = kMaxJsonNesting;
  bool any_bytes = false;  // strings need not be UTF-8: their bytes pass as they are
};

struct JsonFault {
  std::string what;        // "number out of range", "nested too deeply", or what the parser says
  std::size_t offset = 0;  // where it was found
};

std::expected<json::value, JsonFault> ParseExactJson(std::string_view text, ExactJsonOptions options = {});

}  // namespace awf

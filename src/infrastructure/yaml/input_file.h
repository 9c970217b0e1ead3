// Reads the file of --input-file: a YAML or JSON map of input names to values.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "application/language/inputs.h"
#include "domain/error.h"

namespace awf {

// Values are text, as -i takes them: numbers and booleans as spelt in the file, so that a version 1.10 stays one; null
// is no value. USER.INPUT.MISSING_FILE when the file cannot be read; USER.INPUT.INVALID_FORMAT when it is no map, or
// holds lists or maps: the message has a line for each fault, the position is that of the first.
std::expected<GivenInputs, Error> ReadInputFile(const std::string& path);
// The same for a text in memory; `file` is its name.
std::expected<GivenInputs, Error> ReadInputText(std::string_view text, const std::string& file);

}  // namespace awf

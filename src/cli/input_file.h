// --input-file: a map of input names to values, as JSON or YAML.
#pragma once

#include <expected>
#include <filesystem>
#include <string_view>

#include "application/language/inputs.h"
#include "domain/error.h"

namespace awf::cli {

// Values are taken as written, so that a version 1.10 stays one; null is no value. USER.INPUT.MISSING_FILE when the
// file cannot be read, USER.INPUT.INVALID_FORMAT with the place of what is wrong in it.
std::expected<GivenInputs, Error> ReadInputFile(const std::filesystem::path& path);

// The same for a text in memory; `name` stands for it in messages.
std::expected<GivenInputs, Error> ParseInputFile(std::string_view text, const std::string& name);

}  // namespace awf::cli

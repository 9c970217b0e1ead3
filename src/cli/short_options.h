// The options of the commands that must start fast and so do without the command line library: --name VALUE or
// --name=VALUE, and --help.
#pragma once

#include <expected>
#include <map>
#include <string>
#include <vector>

namespace awf::cli {

using ShortOptions = std::map<std::string, std::string>;

// Name → value; "help" has no value. An unknown or repeated option, one without its value, or a stray word is an error.
std::expected<ShortOptions, std::string> ParseShortOptions(const std::vector<std::string>& arguments,
                                                           const std::vector<std::string>& names);

}  // namespace awf::cli

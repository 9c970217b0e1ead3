// What the words of a command line that could not be parsed were meant to be: misspelt ones, and commands and flags
// that are planned and not built yet.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_description.h"

namespace awf::cli {

// "awf prune", "--interactive", … when one of the unknown words is such a one, else "". `command` is the one that was
// recognised, or "".
std::string PlannedWord(std::string_view command, const std::vector<std::string>& unknown);

// The commands of awf ("run", "audit", "audit verify"), each with its flags ("--long"); "" has those that are valid
// everywhere.
using KnownWords = std::map<std::string, std::vector<std::string>>;
KnownWords WordsOf(const DescribedCommand& program);

// "did you mean --strict?", or where help is to be found.
std::string HintFor(const KnownWords& known, const std::vector<std::string>& words);

// NAME=VALUE, cut at the first equals sign; false when there is no name.
bool SplitPair(const std::string& text, std::string& name, std::string& value);

// Whether the command line asks for JSON, as far as that can be told from words that could not be parsed.
bool AsksForJson(const std::vector<std::string>& words);

}  // namespace awf::cli

// What awf says of a command line that could not be parsed, without the library that failed to.
#pragma once

#include <string>
#include <vector>

#include "cli/command_words.h"

namespace awf::cli {

struct Refusal {
  std::string message;
  std::string hint;  // may be empty
};

struct FailedParse {
  enum class Kind { kUnknownWords, kNotANumber, kOther };

  std::string command;            // what was recognised: "", "run", "audit verify"
  bool needs_command = false;     // it is none by itself, as "audit"
  std::vector<std::string> rest;  // words that nobody took
  std::string message;            // the library's own
  Kind kind = Kind::kOther;
};

// `words`: all of the command line.
Refusal RefusalOf(const FailedParse& failed, const KnownWords& known, const std::vector<std::string>& words);

// Whether the words begin with a command (`audit verify`); an empty message if so, or without words.
Refusal UnknownCommand(const KnownWords& known, const std::vector<std::string>& words);

// "--provider must be openai_compatible or claude, not 'cladue'", with the word that was meant.
Refusal NoneOf(const std::string& subject, const std::vector<std::string>& choices, const std::string& given);

}  // namespace awf::cli

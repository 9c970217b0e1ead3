// A command as data: what the command line offers and where its values go, without the library that parses it
// (command_line.cc). Plain data; the targets outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "domain/config.h"

namespace awf::cli {

struct DeclaredOption {
  std::string name;  // "-i,--input"; of an operand one word without a dash
  std::string description;
  // A flag; a value; values (an operand takes what follows, a flag may be repeated).
  std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*> target;
  std::string value{};                 // what stands for it in help: NAME, NAME=JSON; of flags empty
  std::vector<std::string> choices{};  // what it must be one of; empty: anything
  bool required = false;
};

struct DeclaredCommand {
  std::string name, description, examples;
  std::vector<DeclaredOption> options{};
  std::function<int(const GlobalOptions&, const Config&)> run{};  // the exit code; of a command with commands empty
  std::vector<DeclaredCommand> commands{};                        // one of them must follow
};

}  // namespace awf::cli

// ProgramFacts: what an installed CLI tells of itself when asked from the shell (`codex features list`).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace awf::agents {

class ProgramFacts {
 public:
  virtual ~ProgramFacts() = default;
  // What the program prints to stdout with these arguments; nothing when it fails, takes longer than 10 s or prints
  // more than 16 MiB. Asked once per run, binary, arguments and environment. Thread-safe.
  virtual std::optional<std::string> Ask(const std::vector<std::string>& arguments) const = 0;
};

}  // namespace awf::agents

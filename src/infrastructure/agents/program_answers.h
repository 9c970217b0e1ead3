// ProgramAnswers: what installed CLIs say of themselves (`NAME --version`, `codex features list`), asked once per run.
//
// An answer is remembered for the program's path, real path, size and time of change and the arguments. Thread-safe; two
// steps that ask the same at once wait for one answer, others do not wait for each other.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"
#include "infrastructure/agents/program_facts.h"

namespace awf::agents {

bool IsExecutableFile(const std::filesystem::path& path);
// The executable file that `name` stands for on a PATH; EXECUTION.AGENT.NOT_INSTALLED when there is none.
std::expected<std::filesystem::path, Error> FindProgram(std::string_view name, std::string_view path);

// The first N.N.N in a text, or "".
std::string FirstVersion(std::string_view text);

class ProgramAnswers {
 public:
  struct Question {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  // NAME=value; not part of what an answer is remembered for
    std::chrono::milliseconds patience{10'000};
  };

  // `keeper_program` is awf itself, which keeps the child.
  explicit ProgramAnswers(std::filesystem::path keeper_program) : keeper_program_(std::move(keeper_program)) {}

  // What it printed to stdout, at most 16 MiB; nothing when it cannot be started, exits with another code than 0, does
  // not end in time, prints more, or the wait is cancelled (which is not remembered).
  std::optional<std::string> Ask(const Question& question, const std::stop_token& cancelled);
  // The version that `--version` tells within 20 s, or "".
  std::string Version(const std::filesystem::path& program, const std::vector<std::string>& environment,
                      const std::stop_token& cancelled);

 private:
  struct Answer {
    std::mutex asking;
    bool known = false;
    std::optional<std::string> text;
  };

  std::filesystem::path keeper_program_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Answer>> answers_;
};

// The facts of one program, for its adapter. `answers` outlives it.
class FactsOfProgram final : public ProgramFacts {
 public:
  FactsOfProgram(ProgramAnswers& answers, std::filesystem::path program, std::vector<std::string> environment,
                 std::stop_token cancelled)
      : answers_(answers),
        program_(std::move(program)),
        environment_(std::move(environment)),
        cancelled_(std::move(cancelled)) {}
  std::optional<std::string> Ask(const std::vector<std::string>& arguments) const override;

 private:
  ProgramAnswers& answers_;
  std::filesystem::path program_;
  std::vector<std::string> environment_;
  std::stop_token cancelled_;
};

}  // namespace awf::agents

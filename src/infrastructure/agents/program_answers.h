// ProgramAnswers: what installed CLIs say of themselves (`NAME --version`, `codex features list`), asked once per run.
//
// An answer is remembered for the program's path, real path, size and time of change, the arguments and the
// environment: by its PATH a shim (asdf, mise, volta) starts another program. No answer in time is not remembered.
// Thread-safe; two steps that ask the same at once wait for one answer, others do not wait for each other.
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
#include "domain/time.h"
#include "infrastructure/agents/program_facts.h"

namespace awf::agents {

bool IsExecutableFile(const std::filesystem::path& path);
// The executable file that `name` stands for on a PATH; EXECUTION.AGENT.NOT_INSTALLED when there is none.
std::expected<std::filesystem::path, Error> FindProgram(std::string_view name, std::string_view path);

// The first N.N.N in a text, or "".
std::string FirstVersion(std::string_view text);

// Why a program that runs and answers is none of ours.
inline constexpr std::string_view kTellsNoVersion = "tells no version";

// What it printed to stdout, or why there is no answer: "exit code 1".
using ProgramAnswer = std::expected<std::string, std::string>;

class ProgramAnswers {
 public:
  struct Question {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;  // NAME=value; TRACEPARENT and TRACESTATE differ per step and don't count
    std::chrono::milliseconds patience{10'000};
    Deadline deadline{};  // of the step that asks
  };

  // `keeper_program` is awf itself, which keeps the child.
  explicit ProgramAnswers(std::filesystem::path keeper_program) : keeper_program_(std::move(keeper_program)) {}

  // No answer: it cannot be started, exits with another code than 0, is ended by a signal, does not end in time, prints
  // more than 16 MiB, or the wait is cancelled.
  ProgramAnswer Ask(const Question& question, const std::stop_token& cancelled);
  // The version that `--version` tells within 20 s.
  ProgramAnswer Version(const std::filesystem::path& program, const std::vector<std::string>& environment,
                        const std::stop_token& cancelled, Deadline deadline = {});

 private:
  struct Entry {
    std::timed_mutex asking;
    std::optional<ProgramAnswer> answer;
    // When it ran out of its patience: who waits at that moment is told the same, not made to wait again.
    SteadyClock::time_point gave_up{};
  };

  std::filesystem::path keeper_program_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Entry>> entries_;
};

// The facts of one program, for its adapter. `answers` outlives it.
class FactsOfProgram final : public ProgramFacts {
 public:
  FactsOfProgram(ProgramAnswers& answers, std::filesystem::path program, std::vector<std::string> environment,
                 std::stop_token cancelled, Deadline deadline = {})
      : answers_(answers),
        program_(std::move(program)),
        environment_(std::move(environment)),
        cancelled_(std::move(cancelled)),
        deadline_(deadline) {}
  std::optional<std::string> Ask(const std::vector<std::string>& arguments) const override;

 private:
  ProgramAnswers& answers_;
  std::filesystem::path program_;
  std::vector<std::string> environment_;
  std::stop_token cancelled_;
  Deadline deadline_;
};

}  // namespace awf::agents

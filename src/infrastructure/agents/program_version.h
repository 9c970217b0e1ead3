// ProgramVersions: which version of a CLI is installed, asked once per run and binary (`NAME --version`, at most 5 s).
//
// Thread-safe; two steps that ask for the same binary at once wait for one answer.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "domain/error.h"

namespace awf::agents {

bool IsExecutableFile(const std::filesystem::path& path);
// The executable file that `name` stands for on a PATH; EXECUTION.AGENT.NOT_INSTALLED when there is none.
std::expected<std::filesystem::path, Error> FindProgram(std::string_view name, std::string_view path);

// The first N.N.N in a text, or "".
std::string FirstVersion(std::string_view text);

class ProgramVersions {
 public:
  // `keeper_program` is awf itself, which keeps the child.
  explicit ProgramVersions(std::filesystem::path keeper_program) : keeper_program_(std::move(keeper_program)) {}

  // "" when the program does not tell, does not end, or the wait is cancelled (which is not remembered).
  std::string Get(const std::filesystem::path& program, const std::vector<std::string>& environment,
                  const std::stop_token& cancelled);

 private:
  std::filesystem::path keeper_program_;
  std::mutex mutex_;
  std::map<std::string, std::string> known_;
};

}  // namespace awf::agents

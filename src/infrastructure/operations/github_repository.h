// Which repository a call means: its input `repo`, else the git remote `origin` of the working directory.
//
// git itself is asked, since only it knows worktrees, includes and rewritten URLs. Thread-safe.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "domain/operation.h"
#include "infrastructure/operations/program_run.h"

namespace awf::operations {

struct RemoteRepository {
  std::string host, repository;  // owner/name
  bool ssh = false;
};

// https://HOST/OWNER/NAME(.git), ssh://git@HOST/OWNER/NAME, git@HOST:OWNER/NAME and the like. Pure.
std::optional<RemoteRepository> ParseRemote(std::string_view url);
// OWNER/NAME, of the characters that GitHub allows. Pure.
bool IsRepository(std::string_view text);

// `host` is that of the GitHub at hand, without "api."; empty: any. Refusals: not_found, cancelled, out of time.
std::expected<std::string, OperationResult> RepositoryOfOrigin(const std::filesystem::path& working_dir,
                                                               const std::string& host, const Variables& variables,
                                                               const OperationCall& call);

}  // namespace awf::operations

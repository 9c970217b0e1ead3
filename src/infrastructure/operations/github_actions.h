// The operations of `github` but batch, each a request or a few to the REST API.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "domain/operation.h"
#include "infrastructure/operations/github_client.h"
#include "infrastructure/operations/program_run.h"

namespace awf::operations {

// What the operations need of their surroundings. Outlives the calls; thread-safe.
struct GithubPlace {
  GithubClient& client;
  const std::filesystem::path& working_dir;
  const Variables& variables;
};

using GithubAction = OperationResult (*)(const OperationCall& call, const GithubPlace& place);

// Null when there is none of that name.
GithubAction FindGithubAction(std::string_view name);

// With batch.
std::vector<Operation> GithubDeclarations();

}  // namespace awf::operations

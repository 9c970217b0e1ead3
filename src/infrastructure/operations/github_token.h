// GithubToken: the user's token for GitHub. What `gh auth token` prints, else GITHUB_TOKEN, else GH_TOKEN.
//
// gh is asked once, and its answer kept for the life of the object. Thread-safe: who comes meanwhile waits for the one
// answer, and stops waiting when cancelled.
#pragma once

#include <expected>
#include <mutex>
#include <string>

#include "domain/operation.h"
#include "infrastructure/operations/program_run.h"

namespace awf::operations {

class GithubToken {
 public:
  // `gh_host` is the one that gh knows the server by; empty: gh's default.
  GithubToken(Variables variables, std::string gh_host)
      : variables_(std::move(variables)), gh_host_(std::move(gh_host)) {}

  // Refusals: auth (nobody has one), cancelled, out of time.
  std::expected<std::string, OperationResult> Get(const OperationCall& call);
  // What Get has given, without asking; empty: nothing yet.
  std::string Known() const;

 private:
  std::expected<std::string, OperationResult> Find(const OperationCall& call) const;

  const Variables variables_;
  const std::string gh_host_;
  std::mutex asking_;
  mutable std::mutex mutex_;  // of token_
  std::string token_;
};

}  // namespace awf::operations

// The plugin `github`: issues and pull requests over GitHub's REST API, with the user's token.
#pragma once

#include <memory>

#include "domain/operation.h"
#include "infrastructure/operations/builtin_operations.h"

namespace awf::operations {

std::shared_ptr<OperationProvider> MakeGithubOperations(const BuiltinOperationSettings& settings);

}  // namespace awf::operations

// github.batch: several operations of github, a few at a time, results in the order given.
//
// Everything is checked for being an operation before the first one runs. Where the strategy stops early, those under
// way go on to their end: they may have acted.
#pragma once

#include <functional>
#include <string_view>

#include "domain/operation.h"

namespace awf::operations {

// Runs one operation; called on several threads at once. `knows` tells whether there is one of that name.
using BatchRunner = std::function<OperationResult(const OperationCall&)>;

OperationResult RunBatch(const OperationCall& call, const std::function<bool(std::string_view)>& knows,
                         const BatchRunner& run);

}  // namespace awf::operations

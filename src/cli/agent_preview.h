// How an agent step would be started, without starting anything: for --dry-run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "application/running/dry_run.h"
#include "domain/operation.h"

namespace awf::cli {

// For a CLI its adapter prepares the invocation, for the newest version that awf was verified with: asking the
// installed one would start it. The step's private folder, which a run makes, reads "<step folder>". `environment` is
// the user's. `operations` tells which operations of plugin tools are known; null: nothing is.
PreviewAgent AgentPreviewer(std::vector<std::string> environment, std::filesystem::path program,
                            OperationCatalogue* operations);

}  // namespace awf::cli

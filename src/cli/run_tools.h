// The tools of a step that run inside awf, without an agent CLI and its mcp-serve.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "domain/trace_context.h"
#include "infrastructure/agents/openai_compatible.h"

namespace awf::cli {

// Makes the six built-in tools for a step that intercepts, none for others. `environment` is the user's;
// `private_folder` is refused to the file tools.
agents::OpenAiCompatible::MakeTools StepToolMaker(std::vector<std::string> environment,
                                                  std::filesystem::path private_folder, const Tracing& tracing);

}  // namespace awf::cli

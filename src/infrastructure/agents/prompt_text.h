// PromptText: the text that an agent CLI gets through stdin. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "domain/error.h"

namespace awf::agents {

struct PromptParts {
  std::string_view system;  // role and system prompt; becomes a delimited first block
  bool mitigate = false;    // with the sentence that keeps the model to MCP tools
  std::string_view memory;  // project memory, under its headings
  std::string_view prompt;
};

// The blocks, apart by blank lines; those that are empty leave nothing behind. CLIs that take the system prompt in
// another way leave `system` empty and use SystemBlock.
std::string PromptText(const PromptParts& parts);

// What a CLI takes through stdin at most; 0: no limit.
struct PromptLimit {
  std::size_t bytes = 0, characters = 0;
};

// EXECUTION.AGENT.FAILED for a text that the CLI of that name would refuse, or cut.
std::expected<void, Error> CheckPromptLength(std::string_view name, std::string_view text, const PromptLimit& limit);

// The system prompt with the sentence behind it, where it is due; empty when there is neither.
std::string SystemBlock(std::string_view system, bool mitigate);

}  // namespace awf::agents

// The user's Vibe home (VIBE_HOME, else ~/.vibe), of which an intercepting step sees only what a login and a model
// need: hooks, plugins, custom tools, agents, MCP servers and trusted folders stay behind.
//
// Pure but for reading the files. Thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infrastructure/agents/environment.h"

namespace awf::agents {

// Empty when there is no home.
std::filesystem::path VibeHome(const Environment& environment);

// The variables of a `.env` file, those without a value left out: NAME=VALUE, with "export", quotes and comments.
// Values are not expanded.
std::vector<std::pair<std::string, std::string>> DotEnvValues(std::string_view text);

// The parts of a config.toml that say which model is asked, where and how patiently, as they are written. Anything else
// is left out, and so is all of a text that ends within a value.
std::string ModelSettings(std::string_view toml);

// The text of a regular file up to 1 MiB; empty when it cannot be read.
std::string SmallFile(const std::filesystem::path& path);

// Vibe puts the file that a text mentions ("look at @notes.txt") into the prompt, past every tool. Mentions of what
// exists, or that are too long to be looked for, get a blank behind the '@', which makes them plain text.
std::string WithoutMentions(std::string_view text, const std::filesystem::path& working_dir,
                            const std::filesystem::path& home);

}  // namespace awf::agents

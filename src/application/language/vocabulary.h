// The names that templates and expressions may use: namespaces, their keys, the result fields of states. One table for
// the parsers, the checks at load and their hints.
#pragma once

#include <span>
#include <string_view>

namespace awf {

// inputs, states, captures, env, workflow, awf, loop, context, error.
std::span<const std::string_view> Namespaces();
bool IsNamespace(std::string_view name);

// The fixed keys of workflow, awf, loop, context, error; empty for the others, whose keys are the user's.
std::span<const std::string_view> KeysOf(std::string_view name_space);

// Result fields that every working state has, and those that only some kinds have.
std::span<const std::string_view> CommonResultFields();  // Output, Stderr, ExitCode, Status, Error, ErrorCode, …
std::span<const std::string_view> AgentResultFields();   // Response, JSON, TokensInput, …

// The word of `words` that differs from `wanted` in case only ("output" → "Output"), or "".
std::string_view SameButCase(std::string_view wanted, std::span<const std::string_view> words);

}  // namespace awf

// The models that Codex knows, with what it would give them beside our tools taken away. Pure, thread-safe.
//
// By a model's entry in its catalog, not by flags, Codex adds a tool for patches, hides ours behind a search tool, or
// replaces all tools by one that runs JavaScript. Without a catalog of ours it also asks the server of a ChatGPT login
// for such entries, and finds an entry for names that only begin like one of the catalog, or come behind "openai/".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace awf::agents {

// A catalog file made from what `codex debug models --bundled` prints: the entry of `model`, or all entries when the
// name is empty or no entry has exactly it. Nothing when `bundled` is not what it should be.
std::optional<std::string> PatchedCodexCatalog(std::string_view bundled, std::string_view model);

}  // namespace awf::agents

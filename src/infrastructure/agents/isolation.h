// Isolation levels: how surely the tools that the agent was offered are only ours, and why.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/run_observer.h"

namespace awf::agents {

// Stands in the prompt where isolation may be less than proven.
inline constexpr std::string_view kMcpOnlySentence = "Use only MCP tools, never built-in tools.";

// True when `version` and `least` are N.N.N and the first is not older.
bool VersionAtLeast(std::string_view version, std::string_view least);

// A level with its reason, as records and warnings tell it ("not proven for 0.172.0").
struct IsolationClaim {
  IsolationLevel level = IsolationLevel::kCoexisting;
  std::string reason;
};

struct RecipePromise {
  std::span<const std::string_view> verified;  // versions, oldest first
  IsolationLevel known = IsolationLevel::kFlags;
  IsolationLevel newer = IsolationLevel::kCoexisting;
};

// What the recipe promises for a version: `known` for a verified one, `newer` for one above all of them, coexisting for
// others.
IsolationClaim ClaimOfVersion(std::string_view version, const RecipePromise& promise);

// What a CLI's own announcement of its tools proves: `proven` when it is exactly `ours`, else `coexisting` with the
// foreign names and a reason.
IsolationReport JudgeAnnouncement(const std::vector<std::string>& announced, const std::set<std::string>& ours);

}  // namespace awf::agents

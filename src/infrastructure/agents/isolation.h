// Isolation levels: how surely the tools that the agent was offered are only ours, and the words for it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/run_observer.h"

namespace awf::agents {

// Stands in the prompt where isolation may be less than proven.
inline constexpr std::string_view kMcpOnlySentence = "Use only MCP tools, never built-in tools.";

// True when `version` and `least` are N.N.N and the first is not older.
bool VersionAtLeast(std::string_view version, std::string_view least);

// What a CLI's own announcement of its tools proves: `proven` when it is exactly `ours`, else `coexisting` with the
// foreign names and a reason.
IsolationReport JudgeAnnouncement(const std::vector<std::string>& announced, const std::set<std::string>& ours);

// The WARN block for a level below `proven`; empty when it is proven. `verified` names the versions that were.
std::string CoexistenceWarning(const IsolationReport& report, std::string_view verified);

}  // namespace awf::agents

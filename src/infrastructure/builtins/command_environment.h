// The environment of Bash commands: the user's, less the model's keys, the job's own tokens and awf's variables.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/tool.h"
#include "domain/tool_settings.h"

namespace awf::builtins {

struct CommandEnvironment {
  std::vector<std::string> variables;  // NAME=value
  std::vector<std::string> dropped;    // names that were there and are not passed on; sorted
};

// `settings.env.pass` lets a name through that would be dropped, whatever the reason.
CommandEnvironment MakeCommandEnvironment(const ToolSettings& settings);

// Of the command that runs for that call: where spans are made, with the call's as its parent, unless the user drops
// it.
std::vector<std::string> EnvironmentOfCall(const CommandEnvironment& environment, const ToolSettings& settings,
                                           const CallId& call);

// Those of `names` that stand in one of the texts as whole words.
std::vector<std::string> NamesMentioned(const std::vector<std::string>& names,
                                        const std::vector<std::string_view>& texts);

}  // namespace awf::builtins

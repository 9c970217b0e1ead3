// The errors with which agent steps fail, in one wording for all CLIs. Pure, thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "domain/agent.h"
#include "domain/error.h"

namespace awf::agents {

// EXECUTION.AGENT.FAILED, or by the HTTP status that the model's server gave: AUTH (401, 403) with `login_hint`,
// RATE_LIMITED (429). `status` 0: none is known. The message is "NAME: TEXT".
Error ModelError(std::string_view name, std::int64_t status, std::string_view text, std::string_view login_hint);

// EXECUTION.AGENT.AUTH.
Error LoginError(std::string_view name, std::string_view text, std::string_view login_hint);

// EXECUTION.AGENT.FAILED: the CLI ended without the event that tells its result: "NAME ended without its final event
// (exit code 1): LAST LINE OF STDERR".
Error NoFinalEvent(std::string_view name, const ProcessExit& exit);

// EXECUTION.AGENT.NOT_INSTALLED: "NAME VERSION doesn't know FLAG; verified with VERIFIED".
Error UnknownFlag(std::string_view name, std::string_view version, std::string_view flag, std::string_view verified);

// EXECUTION.AGENT.SESSION_LOST: the conversation that the step goes on with is not there.
Error SessionLost(std::string_view name, std::string_view session, std::string_view text);

// "exit code 3" or "signal 15".
std::string Ending(const ProcessExit& exit);

// The last line of a text that is not empty, without escape sequences of terminals.
std::string LastLine(std::string_view text);

}  // namespace awf::agents

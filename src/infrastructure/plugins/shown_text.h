// How the host shows what others wrote: excerpts in quotes, ends of processes, spans of time. Pure, thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "infrastructure/process/keeper.h"

namespace awf::plugins {

// One printable line in double quotes, its first 200 characters.
std::string Quoted(std::string_view text);

// "exit status 3", "SIGABRT"; "unknown exit status" where somebody else reaped the process (exit code -1).
std::string ExitText(const process::ExitStatus& status);

// "15 s", "300 ms".
std::string LimitText(std::chrono::milliseconds limit);

// "no answer within 300 ms"; "no answer: the time was up before it was asked" where there was no time at all.
std::string NotWithin(std::string_view what, std::chrono::milliseconds limit);

// `; stderr: "…"`, the end of what was printed; "" when nothing was.
std::string ErrorsClause(std::string_view tail);

// "P: text", or the text alone where it begins with the name already.
std::string WithName(std::string_view plugin, std::string_view text);

}  // namespace awf::plugins

// Why a call of a running plugin came to nothing, in the words of the plugins page. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "infrastructure/plugins/plugin_transport.h"
#include "infrastructure/process/keeper.h"

namespace awf::plugins {

// "UNAVAILABLE"; "status 17" for a number without a name.
std::string StatusName(int code);

// What a status says, without codes that say nothing: "text", "NOT_FOUND: text", "NOT_FOUND".
std::string StatusText(const RpcStatus& status);

// Whether the connection may have gone with the process, which is known a moment later.
bool MayBeTheEnd(const RpcStatus& status);

// What was known when the call failed.
struct CallFailure {
  RpcStatus status;
  std::size_t request_bytes = 0;               // serialized
  std::optional<process::ExitStatus> ended{};  // of the process
  std::string errors{}, output{};              // ends of stderr and stdout; output counts when stderr is empty
  std::string connect_error{};                 // of the transport
};

std::string FailureText(std::string_view plugin, const CallFailure& failure);

// "plugin process ended during WHAT (exit status 3); last stderr: …"
std::string EndedDuring(std::string_view what, const process::ExitStatus& status, std::string_view errors,
                        std::string_view output);

}  // namespace awf::plugins

// Who is at the other end of a unix socket.
#pragma once

#include <sys/types.h>

#include <expected>
#include <optional>
#include <span>
#include <string>

namespace awf::channel {

struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
};

// As the kernel recorded it when the peer connected.
std::optional<Peer> PeerOf(int socket);

// Why a process may not speak on the channel, or nothing: it, or an ancestor of it, is one of `known`, or its descent
// cannot be told. The walk ends at this very process, at init or at the border of the pid namespace.
std::expected<void, std::string> CheckDescent(pid_t pid, std::span<const pid_t> known);

}  // namespace awf::channel

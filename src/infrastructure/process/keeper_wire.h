// What owner and keeper say to each other, over a SOCK_SEQPACKET pair between two copies of one program: plain structs.
//
// A request is one packet with a RequestHeader, its descriptors attached, then `payload` bytes in packets of at most
// kChunk, since a packet has to fit into the socket's buffer and a command may be megabytes long. An event is one
// packet with an EventPacket. No descriptor is needed for the payload, so a keeper can be served when descriptors have
// run out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "infrastructure/process/keeper.h"

namespace awf::process {

inline constexpr std::size_t kChunk = 64UL * 1024;

enum class RequestKind : std::uint32_t {
  kOwnFolder,
  kGuardOwner,
  kRestrict,
  kStart,
  kSignalGroup,
  kEndTree,
  kKillStrays,
  kStop
};

struct RequestHeader {
  RequestKind kind{};
  std::uint32_t job = 0;
  std::int32_t signal = 0;
  std::uint32_t descriptors = 0;  // kStart: bit 0, 1, 2 when stdin, stdout, stderr are attached, in this order
  std::uint32_t new_session = 0;
  std::int32_t owner = 0;  // kGuardOwner: its process number
  std::int64_t grace_ms = 0;
  std::uint64_t payload = 0;
};

struct EventPacket {
  KeeperEvent::Kind kind{};
  std::uint32_t job = 0;
  std::int32_t pid = 0;
  std::int32_t exit_code = 0;
  std::int32_t signal = 0;
  std::int32_t error_number = 0;
  std::array<char, 16> stage{};  // of a failure; NUL-terminated
};

EventPacket ToPacket(const KeeperEvent& event);
KeeperEvent FromPacket(const EventPacket& packet);

// The parts of a SpawnRequest that travel as payload: argv, environment, working directory.
std::string EncodeSpawn(const SpawnRequest& request);
std::optional<SpawnRequest> DecodeSpawn(std::string_view payload);

}  // namespace awf::process

// The first line that a go-plugin writes to its stdout: CORE|APP|NETWORK|ADDRESS|PROTOCOL|CERTIFICATE[|MULTIPLEX].
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

namespace awf::plugins {

inline constexpr std::size_t kLongestHandshake = 64 * 1024;  // bytes before the line feed

struct Handshake {
  std::string target;       // for gRPC: "unix:/abs/path" or "ipv4:host:port"
  std::string socket;       // the path, as it is; empty with TCP
  std::string certificate;  // base64 without padding; empty: the plugin speaks plaintext
};

// `plugin` is its name, for the text. The error is the text of the plugins page, without "P: ".
std::expected<Handshake, std::string> ParseHandshake(std::string_view line, std::string_view plugin);

}  // namespace awf::plugins

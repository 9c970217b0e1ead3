// GrpcFrame: a message of gRPC behind its five bytes: compression flag and big-endian length. Pure, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace awf::otlp {

inline constexpr std::size_t kGrpcPrefix = 5;

struct GrpcFrame {
  bool compressed = false;
  std::string_view message;
};

// `message` of less than 4 GiB.
inline std::string WriteGrpcFrame(const GrpcFrame& frame) {
  std::string bytes(1, frame.compressed ? '\1' : '\0');
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>(frame.message.size() >> shift & 0xFFU));
  return bytes.append(frame.message);
}

// Nothing unless the bytes are one frame, no more and no less. The message is a view into them.
inline std::optional<GrpcFrame> ReadGrpcFrame(std::string_view bytes) {
  if (bytes.size() < kGrpcPrefix || static_cast<unsigned char>(bytes[0]) > 1) return std::nullopt;
  std::uint32_t length = 0;
  for (std::size_t i = 1; i < kGrpcPrefix; ++i) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  if (bytes.size() - kGrpcPrefix != length) return std::nullopt;
  return GrpcFrame{bytes[0] == '\1', bytes.substr(kGrpcPrefix)};
}

}  // namespace awf::otlp

// What a hostile or broken peer may write into the step channel: cut into lines, read as handshake and as messages.
// What is read must survive being written and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "infrastructure/step_channel/handshake.h"
#include "infrastructure/step_channel/line_buffer.h"
#include "infrastructure/step_channel/step_channel.h"

namespace {

void CheckResult(std::string_view line) {
  const auto result = awf::channel::DecodeResult(line);
  if (!result) return;
  const std::string encoded = awf::channel::EncodeResult(*result);
  if (encoded.find('\n') != std::string::npos) std::abort();
  const auto again = awf::channel::DecodeResult(encoded);
  if (!again || awf::channel::EncodeResult(*again) != encoded) std::abort();
}

void CheckLine(std::string_view line) {
  CheckResult(line);
  (void)awf::channel::ReadHello(line);
  (void)awf::channel::ReadAnswer(line);
  const auto message = awf::channel::Decode(line);
  if (!message) return;
  const std::string encoded = awf::channel::Encode(*message);
  if (encoded.find('\n') != std::string::npos) std::abort();
  const auto again = awf::channel::Decode(encoded);
  if (!again || awf::channel::Encode(*again) != encoded) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  awf::channel::LineBuffer lines(4096);
  // In pieces of different lengths, as a socket delivers them.
  for (std::size_t at = 0, piece = 1; at < bytes.size() && !lines.TooLong(); at += piece, piece = piece % 97 + 1) {
    lines.Append(bytes.substr(at, piece));
    while (const auto line = lines.Next()) CheckLine(*line);
  }
  return 0;
}

// Bytes from a client: cut into lines in pieces of any length, read as messages. However the bytes come, the lines are
// the same; an id that is echoed is valid JSON; a repaired text needs no second repair.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "line_buffer.h"
#include "message.h"
#include "protocol.h"
#include "utf8.h"

namespace {

constexpr std::size_t kMaxLine = 1 << 16;

std::vector<std::string> Lines(std::string_view bytes, std::size_t piece) {
  mcp::LineBuffer buffer(kMaxLine);
  std::vector<std::string> lines;
  std::string line;
  const auto take = [&](mcp::LineBuffer::Outcome outcome) {
    if (outcome == mcp::LineBuffer::Outcome::kNothing) return false;
    lines.push_back(line);
    return true;
  };
  for (std::size_t i = 0; i < bytes.size(); i += piece) {
    buffer.Append(bytes.substr(i, piece));
    while (take(buffer.Next(line))) {
    }
  }
  take(buffer.Last(line));
  return lines;
}

void CheckId(const std::string& id) {
  if (id.empty()) return;
  boost::json::error_code error;
  boost::json::parse(id, error);
  // A number of any size is an id, also one that no parser takes.
  if (error && error != boost::json::error::exponent_overflow) std::abort();
}

void CheckLine(std::string_view line) {
  const auto message = mcp::ReadMessage(line, 200);
  if (message) {
    CheckId(message->id.text);
  } else {
    CheckId(message.error().id);
    if (message.error().code != mcp::kParseError && message.error().code != mcp::kInvalidRequest) std::abort();
  }
  (void)mcp::RejectUnread(line, 200, mcp::kInvalidRequest, "x");
  if (const auto repaired = mcp::RepairJsonText(line)) {
    if (mcp::RepairJsonText(*repaired)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> lines = Lines(bytes, size + 1);
  if (lines != Lines(bytes, 1) || lines != Lines(bytes, 7)) std::abort();
  for (const std::string& line : lines) CheckLine(line);
  return 0;
}

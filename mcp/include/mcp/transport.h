// Transport: carries frames, which are lines of text, between a server and its one client.
//
// ReadFrame, TakeReceived and WaitForEnd are called by one thread (inside Server::Serve), WriteFrame by one other,
// Wake and AbandonWrites by any.
#pragma once

#include <string>
#include <string_view>

namespace mcp {

enum class ReadOutcome {
  kFrame,      // a frame was read
  kOversized,  // a frame over the limit began; its first 64 KiB were read, the rest will be skipped
  kEof,        // the client has ended its side and every frame was delivered
  kWoken,      // Wake was called, or nothing is there in TakeReceived
  kWriteDead,  // the client no longer reads what we write
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Blocks until there is an outcome. Frames carry no line end and are never blank.
  virtual ReadOutcome ReadFrame(std::string& frame) = 0;
  // As ReadFrame, but only hands out what has been received already; never blocks.
  virtual ReadOutcome TakeReceived(std::string& frame) = 0;
  // Blocks while reading is paused: returns kEof when the client has ended its side (frames may still be unread),
  // kWoken or kWriteDead. Takes no input.
  virtual ReadOutcome WaitForEnd() = 0;
  // Writes the frame, which has no line feed in it, and a line end, completely. False: it cannot be delivered.
  virtual bool WriteFrame(std::string_view frame) = 0;
  // Makes the current or next ReadFrame or WaitForEnd return kWoken. Async-signal-safe.
  virtual void Wake() = 0;
  // Makes the current and all later WriteFrame return false instead of waiting for the client.
  virtual void AbandonWrites() = 0;
};

}  // namespace mcp

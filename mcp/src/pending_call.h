// PendingCall: a tools/call from its arrival to its answer; the context that its hook gets.
//
// Made by the reading thread, run by another, cancelled by the reading thread: CallTable decides who wins.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "json_reader.h"
#include "mcp/call.h"

namespace mcp {

// What of a request's meta data a call or its rejection shows. Empty where absent or malformed.
struct CallMeta {
  std::string client_call_id, traceparent, tracestate, baggage;
  std::string progress_token;  // JSON text

  static CallMeta From(const json::object& meta);
};

class PendingCall final : public CallContext {
 public:
  // Receives a notification that is to be written.
  using Emit = std::function<void(std::string line)>;

  PendingCall(Id id, std::string tool, json::object arguments, json::object meta, bool modern);

  std::stop_token cancelled() const override { return stop_.get_token(); }
  std::string_view request_id() const override { return id_.text; }
  const json::object& meta() const override { return meta_; }
  std::string_view client_call_id() const override { return fields_.client_call_id; }
  std::string_view traceparent() const override { return fields_.traceparent; }
  std::string_view tracestate() const override { return fields_.tracestate; }
  std::string_view baggage() const override { return fields_.baggage; }
  bool Progress(double done, std::optional<double> total, std::string_view message) override;

  const Id& id() const { return id_; }
  const std::string& tool() const { return tool_; }
  const json::object& arguments() const { return arguments_; }
  bool modern() const { return modern_; }

  // Of the frame, for those who bound memory.
  void set_frame_size(std::size_t size) { frame_size_ = size; }
  std::size_t frame_size() const { return frame_size_; }

  // Before the call runs.
  void set_emit(Emit emit) { emit_ = std::move(emit); }
  // No progress from now on.
  void CloseProgress();
  void RequestStop() { stop_.request_stop(); }

 private:
  using Clock = std::chrono::steady_clock;

  Id id_;
  std::string tool_;
  json::object arguments_;
  json::object meta_;
  CallMeta fields_;
  bool modern_;
  std::size_t frame_size_ = 0;
  std::stop_source stop_;

  std::mutex progress_mutex_;
  Emit emit_;
  bool progress_closed_ = false;
  std::optional<double> last_done_;
  Clock::time_point last_time_;
};

}  // namespace mcp

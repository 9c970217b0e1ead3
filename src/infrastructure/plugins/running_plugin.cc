#include "infrastructure/plugins/running_plugin.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "infrastructure/plugins/call_failure.h"
#include "infrastructure/plugins/plugin_messages.h"
#include "infrastructure/plugins/shown_text.h"

namespace awf::plugins {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kService = "plugin.v1.OperationService";
constexpr std::string_view kMethod = "Execute";
constexpr std::string_view kExecute = "/plugin.v1.OperationService/Execute";
constexpr std::string_view kShutdown = "/plugin.v1.PluginService/Shutdown";
constexpr std::string_view kControllerShutdown = "/plugin.GRPCController/Shutdown";

constexpr milliseconds kShutdownPatience{1500};
constexpr milliseconds kControllerPatience{500};
constexpr milliseconds kExitPatience{1000};
constexpr milliseconds kTermPatience{500};
constexpr milliseconds kKillPatience{400};  // in all under 4 s
constexpr milliseconds kEndPatience{300};   // until the kernel tells of an end that the connection has shown
// The peer's clock counts from when the request arrived and in whole milliseconds, so it may be over a little earlier.
constexpr milliseconds kClockDifference{50};

// Whether the deadline is what ended the call: by our own clock, as plugins write all kinds of status then.
bool WasTimeout(const RpcStatus& status, const Deadline& deadline) {
  if (!deadline) return false;
  const bool says_so = status.code == kRpcDeadlineExceeded ||
                       (status.code == kRpcUnknown && status.message.find("deadline exceeded") != std::string::npos);
  return Passed(says_so ? *deadline - kClockDifference : *deadline);
}

OperationResult Cancelled() {
  OperationResult result;
  result.ending = OperationResult::Ending::kCancelled;
  return result;
}

std::chrono::microseconds Since(SteadyClock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begin);
}

}  // namespace

// Told by the loop when the process has ended.
struct RunningPlugin::Ending {
  std::atomic<bool> expected{false};  // awf has begun to stop it
  std::function<void(const PluginEnd&)> stopped;
  PluginEnd end;
  std::shared_ptr<PluginLog> log;

  void Tell(const process::ExitStatus& status) {
    log->Finish();
    if (!stopped) return;
    end.exit = ExitText(status);
    end.expected = expected;
    stopped(end);
  }
};

RunningPlugin::RunningPlugin(PluginParts parts, std::function<void(const PluginEnd&)> stopped)
    : parts_(std::move(parts)), ending_(std::make_shared<Ending>()) {
  const PluginStart& start = parts_.start;
  ending_->stopped = std::move(stopped);
  ending_->end = {start.plugin, start.version, start.path, start.sha256, start.tls, {}, false};
  ending_->log = parts_.log;
  parts_.process->WhenEnded([ending = ending_](const process::ExitStatus& status) { ending->Tell(status); });
}

OperationResult RunningPlugin::Execute(const OperationCall& call) {
  const SteadyClock::time_point begin = SteadyClock::now();
  if (call.cancelled.stop_requested()) return Cancelled();
  if (ending_->expected || parts_.process->end()) return NotRunning();

  const std::string message = ExecuteRequestOf(call.operation, call.inputs);
  UnaryRequest request{kExecute, message, call.deadline, call.cancelled};
  if (!call.traceparent.empty()) request.metadata.emplace_back("traceparent", call.traceparent);
  if (!call.tracestate.empty()) request.metadata.emplace_back("tracestate", call.tracestate);

  RpcRecord rpc{std::string(kService), std::string(kMethod), kRpcOk, Since(begin), {}};
  const SteadyClock::time_point sent = SteadyClock::now();
  const UnaryReply reply = parts_.transport->Unary(request);
  rpc.duration = Since(sent);
  rpc.status = reply.status.code;

  OperationResult result;
  if (!reply.status.ok()) {
    result = Failed(call, reply, message.size(), begin);
  } else if (auto read = ReadExecuteReply(reply.message)) {
    result = std::move(*read);
  } else {
    result.ending = OperationResult::Ending::kFailed;
    result.error = parts_.start.plugin + ": " + read.error();
  }
  result.rpc = std::move(rpc);
  return result;
}

OperationResult RunningPlugin::NotRunning() const {
  OperationResult result;
  result.ending = OperationResult::Ending::kFailed;
  const auto end = parts_.process->end();
  const std::string why = ending_->expected ? "awf has stopped it" : "ended earlier: " + ExitText(*end);
  result.error = parts_.start.plugin + ": plugin not running (" + why + ")";
  return result;
}

OperationResult RunningPlugin::Failed(const OperationCall& call, const UnaryReply& reply, std::size_t request_bytes,
                                      SteadyClock::time_point begin) const {
  if (call.cancelled.stop_requested()) return Cancelled();
  OperationResult result;
  if (ending_->expected) return NotRunning();
  CallFailure failure{reply.status, request_bytes};
  // The connection is often gone before the kernel tells of the process.
  failure.ended =
      MayBeTheEnd(reply.status) ? parts_.process->AwaitEnd(SteadyClock::now() + kEndPatience) : parts_.process->end();
  if (!failure.ended && WasTimeout(reply.status, call.deadline)) {
    const auto limit = std::chrono::round<milliseconds>(*call.deadline - begin);
    result.ending = OperationResult::Ending::kTimeout;
    result.error = parts_.start.plugin + ": no answer" +
                   (limit.count() > 0 ? " within " + std::to_string(limit.count()) + " ms"
                                      : ": the time was up before it was asked");
    return result;
  }
  failure.errors = parts_.log->ErrorTail();
  failure.output = parts_.log->OutputTail();
  failure.connect_error = parts_.transport->LastConnectError();
  result.ending = OperationResult::Ending::kFailed;
  result.error = FailureText(parts_.start.plugin, failure);
  return result;
}

void RunningPlugin::Ask(std::string_view method, milliseconds patience) {
  if (!parts_.process->end()) parts_.transport->Unary({method, {}, SteadyClock::now() + patience});
}

void RunningPlugin::Stop() {
  std::call_once(stopped_, [this] {
    if (!parts_.process->end()) ending_->expected = true;
    Ask(kShutdown, kShutdownPatience);
    // A Go plugin answers this one with a broken connection.
    Ask(kControllerShutdown, kControllerPatience);
    const auto ended_within = [this](milliseconds patience) {
      return parts_.process->AwaitEnd(SteadyClock::now() + patience).has_value();
    };
    if (!ended_within(kExitPatience)) {
      parts_.process->SignalGroup(SIGTERM);
      if (!ended_within(kTermPatience)) {
        parts_.process->SignalGroup(SIGKILL);
        ended_within(kKillPatience);
      }
    }
    parts_.transport->Close();
    parts_.log->Finish();  // of what came over StreamStdio
    parts_.folder.Remove();
  });
}

}  // namespace awf::plugins

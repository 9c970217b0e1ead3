#include "infrastructure/mcp/forwarded_tools.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "infrastructure/step_channel/line_buffer.h"

namespace awf {
namespace {

using std::chrono::milliseconds;

// awf run keeps the deadline itself and tells what came of it. This is for one that does not answer.
constexpr milliseconds kAnswerPatience{2000};
// For what a cancelled RPC came to. The server may be ending: 40 ms are left then.
constexpr milliseconds kCancelPatience{20};

ToolResult Lost() {
  ToolResult result =
      ToolResult::Failure("awf, which runs the plugins, is gone. Whether the call had an effect is not known.");
  result.fields.lost = true;
  return result;
}

ToolResult TooLarge(const ForwardedTool& tool, std::size_t bytes) {
  return ToolResult::Failure(tool.plugin + ": arguments too large (" + std::to_string(bytes) + " bytes, awf takes " +
                             std::to_string(channel::kMaxLine) + ")");
}

ToolResult Unanswered(const ForwardedTool& tool, SteadyClock::time_point begin) {
  const auto waited = std::chrono::round<milliseconds>(SteadyClock::now() - begin).count();
  ToolResult result = ToolResult::Failure(tool.plugin + ": no answer within " + std::to_string(waited) + " ms");
  result.fields.timed_out = true;
  return result;
}

ToolResult Cancelled() {
  ToolResult result = ToolResult::Failure("cancelled by client");
  result.fields.cancelled = true;
  return result;
}

}  // namespace

ForwardedTools::ForwardedTools(channel::StepChannelClient& channel, std::vector<ForwardedTool> tools)
    : channel_(channel), tools_(std::move(tools)) {}

std::vector<ToolDefinition> ForwardedTools::Tools() const {
  std::vector<ToolDefinition> definitions;
  definitions.reserve(tools_.size());
  for (const ForwardedTool& tool : tools_) definitions.push_back(tool.definition);
  return definitions;
}

const ForwardedTool* ForwardedTools::Find(std::string_view tool) const {
  const auto found =
      std::ranges::find_if(tools_, [&](const ForwardedTool& one) { return one.definition.name == tool; });
  return found == tools_.end() ? nullptr : &*found;
}

ToolResult ForwardedTools::Call(const ToolCall& call) {
  const ForwardedTool* tool = Find(call.tool);
  if (tool == nullptr) return ToolResult::Failure("no such tool: " + std::string(call.tool));
  std::string line =
      channel::Encode(channel::PluginCall{call.id, tool->plugin, tool->operation, call.arguments, call.deadline});
  if (line.size() > channel::kMaxLine) return TooLarge(*tool, line.size());
  Waiting waiting;
  {
    const std::lock_guard lock(mutex_);
    if (lost_) return Lost();
    waiting_.emplace(call.id, &waiting);
  }
  ToolResult result = channel_.SendLine(std::move(line)) ? Await(*tool, call, waiting) : Lost();
  const std::lock_guard lock(mutex_);
  waiting_.erase(call.id);
  return result;
}

ToolResult ForwardedTools::Await(const ForwardedTool& tool, const ToolCall& call, Waiting& waiting) {
  const auto begin = SteadyClock::now();
  std::unique_lock lock(mutex_);
  const auto over = [&] { return waiting.result || lost_; };
  const bool answered = call.deadline
                            ? waiting.changed.wait_until(lock, call.cancelled, *call.deadline + kAnswerPatience, over)
                            : waiting.changed.wait(lock, call.cancelled, over);
  if (!answered) {
    lock.unlock();
    const bool sent = channel_.Send(channel::PluginCancel{call.id});
    lock.lock();
    if (sent && call.cancelled.stop_requested()) waiting.changed.wait_for(lock, kCancelPatience, over);
  }
  if (waiting.result) return std::move(*waiting.result);
  if (lost_) return Lost();
  return call.cancelled.stop_requested() ? Cancelled() : Unanswered(tool, begin);
}

void ForwardedTools::Answer(channel::PluginResult result) {
  const std::lock_guard lock(mutex_);
  const auto waiting = waiting_.find(result.call);
  if (waiting == waiting_.end()) return;
  waiting->second->result = std::move(result.result);
  waiting->second->changed.notify_one();
}

void ForwardedTools::Lose() {
  const std::lock_guard lock(mutex_);
  lost_ = true;
  for (const auto& [call, waiting] : waiting_) waiting->changed.notify_one();
}

}  // namespace awf

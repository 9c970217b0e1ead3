#include "infrastructure/agents/plugin_calls.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>

#include "infrastructure/process/blocked_signals.h"
#include "infrastructure/step_channel/line_buffer.h"

namespace awf::agents {
namespace {

constexpr std::string_view kPluginPrefix = "plugin:";

// All workers of all servers that the channel takes.
constexpr std::size_t kMaxThreads = 512;

// "plugin:forge", "forge_create" → forge, create.
ForwardedTool Forwarded(ToolDefinition definition) {
  std::string plugin =
      definition.source.starts_with(kPluginPrefix) ? definition.source.substr(kPluginPrefix.size()) : definition.source;
  std::string operation =
      definition.name.starts_with(plugin + "_") ? definition.name.substr(plugin.size() + 1) : definition.name;
  return {std::move(definition), std::move(plugin), std::move(operation)};
}

ToolResult Broken(const std::string& tool, const std::string& what) {
  ToolResult result = ToolResult::Failure("internal error in tool " + tool);
  result.fields.log_error = "internal error in tool " + tool + ": " + what;
  return result;
}

}  // namespace

PluginCalls::PluginCalls(std::vector<std::shared_ptr<ToolProvider>> tools, Deadline deadline)
    : providers_(std::move(tools)), deadline_(deadline), ready_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (const auto& provider : providers_) {
    for (ToolDefinition& definition : provider->Tools()) {
      ForwardedTool tool = Forwarded(std::move(definition));
      offers_[{tool.plugin, tool.operation}] = {tool.definition.name, tool.definition.source, provider.get()};
      offered_.push_back(std::move(tool));
    }
  }
}

PluginCalls::~PluginCalls() {
  CancelAll();
  for (auto& [key, running] : running_) {
    if (running.thread.joinable()) running.thread.join();
  }
}

std::expected<void, std::string> PluginCalls::Start(std::uint64_t connection, channel::PluginCall call,
                                                    const CallRecord* started) {
  if (started == nullptr) return std::unexpected("a plugin call without a call of a tool");
  const auto offer = offers_.find({call.plugin, call.operation});
  if (offer == offers_.end()) return std::unexpected("a plugin call of what this step does not expose");
  if (started->tool != offer->second.tool || started->source != offer->second.source) {
    return std::unexpected("a plugin call of another tool than was told");
  }
  const Key key{connection, call.call};
  if (running_.contains(key)) return std::unexpected("a second plugin call for one call of a tool");
  Running& running = running_[key];
  running.call = std::move(call);
  running.provider = offer->second.provider;
  running.tool = offer->second.tool;
  running.started = started->time;
  if (threads_ < kMaxThreads) {
    try {
      const process::AllSignalsBlocked blocked;
      running.thread = std::thread([this, key, &running] { Run(key, running); });
      ++threads_;
      return {};
    } catch (const std::system_error&) {
    }
  }
  Keep(key, ToolResult::Failure(running.call.plugin + ": too many calls at the same time"), running.call.plugin);
  return {};
}

// On the call's own thread.
void PluginCalls::Run(const Key& key, Running& running) {
  const auto waited = std::chrono::duration_cast<std::chrono::microseconds>(WallClock::now() - running.started);
  ToolResult result = Outcome(running);
  // The record of the call counts from its start on the server.
  if (result.fields.rpc) result.fields.rpc->begin += std::max(waited, std::chrono::microseconds{0});
  Keep(key, result, running.call.plugin);
}

ToolResult PluginCalls::Outcome(const Running& running) const {
  try {
    return running.provider->Call({running.call.call, running.tool, running.call.arguments,
                                   Earlier(deadline_, running.call.deadline), running.stop.get_token()});
  } catch (const std::exception& exception) {
    return Broken(running.tool, exception.what());
  } catch (...) {  // whatever a library throws: the run goes on
    return Broken(running.tool, "unknown exception");
  }
}

void PluginCalls::Keep(const Key& key, const ToolResult& result, const std::string& plugin) {
  std::string line = channel::EncodeResult({key.second, result});
  if (line.size() > channel::kMaxLine) {
    ToolResult large = ToolResult::Failure(plugin + ": result too large (" + std::to_string(line.size()) + " bytes)");
    large.fields.rpc = result.fields.rpc;
    line = channel::EncodeResult({key.second, large});
  }
  {
    const std::lock_guard lock(mutex_);
    results_.emplace_back(key, std::move(line));
  }
  const std::uint64_t one = 1;
  static_cast<void>(::write(ready_.get(), &one, sizeof one));
}

std::vector<PluginCalls::Result> PluginCalls::Take() {
  std::uint64_t count = 0;
  if (::read(ready_.get(), &count, sizeof count) < 0) return {};
  std::vector<std::pair<Key, std::string>> results;
  {
    const std::lock_guard lock(mutex_);
    results = std::exchange(results_, {});
  }
  std::vector<Result> taken;
  for (auto& [key, line] : results) {
    const auto running = running_.find(key);
    if (running->second.thread.joinable()) {
      running->second.thread.join();  // it is at its end
      --threads_;
    }
    running->second.taken = true;
    if (running->second.forgotten) {
      running_.erase(running);
    } else {
      taken.push_back({key.first, std::move(line)});
    }
  }
  return taken;
}

void PluginCalls::Cancel(std::uint64_t connection, const CallId& call) {
  const auto running = running_.find({connection, call});
  if (running != running_.end()) running->second.stop.request_stop();
}

void PluginCalls::Finished(std::uint64_t connection, const CallId& call) {
  const auto running = running_.find({connection, call});
  if (running != running_.end()) Forget(running);
}

void PluginCalls::Close(std::uint64_t connection) {
  for (auto next = running_.lower_bound({connection, {}}); next != running_.end() && next->first.first == connection;) {
    Forget(next++);
  }
}

void PluginCalls::CancelAll() {
  for (auto& [key, running] : running_) running.stop.request_stop();
}

// A call that still runs goes when its result is taken.
void PluginCalls::Forget(std::map<Key, Running>::iterator running) {
  running->second.stop.request_stop();
  running->second.forgotten = true;
  if (running->second.taken) running_.erase(running);
}

}  // namespace awf::agents

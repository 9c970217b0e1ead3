#include "infrastructure/plugins/plugin_host.h"

#include <malloc.h>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "infrastructure/plugins/plugin_guard.h"
#include "infrastructure/plugins/plugin_start.h"
#include "infrastructure/plugins/process_loop.h"
#include "infrastructure/plugins/running_plugin.h"
#include "infrastructure/process/blocked_signals.h"
#include "infrastructure/process/keeper.h"

namespace awf::plugins {
namespace {

// A reply of 1 MiB lives in several buffers on its way, one after the other. Given back to the kernel each time, their
// pages take a third of the call (bench/plugin_host_bench). At most this much stays with the process.
void KeepFreedMemory() {
  constexpr int kKept = 16 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kKept);
  ::mallopt(M_TRIM_THRESHOLD, kKept);
}

using Started = std::expected<StartedPlugin, Error>;

// A token that is stopped when either of two is.
class EitherToken {
 public:
  EitherToken(const std::stop_token& one, const std::stop_token& other)
      : one_(one, [this] { source_.request_stop(); }), other_(other, [this] { source_.request_stop(); }) {}

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> one_, other_;
};

template <typename Job>
void RunAtOnce(std::size_t count, const Job& job) {
  const process::AllSignalsBlocked blocked;
  std::vector<std::jthread> threads;
  threads.reserve(count);
  for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&job, i] { job(i); });
}

}  // namespace

struct PluginHost::State {
  explicit State(PluginHostOptions given)
      : options(std::move(given)), guard(PluginGuard::Start(options.private_folder)) {}

  // What a name has come to; nothing while it is being started.
  struct Entry {
    std::optional<Started> result;
    std::shared_ptr<RunningPlugin> plugin;
  };

  Started StartOne(const PluginLaunch& launch, const Deadline& deadline, const std::stop_token& cancelled);
  Started StartNew(const PluginLaunch& launch, const Deadline& deadline, const std::stop_token& cancelled);

  const PluginHostOptions options;
  std::expected<PluginGuard, Error> guard;
  ProcessLoop loop;
  std::mutex mutex;
  std::condition_variable_any changed;
  std::map<std::string, Entry, std::less<>> entries;
  std::stop_source stopping;
  std::once_flag stopped;
};

namespace {

std::unexpected<Error> Stopping(const std::string& plugin) {
  return Fail("EXECUTION.PLUGIN.START", plugin + ": awf has stopped its plugins");
}

// Whether the caller, and not the plugin, is why it does not run.
bool BrokenOff(const Error& error, const Deadline& deadline) {
  // Past the caller's deadline each stage fails in its own words.
  return error.code == "EXECUTION.RUN.CANCELLED" || Passed(deadline);
}

}  // namespace

Started PluginHost::State::StartOne(const PluginLaunch& launch, const Deadline& deadline,
                                    const std::stop_token& cancelled) {
  if (!guard) return std::unexpected(guard.error());
  std::unique_lock lock(mutex);
  for (;;) {
    if (stopping.stop_requested()) return Stopping(launch.name);
    const auto [entry, is_new] = entries.try_emplace(launch.name);
    if (is_new) break;
    if (entry->second.result) return *entry->second.result;
    // Somebody else starts it. The entry goes when that one gives up for reasons of its own.
    const auto known = [&] {
      const auto found = entries.find(launch.name);
      return found == entries.end() || found->second.result;
    };
    const bool there =
        deadline ? changed.wait_until(lock, cancelled, *deadline, known) : changed.wait(lock, cancelled, known);
    if (there) continue;
    if (cancelled.stop_requested()) {
      return Fail("EXECUTION.RUN.CANCELLED", "the start of plugin " + launch.name + " was cancelled");
    }
    return Fail("EXECUTION.PLUGIN.START_TIMEOUT", launch.name + ": is still being started at the deadline of the step");
  }
  lock.unlock();
  return StartNew(launch, deadline, cancelled);
}

Started PluginHost::State::StartNew(const PluginLaunch& launch, const Deadline& deadline,
                                    const std::stop_token& cancelled) {
  const EitherToken either(cancelled, stopping.get_token());
  auto parts = StartPlugin(launch, options, guard->folder(), loop, deadline, either.token());
  std::shared_ptr<RunningPlugin> plugin;
  Started result = std::unexpected(Error{});
  if (parts) {
    const PluginStart start = parts->start;
    plugin = std::make_shared<RunningPlugin>(std::move(*parts), options.stopped);
    result = StartedPlugin{plugin, start};
  } else {
    result = std::unexpected(parts.error());
    if (stopping.stop_requested() && !cancelled.stop_requested()) result = Stopping(launch.name);
  }
  const std::lock_guard lock(mutex);
  if (!result && BrokenOff(result.error(), deadline)) {
    entries.erase(launch.name);
  } else {
    entries[launch.name] = {result, std::move(plugin)};
  }
  changed.notify_all();
  return result;
}

PluginHost::PluginHost(PluginHostOptions options) {
  process::BecomeSubreaper();
  KeepFreedMemory();
  state_ = std::make_unique<State>(std::move(options));
}

PluginHost::~PluginHost() { StopAll(); }

std::vector<Started> PluginHost::Start(std::span<const PluginLaunch> launches, Deadline deadline,
                                       const std::stop_token& cancelled) {
  std::vector<Started> results(launches.size(), Started(std::unexpected(Error{})));
  if (launches.size() == 1) {
    results[0] = state_->StartOne(launches[0], deadline, cancelled);
    return results;
  }
  RunAtOnce(launches.size(), [&](std::size_t i) { results[i] = state_->StartOne(launches[i], deadline, cancelled); });
  return results;
}

void PluginHost::StopAll() {
  std::call_once(state_->stopped, [this] {
    std::vector<std::shared_ptr<RunningPlugin>> plugins;
    std::unique_lock lock(state_->mutex);
    state_->stopping.request_stop();
    // Those that are being started are broken off, which takes no longer than to kill them.
    state_->changed.wait(lock, [this] {
      return std::ranges::all_of(state_->entries, [](const auto& entry) { return entry.second.result.has_value(); });
    });
    for (const auto& [name, entry] : state_->entries) {
      if (entry.plugin) plugins.push_back(entry.plugin);
    }
    lock.unlock();
    RunAtOnce(plugins.size(), [&](std::size_t i) { plugins[i]->Stop(); });
    if (state_->guard) state_->guard->Stop();
  });
}

}  // namespace awf::plugins

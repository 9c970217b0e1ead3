#include "infrastructure/plugins/process_loop.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "infrastructure/process/blocked_signals.h"

namespace awf::plugins {
namespace {

constexpr int kLookAgainMs = 20;                  // for ends, where the kernel has no pidfd
constexpr std::chrono::seconds kKillPatience{5};  // what sleeps uninterruptibly is left to init

}  // namespace

struct ProcessLoop::Order {
  const ProgramStart& start;
  PluginProcess::OnOutput on_output;
  std::optional<std::expected<std::shared_ptr<PluginProcess>, int>> result{};
};

ProcessLoop::ProcessLoop() {
  const process::AllSignalsBlocked blocked;
  thread_ = std::thread([this] { Run(); });
}

ProcessLoop::~ProcessLoop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.Wake();
  thread_.join();
}

std::expected<std::shared_ptr<PluginProcess>, int> ProcessLoop::Start(const ProgramStart& start,
                                                                      PluginProcess::OnOutput on_output) {
  Order order{start, std::move(on_output)};
  std::unique_lock lock(mutex_);
  orders_.push_back(&order);
  wake_.Wake();
  served_.wait(lock, [&] { return order.result.has_value(); });
  return std::move(*order.result);
}

void ProcessLoop::Run() {
  Deadline give_up;
  for (;;) {
    std::vector<Order*> orders;
    bool stopping = false;
    {
      const std::lock_guard lock(mutex_);
      orders.swap(orders_);
      stopping = stopping_;
    }
    for (Order* order : orders) Serve(*order);
    if (stopping) {
      if (!give_up) give_up = SteadyClock::now() + kKillPatience;
      if (processes_.empty() || Passed(give_up)) break;
      for (const auto& process : processes_) process->SignalGroup(SIGKILL);
    }
    Poll(stopping);
  }
  for (const auto& process : processes_) process->Finish(process::ExitStatus{-1, 0});
}

void ProcessLoop::Serve(Order& order) {
  auto program = StartProgram(order.start);
  std::expected<std::shared_ptr<PluginProcess>, int> result = std::unexpected(program ? 0 : program.error());
  if (program) {
    result = std::make_shared<PluginProcess>(std::move(*program), std::move(order.on_output));
    processes_.push_back(*result);
  }
  const std::lock_guard lock(mutex_);
  order.result = std::move(result);
  served_.notify_all();
}

// Waits until something happens, and takes it: three descriptors for each process, behind that of the wake event.
void ProcessLoop::Poll(bool stopping) {
  constexpr std::size_t kEach = 3;
  std::vector<pollfd> watched{{wake_.fd(), POLLIN, 0}};
  bool all_have_handles = true;
  for (const auto& process : processes_) {
    watched.push_back({process->output_.get(), POLLIN, 0});
    watched.push_back({process->errors_.get(), POLLIN, 0});
    watched.push_back({process->handle_.get(), POLLIN, 0});
    all_have_handles = all_have_handles && process->handle_;
  }
  ::poll(watched.data(), watched.size(), all_have_handles && !stopping ? -1 : kLookAgainMs);
  if (watched[0].revents != 0) wake_.Clear();
  std::vector<std::shared_ptr<PluginProcess>> living;
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    PluginProcess& process = *processes_[i];
    const pollfd* of_process = &watched[1 + i * kEach];
    if (of_process[0].revents != 0) process.TakeOutput();
    if (of_process[1].revents != 0) process.TakeErrors();
    const bool look = of_process[2].revents != 0 || !process.handle_;
    if (!look || !process.HasEnded()) living.push_back(processes_[i]);
  }
  processes_ = std::move(living);
}

}  // namespace awf::plugins

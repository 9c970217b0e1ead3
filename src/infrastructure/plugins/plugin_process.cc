#include "infrastructure/plugins/plugin_process.h"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "infrastructure/plugins/handshake.h"
#include "infrastructure/process/keeper_registry.h"
#include "infrastructure/process/output_pipe.h"

namespace awf::plugins {
namespace {

// waitid as a status, without reaping; nothing while the process lives.
std::optional<process::ExitStatus> LookAtEnd(pid_t pid) {
  siginfo_t info{};
  int result = 0;
  do result = ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT);
  while (result != 0 && errno == EINTR);
  if (result != 0) return process::ExitStatus{-1, 0};  // somebody else reaped it
  if (info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return process::ExitStatus{info.si_status, 0};
  return process::ExitStatus{128 + info.si_status, info.si_status};
}

}  // namespace

PluginProcess::PluginProcess(StartedProgram program, OnOutput on_output)
    : pid_(program.pid),
      output_(std::move(program.output)),
      errors_(std::move(program.errors)),
      handle_(static_cast<int>(::syscall(SYS_pidfd_open, program.pid, 0))),
      on_output_(std::move(on_output)) {}

FirstLine PluginProcess::AwaitFirstLine(const Deadline& deadline, const std::stop_token& cancelled) const {
  std::unique_lock lock(mutex_);
  const auto known = [&] { return line_complete_ || line_too_long_ || output_closed_ || end_; };
  if (deadline) {
    changed_.wait_until(lock, cancelled, *deadline, known);
  } else {
    changed_.wait(lock, cancelled, known);
  }
  if (line_complete_) return {FirstLine::Kind::kComplete, first_line_};
  if (line_too_long_) return {FirstLine::Kind::kTooLong, first_line_};
  if (end_) return {FirstLine::Kind::kExited, {}};
  if (output_closed_) return {FirstLine::Kind::kClosed, {}};
  return {cancelled.stop_requested() ? FirstLine::Kind::kCancelled : FirstLine::Kind::kTimeout, {}};
}

std::optional<process::ExitStatus> PluginProcess::AwaitEnd(const Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  const auto ended = [&] { return end_.has_value(); };
  if (deadline) {
    changed_.wait_until(lock, *deadline, ended);
  } else {
    changed_.wait(lock, ended);
  }
  return end_;
}

std::optional<process::ExitStatus> PluginProcess::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

void PluginProcess::WhenEnded(OnEnd on_end) {
  std::unique_lock lock(mutex_);
  if (!ending_) return on_end_.push_back(std::move(on_end));
  const process::ExitStatus status = *ending_;
  lock.unlock();
  on_end(status);
}

void PluginProcess::SignalGroup(int signal) const {
  const std::lock_guard lock(mutex_);
  if (!ending_) ::kill(-pid_, signal);
}

void PluginProcess::TakeOutput() {
  process::ReadAvailable(output_, [this](std::string_view bytes) { FirstLineBytes(bytes); });
  if (output_) return;
  const std::lock_guard lock(mutex_);
  output_closed_ = true;
  changed_.notify_all();
}

void PluginProcess::TakeErrors() {
  process::ReadAvailable(errors_, [this](std::string_view bytes) { on_output_(true, bytes); });
}

// Takes what belongs to the first line off the output; the rest is handed on.
void PluginProcess::FirstLineBytes(std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (!line_complete_ && !line_too_long_) {
      const std::size_t feed = bytes.find('\n');
      const std::size_t room = kLongestHandshake - first_line_.size();
      const std::size_t taken = std::min({feed, bytes.size(), room});
      first_line_.append(bytes.substr(0, taken));
      bytes.remove_prefix(taken);
      line_complete_ = bytes.starts_with('\n');
      line_too_long_ = !line_complete_ && !bytes.empty();
      if (line_complete_) bytes.remove_prefix(1);
      changed_.notify_all();
    }
    if (line_too_long_) return;  // nobody wants to read that
  }
  if (!bytes.empty()) on_output_(false, bytes);
}

bool PluginProcess::HasEnded() {
  const auto status = LookAtEnd(pid_);
  if (!status) return false;
  // A zombie still: its number, which is that of its group, is not given to anybody else.
  EndLeftovers(pid_);
  // Pipes hold little, and all who could write are gone, but for those that neither group nor mark tells.
  constexpr int kRounds = 16;
  for (int round = 0; output_ && round < kRounds; ++round) TakeOutput();
  for (int round = 0; errors_ && round < kRounds; ++round) TakeErrors();
  output_.Reset();
  errors_.Reset();
  {
    const std::lock_guard lock(mutex_);
    process::KeeperRegistry::Instance().Reap(pid_);
    ending_ = status;
  }
  Finish(*status);
  return true;
}

void PluginProcess::Finish(const process::ExitStatus& status) {
  std::vector<OnEnd> on_end;
  {
    const std::lock_guard lock(mutex_);
    ending_ = status;
    on_end.swap(on_end_);
  }
  for (const OnEnd& call : on_end) call(status);
  const std::lock_guard lock(mutex_);
  end_ = status;
  changed_.notify_all();
}

}  // namespace awf::plugins

#include "infrastructure/operations/program_run.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/output_pipe.h"
#include "infrastructure/process/wake_event.h"

namespace awf::operations {
namespace {

using process::KeeperEvent;
using std::chrono::milliseconds;
using Kind = ProgramEnd::Kind;

constexpr std::size_t kMostOutput = std::size_t{64} << 10;
constexpr milliseconds kDrainTime{120};  // for output that is still on its way when the program has ended

std::string AbsoluteEntries(std::string_view path) {
  std::string kept;
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    if (folder.starts_with('/')) kept.append(kept.empty() ? "" : ":").append(folder);
  }
  return kept;
}

class Running {
 public:
  explicit Running(const ProgramRequest& request)
      : request_(request), patience_(SteadyClock::now() + request.patience) {}

  ProgramEnd Run() {
    if (!Start()) return std::move(end_);
    const std::stop_callback wake(request_.cancelled, [this] { cancelled_.Wake(); });
    while (!over_ || !Drained()) {
      std::array<pollfd, 4> watched = {{{keeper_->fd(), POLLIN, 0},
                                        {cancelled_.fd(), POLLIN, 0},
                                        {output_.get(), POLLIN, 0},
                                        {errors_.get(), POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), RemainingMs(over_ ? drained_at_ : Earlier(request_.deadline, patience_)));
      if (watched[2].revents != 0) Read(output_, end_.output);
      if (watched[3].revents != 0) Read(errors_, end_.errors);
      while (const auto event = keeper_->Next()) Handle(*event);
      if (!over_) LookAtTheClock();
    }
    keeper_->Stop(milliseconds{0});
    end_.output = RepairUtf8(end_.output);
    end_.errors = RepairUtf8(end_.errors);
    return std::move(end_);
  }

 private:
  bool Start() {
    auto out = process::MakeOutputPipe(), err = process::MakeOutputPipe();
    auto keeper = process::Keeper::Spawn();
    if (!out || !err || !keeper || cancelled_.fd() < 0) {
      end_.errors = keeper ? "no descriptor is left for it" : keeper.error().message;
      return false;
    }
    keeper_ = std::move(*keeper);
    process::SpawnRequest spawn;
    spawn.argv = request_.argv;
    spawn.environment = request_.environment;
    spawn.working_dir = request_.working_dir;
    spawn.stdout_fd = out->write_end.get();
    spawn.stderr_fd = err->write_end.get();
    spawn.new_session = true;
    keeper_->Start(spawn);
    output_ = std::move(out->read_end);
    errors_ = std::move(err->read_end);
    return true;
  }

  static void Read(Fd& pipe, std::string& text) {
    process::ReadAvailable(pipe, [&text](std::string_view bytes) {
      text.append(bytes.substr(0, kMostOutput - std::min(kMostOutput, text.size())));
    });
  }

  void Handle(const KeeperEvent& event) {
    if (event.kind == KeeperEvent::Kind::kExited) {
      Over(Kind::kExited);
      end_.exit_code = event.status.exit_code;
    } else if (event.kind == KeeperEvent::Kind::kFailed) {
      const bool missing = event.failure.error_number == ENOENT && event.failure.stage == "execve";
      Over(missing ? Kind::kMissing : Kind::kNotStarted);
      end_.errors = event.failure.stage + ": " + std::generic_category().message(event.failure.error_number);
    } else if (event.kind == KeeperEvent::Kind::kGone && !over_) {
      Over(Kind::kNotStarted);
      end_.errors = "the process that ran it was killed";
    }
  }

  void LookAtTheClock() {
    if (request_.cancelled.stop_requested()) {
      Over(Kind::kCancelled);
    } else if (Passed(request_.deadline)) {
      Over(Kind::kOutOfTime);
    } else if (Passed(patience_)) {
      Over(Kind::kTooSlow);
    }
  }

  void Over(Kind kind) {
    over_ = true;
    end_.kind = kind;
    drained_at_ = SteadyClock::now() + kDrainTime;
  }

  bool Drained() const { return end_.kind != Kind::kExited || (!output_ && !errors_) || Passed(drained_at_); }

  const ProgramRequest& request_;
  const Deadline patience_;
  process::WakeEvent cancelled_;
  std::unique_ptr<process::Keeper> keeper_;
  Fd output_, errors_;
  bool over_ = false;
  Deadline drained_at_;
  ProgramEnd end_;
};

}  // namespace

std::vector<std::string> ProgramEnvironment(const Variables& variables, std::initializer_list<std::string_view> more) {
  static constexpr std::array<std::string_view, 12> kNames = {
      "HOME",          "USER",           "LOGNAME",        "LANG",
      "LC_ALL",        "LC_CTYPE",       "TMPDIR",         "XDG_CONFIG_HOME",
      "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"};
  std::vector<std::string> environment;
  if (const std::string path = AbsoluteEntries(variables("PATH").value_or("")); !path.empty()) {
    environment.push_back("PATH=" + path);
  }
  const auto add = [&](std::string_view name) {
    if (const auto value = variables(name)) environment.push_back(std::string(name) + "=" + *value);
  };
  std::ranges::for_each(kNames, add);
  std::ranges::for_each(more, add);
  return environment;
}

ProgramEnd RunProgram(const ProgramRequest& request) { return Running(request).Run(); }

}  // namespace awf::operations

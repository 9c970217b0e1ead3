#include "infrastructure/process/command_executor.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "domain/terminal_text.h"
#include "infrastructure/process/descriptor_limit.h"
#include "infrastructure/process/environment.h"
#include "infrastructure/process/exit_text.h"
#include "infrastructure/process/keeper.h"
#include "infrastructure/process/kept_output.h"
#include "infrastructure/process/output_pipe.h"
#include "infrastructure/process/private_folder.h"
#include "infrastructure/process/script_program.h"
#include "infrastructure/process/shell_command.h"
#include "infrastructure/process/wake_event.h"

namespace awf::process {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGrace{5000};
// For output that is still on its way when the shell has ended.
constexpr milliseconds kDrainTime{120};
// A keeper that has not ended a tree so long after SIGKILL will not do it any more.
constexpr milliseconds kKeeperPatience{3000};

constexpr std::array<std::string_view, 6> kShells = {"sh", "bash", "dash", "ash", "ksh", "zsh"};

// One of the two streams.
class Output {
 public:
  Output(bool is_stderr, const CommandRequest& request, RunObserver& observer)
      : is_stderr_(is_stderr), step_(request.step), observer_(observer), kept_(request.encoding, request.max_output) {}

  Fd& pipe() { return pipe_; }
  bool ended() const { return !pipe_; }
  const KeptOutput& kept() const { return kept_; }

  void ReadSome() {
    ReadAvailable(pipe_, [this](std::string_view bytes) { Show(kept_.Take(bytes)); });
  }
  void Finish() { Show(kept_.Finish()); }

 private:
  void Show(const std::string& text) {
    if (!text.empty()) observer_.CommandOutput(step_, is_stderr_, text);
  }

  Fd pipe_;
  bool is_stderr_;
  const StepContext& step_;
  RunObserver& observer_;
  KeptOutput kept_;
};

// One run from start to end, as a loop over the keeper's events, both pipes and the clock.
class CommandRun {
 public:
  CommandRun(const CommandRequest& request, RunObserver& observer)
      : request_(request), out_(false, request_, observer), err_(true, request_, observer) {}

  StepResult Run(const std::filesystem::path& program, const std::vector<std::string>& environment);

 private:
  std::expected<ShellCommand, Error> MakeProgram(const std::vector<std::string>& environment);
  std::optional<Error> Start(const std::filesystem::path& program, const std::vector<std::string>& environment);
  void Wait();
  void Handle(const KeeperEvent& event);
  void EndTree(StepStatus why);
  bool Over() const;
  Deadline NextMoment() const;
  StepResult Result();
  Error NotStarted() const;
  std::optional<Error> Failure() const;

  const CommandRequest& request_;
  const SteadyClock::time_point started_ = SteadyClock::now();
  Output out_, err_;
  WakeEvent cancelled_;
  std::unique_ptr<Keeper> keeper_;
  std::optional<Interpreter> interpreter_;  // of a script that names one
  std::uint32_t job_ = 0;
  std::optional<ExitStatus> exit_;
  std::optional<SpawnFailure> spawn_failure_;
  bool lost_ = false;
  bool tree_gone_ = false;
  std::optional<StepStatus> ended_by_;  // kTimeout or kCancelled
  Deadline drained_at_, given_up_at_;
};

Error SpawnFailed(const std::string& why) {
  return {"EXECUTION.COMMAND.SPAWN_FAILED", "the command could not be started: " + why, {}, {}, {}, {}};
}

Error SpawnFailed(const std::string& stage, int error) {
  Error failed = SpawnFailed(stage + ": " + std::generic_category().message(error));
  failed.hint = DescriptorHint(error);
  return failed;
}

// The shell, or the interpreter that the script names.
std::expected<ShellCommand, Error> CommandRun::MakeProgram(const std::vector<std::string>& environment) {
  const std::string& text = request_.script.empty() ? request_.command : request_.script;
  if (!request_.script.empty()) interpreter_ = InterpreterOf(text);
  if (interpreter_) {
    const auto place = PrivateFolder::Open();
    if (!place) return std::unexpected(place.error());
    auto argv = PlaceScript(*keeper_, *place, *interpreter_, text);
    if (!argv) return std::unexpected(argv.error());
    return ShellCommand{std::move(*argv), Fd()};
  }
  if (text.find('\0') != std::string::npos) return std::unexpected(SpawnFailed("it contains a NUL character"));
  auto shell = MakeShellCommand(ChooseShell(environment), text);
  if (!shell) return std::unexpected(SpawnFailed("memfd", shell.error()));
  return std::move(*shell);
}

std::optional<Error> CommandRun::Start(const std::filesystem::path& program,
                                       const std::vector<std::string>& environment) {
  if (cancelled_.fd() < 0) return SpawnFailed("eventfd", EMFILE);  // without it, it could not be cancelled
  auto keeper = Keeper::Spawn(program);
  if (!keeper) return keeper.error();
  keeper_ = std::move(*keeper);
  auto made = MakeProgram(environment);
  if (!made) return made.error();
  // As late as can be: of hundreds that start at once most wait for their keeper, and descriptors are few.
  auto out = MakeOutputPipe();
  auto err = MakeOutputPipe();
  if (!out || !err) return SpawnFailed("pipe", out ? err.error() : out.error());
  SpawnRequest spawn;
  spawn.argv = std::move(made->argv);
  spawn.environment = environment;
  SetVariables(spawn.environment, request_.set_env);
  spawn.working_dir = request_.working_dir;
  spawn.stdin_fd = made->script.get();
  spawn.stdout_fd = out->write_end.get();
  spawn.stderr_fd = err->write_end.get();
  spawn.new_session = true;
  job_ = keeper_->Start(spawn);
  out_.pipe() = std::move(out->read_end);
  err_.pipe() = std::move(err->read_end);
  return std::nullopt;
}

void CommandRun::Handle(const KeeperEvent& event) {
  switch (event.kind) {
    case KeeperEvent::Kind::kFailed:
      spawn_failure_ = event.failure;
      return;
    case KeeperEvent::Kind::kExited:
      exit_ = event.status;
      drained_at_ = SteadyClock::now() + kDrainTime;
      return;
    case KeeperEvent::Kind::kTreeGone:
      tree_gone_ = true;
      drained_at_ = SteadyClock::now() + kDrainTime;
      return;
    case KeeperEvent::Kind::kGone:
      lost_ = true;
      return;
    case KeeperEvent::Kind::kStarted:
    case KeeperEvent::Kind::kFolderReady:
      return;
  }
}

void CommandRun::EndTree(StepStatus why) {
  ended_by_ = why;
  given_up_at_ = SteadyClock::now() + kGrace + kKeeperPatience;
  keeper_->EndTree(job_, kGrace);
}

bool CommandRun::Over() const {
  if (lost_ || spawn_failure_ || Passed(given_up_at_)) return true;
  if (ended_by_ ? !tree_gone_ : !exit_) return false;
  return (out_.ended() && err_.ended()) || Passed(drained_at_);
}

Deadline CommandRun::NextMoment() const {
  if (ended_by_) return tree_gone_ ? drained_at_ : given_up_at_;
  return exit_ ? drained_at_ : request_.deadline;
}

void CommandRun::Wait() {
  const std::stop_callback wake(request_.cancelled, [this] { cancelled_.Wake(); });
  while (!Over()) {
    std::array<pollfd, 4> watched = {{{keeper_->fd(), POLLIN, 0},
                                      {cancelled_.fd(), POLLIN, 0},
                                      {out_.pipe().get(), POLLIN, 0},
                                      {err_.pipe().get(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), RemainingMs(NextMoment()));
    if (watched[2].revents != 0) out_.ReadSome();
    if (watched[3].revents != 0) err_.ReadSome();
    while (const auto event = keeper_->Next()) Handle(*event);
    cancelled_.Clear();
    if (exit_ || ended_by_ || lost_) continue;
    if (request_.cancelled.stop_requested()) {
      EndTree(StepStatus::kCancelled);
    } else if (Passed(request_.deadline)) {
      EndTree(StepStatus::kTimeout);
    }
  }
}

Error CommandRun::NotStarted() const {
  if (!interpreter_ || spawn_failure_->stage != "execve") {
    return SpawnFailed(spawn_failure_->stage, spawn_failure_->error_number);
  }
  Error error =
      SpawnFailed("its interpreter '" + PrintableLine(interpreter_->program) + "'", spawn_failure_->error_number);
  const bool from_windows = interpreter_->program.ends_with('\r') || interpreter_->argument.ends_with('\r');
  error.hint = from_windows ? "The script's lines end with carriage returns; convert it to Unix line ends."
                            : "Correct the first line of the script, or install the interpreter.";
  return error;
}

std::optional<Error> CommandRun::Failure() const {
  if (spawn_failure_) return NotStarted();
  if (ended_by_ == StepStatus::kCancelled) {
    return Error{
        "EXECUTION.RUN.CANCELLED", "the command was cancelled; it and its children were ended", {}, {}, {}, {}};
  }
  if (ended_by_ == StepStatus::kTimeout) {
    const auto allowed = std::chrono::round<milliseconds>(*request_.deadline - started_);
    return Error{"EXECUTION.COMMAND.TIMEOUT",
                 "the command timed out after " + std::to_string(std::max<long long>(allowed.count(), 0)) +
                     " ms; it and its children were ended",
                 {},
                 {},
                 {},
                 {}};
  }
  if (lost_) {
    return Error{"EXECUTION.COMMAND.FAILED", "the process that ran the command was killed", {}, {}, {}, {}};
  }
  if (!exit_ || exit_->exit_code == 0) return std::nullopt;
  return Error{"EXECUTION.COMMAND.FAILED",
               DescribeExit(*exit_, err_.kept().LastWords(), out_.kept().LastWords()),
               ExitHint(*exit_),
               {},
               {},
               {}};
}

StepResult CommandRun::Result() {
  StepResult result;
  out_.Finish();
  err_.Finish();
  result.output = out_.kept().Text();
  result.error_output = err_.kept().Text();
  if (request_.encoding != CaptureEncoding::kBase64 && result.output.ends_with('\n')) result.output.pop_back();
  if (exit_) result.end.exit_code = exit_->exit_code;
  result.end.error = Failure();
  if (result.end.error) {
    result.end.error->step = request_.step.step;
    result.end.status = ended_by_.value_or(StepStatus::kFailure);
  }
  result.end.duration = std::chrono::round<milliseconds>(SteadyClock::now() - started_);
  return result;
}

StepResult CommandRun::Run(const std::filesystem::path& program, const std::vector<std::string>& environment) {
  if (request_.cancelled.stop_requested()) {
    ended_by_ = StepStatus::kCancelled;
    return Result();
  }
  if (const auto error = Start(program, environment)) {
    StepResult result = Result();
    result.end.status = StepStatus::kFailure;
    result.end.error = error;
    result.end.error->step = request_.step.step;
    return result;
  }
  Wait();
  keeper_->Stop(ended_by_ ? milliseconds{0} : kGrace);
  return Result();
}

}  // namespace

std::string ChooseShell(const std::vector<std::string>& environment) {
  const std::filesystem::path shell = FindVariable(environment, "SHELL").value_or("");
  const std::string name = shell.filename();
  const bool known = std::find(kShells.begin(), kShells.end(), name) != kShells.end();
  return shell.is_absolute() && known && ::access(shell.c_str(), X_OK) == 0 ? shell.string() : "/bin/sh";
}

KeeperCommandExecutor::KeeperCommandExecutor(std::vector<std::string> environment, std::filesystem::path program)
    : environment_(std::move(environment)), program_(std::move(program)) {}

StepResult KeeperCommandExecutor::Run(const CommandRequest& request, RunObserver& observer) {
  return CommandRun(request, observer).Run(program_, environment_);
}

}  // namespace awf::process

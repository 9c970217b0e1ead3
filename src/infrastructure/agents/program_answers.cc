#include "infrastructure/agents/program_answers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "domain/trimmed.h"
#include "infrastructure/process/keeper.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

using Kind = process::KeeperEvent::Kind;

constexpr milliseconds kVersionPatience{20'000};  // a Node program on a busy machine needs more than five
constexpr milliseconds kSlice{50};                // how soon a cancel is noticed
constexpr std::size_t kMostOutput = std::size_t{16} << 20;
constexpr std::size_t kMostErrors = std::size_t{64} << 10;

constexpr char kCancelled[] = "cancelled";
constexpr char kOutOfTime[] = "the step's time is up";

// Reads what is there, and keeps `most` and a little of it; false at the end of the stream.
bool ReadSome(int fd, std::string& text, std::size_t most) {
  char buffer[65536];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  if (count > 0 && text.size() <= most) text.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

std::string Seconds(milliseconds duration) { return std::to_string(duration.count() / 1000) + " s"; }

// Replaced programs have another one; a launcher behind a link is told by its real path.
std::string KeyOf(const ProgramAnswers::Question& question) {
  std::error_code error;
  const fs::path real = fs::canonical(question.program, error);
  struct stat status{};
  ::stat(question.program.c_str(), &status);
  // A launcher behind several links is another program under each name.
  std::string key = question.program.string() + '\0' + (error ? question.program : real).string();
  for (const auto number : {static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
                            static_cast<long long>(status.st_mtim.tv_nsec)}) {
    key += '\0' + std::to_string(number);
  }
  for (const std::string& argument : question.arguments) (key += '\0') += argument;
  std::vector<std::string_view> variables;
  for (const std::string& variable : question.environment) {
    const bool of_step = variable.starts_with("TRACEPARENT=") || variable.starts_with("TRACESTATE=");
    if (!of_step) variables.push_back(variable);
  }
  std::ranges::sort(variables);
  key += std::string(2, '\0');
  for (const std::string_view variable : variables) (key += '\0') += variable;
  return key;
}

// A program that is being asked.
class Asking {
 public:
  explicit Asking(const ProgramAnswers::Question& question) : question_(question) {}

  // False: this machine lacks something, which says nothing of the program.
  bool Start(const fs::path& keeper_program) {
    Fd output, errors;
    if (!Open(output_, output) || !Open(errors_, errors)) return false;
    auto keeper = process::Keeper::Spawn(keeper_program);
    if (!keeper) return false;
    keeper_ = std::move(*keeper);
    std::vector<std::string> argv = {question_.program.string()};
    argv.insert(argv.end(), question_.arguments.begin(), question_.arguments.end());
    keeper_->Start({argv, question_.environment, "/", -1, output.get(), errors.get(), false});
    return true;
  }

  // Until it has ended, `until`, or cancelled.
  void Wait(SteadyClock::time_point until, const std::stop_token& cancelled) {
    while (!over_ && !lost_ && SteadyClock::now() < until && !cancelled.stop_requested()) {
      pollfd fds[] = {
          {keeper_->fd(), POLLIN, 0}, {output_.read_end.get(), POLLIN, 0}, {errors_.read_end.get(), POLLIN, 0}};
      if (::poll(fds, std::size(fds), static_cast<int>(kSlice.count())) < 0 && errno != EINTR) break;
      if (fds[1].revents != 0) output_.Read();
      if (fds[2].revents != 0) errors_.Read();
      while (const auto event = keeper_->Next()) Take(*event);
    }
  }

  bool over() const { return over_; }

  // Of a program that is over.
  ProgramAnswer Answer() {
    output_.ReadRest();
    errors_.ReadRest();
    if (!failure_.empty()) return std::unexpected(std::move(failure_));
    if (status_.signal != 0) return Failed("signal " + std::to_string(status_.signal));
    if (status_.exit_code != 0) return Failed("exit code " + std::to_string(status_.exit_code));
    if (output_.text.size() > kMostOutput) return std::unexpected("prints more than 16 MiB");
    return std::move(output_.text);
  }

 private:
  struct Stream {
    std::size_t most;
    Fd read_end{};
    std::string text{};

    void Read() {
      if (!ReadSome(read_end.get(), text, most)) read_end.Reset();
    }
    void ReadRest() {
      while (read_end && ReadSome(read_end.get(), text, most) && errno != EAGAIN) {
      }
    }
  };

  static bool Open(Stream& stream, Fd& write_end) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    stream.read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
    return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
  }

  void Take(const process::KeeperEvent& event) {
    lost_ = lost_ || event.kind == Kind::kGone;
    over_ = over_ || event.kind == Kind::kExited || event.kind == Kind::kFailed;
    if (event.kind == Kind::kExited) status_ = event.status;
    if (event.kind != Kind::kFailed) return;
    failure_ = std::string("cannot be started: ") + std::strerror(event.failure.error_number);
    // The file itself is there: what its first line names is not.
    if (event.failure.error_number == ENOENT) failure_ += " (its interpreter)";
  }

  // With what it said, where that is one line: "env: 'node': No such file or directory".
  ProgramAnswer Failed(std::string how) const {
    const std::string_view said = Trimmed(errors_.text);
    constexpr std::size_t kMost = 200;
    if (!said.empty() && said.size() <= kMost && said.find('\n') == said.npos) how.append(": ").append(said);
    return std::unexpected(std::move(how));
  }

  const ProgramAnswers::Question& question_;
  Stream output_{kMostOutput}, errors_{kMostErrors};
  std::unique_ptr<process::Keeper> keeper_;
  process::ExitStatus status_;
  std::string failure_;
  bool over_ = false;
  bool lost_ = false;  // the keeper
};

}  // namespace

bool IsExecutableFile(const fs::path& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::expected<fs::path, Error> FindProgram(std::string_view name, std::string_view path) {
  while (!path.empty()) {
    const std::size_t colon = path.find(':');
    const std::string_view folder = path.substr(0, colon);
    path.remove_prefix(colon == std::string_view::npos ? path.size() : colon + 1);
    // Relative entries are passed over: they would lead into the workspace.
    if (!folder.starts_with('/')) continue;
    fs::path candidate = fs::path(folder) / name;
    if (IsExecutableFile(candidate)) return candidate;
  }
  return Fail("EXECUTION.AGENT.NOT_INSTALLED", std::string(name) + " was not found on the PATH",
              "Install it, or add its folder to the PATH.");
}

std::string FirstVersion(std::string_view text) {
  const auto digit = [&](std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
  };
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    if (!digit(begin) || (begin > 0 && (digit(begin - 1) || text[begin - 1] == '.'))) continue;
    std::size_t end = begin;
    int parts = 0;
    while (digit(end)) {
      while (digit(end)) ++end;
      if (++parts == 3) return std::string(text.substr(begin, end - begin));
      if (end >= text.size() || text[end] != '.') break;
      ++end;
    }
  }
  return {};
}

ProgramAnswer ProgramAnswers::Ask(const Question& question, const std::stop_token& cancelled) {
  const auto begin = SteadyClock::now();
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Entry>& known = entries_[KeyOf(question)];
    if (!known) known = std::make_shared<Entry>();
    entry = known;
  }
  std::unique_lock asking_lock(entry->asking, std::defer_lock);
  while (!asking_lock.try_lock_for(kSlice)) {
    if (cancelled.stop_requested()) return std::unexpected(kCancelled);
    if (Passed(question.deadline)) return std::unexpected(kOutOfTime);
  }
  if (entry->answer) return *entry->answer;
  const std::string too_late = "no answer in " + Seconds(question.patience);
  if (entry->gave_up > begin) return std::unexpected(too_late);
  const auto until = SteadyClock::now() + question.patience;
  Asking asking(question);
  if (!asking.Start(keeper_program_)) return std::unexpected("this machine has no process or descriptor left for it");
  asking.Wait(*Earlier(until, question.deadline), cancelled);
  if (asking.over()) return *(entry->answer = asking.Answer());
  if (cancelled.stop_requested()) return std::unexpected(kCancelled);
  if (Passed(question.deadline)) return std::unexpected(kOutOfTime);
  entry->gave_up = SteadyClock::now();
  return std::unexpected(SteadyClock::now() < until ? "the process that keeps it was killed" : too_late);
}

ProgramAnswer ProgramAnswers::Version(const fs::path& program, const std::vector<std::string>& environment,
                                      const std::stop_token& cancelled, Deadline deadline) {
  auto answer = Ask({program, {"--version"}, environment, kVersionPatience, deadline}, cancelled);
  if (!answer) return answer;
  std::string version = FirstVersion(*answer);
  if (version.empty()) return std::unexpected(std::string(kTellsNoVersion));
  return version;
}

std::optional<std::string> FactsOfProgram::Ask(const std::vector<std::string>& arguments) const {
  ProgramAnswers::Question question{program_, arguments, environment_};
  question.deadline = deadline_;
  if (auto answer = answers_.Ask(question, cancelled_)) return std::move(*answer);
  return std::nullopt;
}

}  // namespace awf::agents

#include "infrastructure/agents/program_answers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>

#include "domain/time.h"
#include "infrastructure/process/keeper.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

using Kind = process::KeeperEvent::Kind;

constexpr milliseconds kVersionPatience{20'000};  // a Node program on a busy machine needs more than five
constexpr std::size_t kMostOutput = std::size_t{16} << 20;

// Reads what is there; false at the end of the stream.
bool ReadSome(int fd, std::string& text) {
  char buffer[65536];
  const ssize_t count = ::read(fd, buffer, sizeof buffer);
  if (count > 0 && text.size() <= kMostOutput) text.append(buffer, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN));
}

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
  return key;
}

// A program that is being asked.
class Asking {
 public:
  explicit Asking(const ProgramAnswers::Question& question) : question_(question) {}

  // False: it cannot be started.
  bool Start(const fs::path& keeper_program) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read_end_ = Fd(ends[0]);
    const Fd write_end(ends[1]);
    ::fcntl(read_end_.get(), F_SETFL, O_NONBLOCK);
    auto keeper = process::Keeper::Spawn(keeper_program);
    if (!keeper) return false;
    keeper_ = std::move(*keeper);
    std::vector<std::string> argv = {question_.program.string()};
    argv.insert(argv.end(), question_.arguments.begin(), question_.arguments.end());
    keeper_->Start({argv, question_.environment, "/", -1, write_end.get(), -1, false});
    return true;
  }

  // Until it has ended or `until`; false: cancelled.
  bool Wait(SteadyClock::time_point until, const std::stop_token& cancelled) {
    while (!over_ && SteadyClock::now() < until) {
      if (cancelled.stop_requested()) return false;
      pollfd fds[] = {{keeper_->fd(), POLLIN, 0}, {read_end_.get(), POLLIN, 0}};
      constexpr int kSlice = 50;  // how soon a cancel is noticed
      if (::poll(fds, 2, kSlice) < 0 && errno != EINTR) break;
      if (fds[1].revents != 0 && !ReadSome(read_end_.get(), output_)) read_end_.Reset();
      while (const auto event = keeper_->Next()) Take(*event);
    }
    return true;
  }

  std::optional<std::string> Answer() {
    while (read_end_ && ReadSome(read_end_.get(), output_) && errno != EAGAIN) {
    }
    if (!answered_ || output_.size() > kMostOutput) return std::nullopt;
    return std::move(output_);
  }

 private:
  void Take(const process::KeeperEvent& event) {
    over_ = over_ || event.kind == Kind::kExited || event.kind == Kind::kFailed || event.kind == Kind::kGone;
    answered_ = answered_ || (event.kind == Kind::kExited && event.status.signal == 0 && event.status.exit_code == 0);
  }

  const ProgramAnswers::Question& question_;
  Fd read_end_;
  std::unique_ptr<process::Keeper> keeper_;
  std::string output_;
  bool over_ = false, answered_ = false;
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

std::optional<std::string> ProgramAnswers::Ask(const Question& question, const std::stop_token& cancelled) {
  std::shared_ptr<Answer> answer;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Answer>& known = answers_[KeyOf(question)];
    if (!known) known = std::make_shared<Answer>();
    answer = known;
  }
  const std::lock_guard lock(answer->asking);
  if (answer->known) return answer->text;
  const auto until = SteadyClock::now() + question.patience;
  Asking asking(question);
  if (!asking.Start(keeper_program_) || !asking.Wait(until, cancelled)) return std::nullopt;
  answer->text = asking.Answer();
  answer->known = true;
  return answer->text;
}

std::string ProgramAnswers::Version(const fs::path& program, const std::vector<std::string>& environment,
                                    const std::stop_token& cancelled) {
  return FirstVersion(Ask({program, {"--version"}, environment, kVersionPatience}, cancelled).value_or(""));
}

std::optional<std::string> FactsOfProgram::Ask(const std::vector<std::string>& arguments) const {
  return answers_.Ask({program_, arguments, environment_}, cancelled_);
}

}  // namespace awf::agents

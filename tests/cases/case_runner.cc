// case_runner AWF FILE… [--min N] [--filter TEXT] [--jobs N]
//
// Runs cases (README.md) against `awf mcp serve`, each in a fresh folder below /var/tmp and in a process of its own. As
// root everything runs as an ordinary user. Prints each failure with what was expected and what came, then
// "N passed, N failed, N skipped". Exit code 1 when a case failed or fewer than --min ran.
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "case_file.h"
#include "run_case.h"

namespace awf::cases {
namespace {

struct Options {
  std::filesystem::path awf;
  std::vector<std::filesystem::path> files;
  std::string filter;
  std::size_t min = 0, jobs = 2;
};

std::optional<Options> ParseOptions(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!word.starts_with("--")) {
      if (options.awf.empty()) {
        options.awf = std::filesystem::absolute(word);
      } else {
        options.files.emplace_back(word);
      }
      continue;
    }
    if (++i == arguments.size()) return std::nullopt;
    if (word == "--min") {
      options.min = std::stoul(arguments[i]);
    } else if (word == "--jobs") {
      options.jobs = std::max(1UL, std::stoul(arguments[i]));
    } else if (word == "--filter") {
      options.filter = arguments[i];
    } else {
      return std::nullopt;
    }
  }
  if (options.files.empty()) return std::nullopt;
  return options;
}

// A folder for all cases of this run, with a copy of awf that the ordinary user may execute.
class Base {
 public:
  explicit Base(const std::filesystem::path& awf) {
    std::string pattern = "/var/tmp/awf-cases-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) return;
    path_ = pattern;
    ::chmod(path_.c_str(), 0755);
    std::error_code fault;
    std::filesystem::copy_file(awf, Program(), fault);
    if (fault) {
      std::cerr << "cannot copy " << awf << ": " << fault.message() << "\n";
    } else {
      ::chmod(Program().c_str(), 0755);
      usable_ = true;
    }
  }
  ~Base() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;

  bool usable() const { return usable_; }
  std::filesystem::path Program() const { return path_ / "awf"; }
  std::filesystem::path CaseFolder(std::size_t number) const { return path_ / std::to_string(number); }

 private:
  std::filesystem::path path_;
  bool usable_ = false;
};

// A case that runs in a child process; what the child writes into the pipe is its failures.
struct Worker {
  const Case* test = nullptr;
  pid_t pid = 0;
  std::string text;
};

class Pool {
 public:
  explicit Pool(const Base& base) : base_(base) {}

  std::size_t size() const { return workers_.size(); }

  void Start(const Case& test, std::size_t number) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    std::cout.flush();
    const pid_t runner = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != runner) ::_exit(1);
      ::close(ends[0]);
      for (const auto& [fd, other] : workers_) ::close(fd);
      ::_exit(Work(test, number, ends[1]));
    }
    ::close(ends[1]);
    workers_[ends[0]] = {&test, pid, {}};
  }

  // Waits until a case has ended.
  std::pair<const Case*, Verdict> Next() {
    for (;;) {
      std::vector<pollfd> waiting;
      for (const auto& [fd, worker] : workers_) waiting.push_back({fd, POLLIN, 0});
      if (::poll(waiting.data(), waiting.size(), -1) < 0) continue;
      for (const pollfd& ready : waiting) {
        if (ready.revents == 0) continue;
        std::array<char, 4096> bytes{};
        const ssize_t length = ::read(ready.fd, bytes.data(), bytes.size());
        if (length > 0) {
          workers_[ready.fd].text.append(bytes.data(), static_cast<std::size_t>(length));
        } else if (length == 0) {
          return Finish(ready.fd);
        }
      }
    }
  }

 private:
  int Work(const Case& test, std::size_t number, int fd) const {
    constexpr unsigned kLongest = 300;  // seconds; a case that hangs ends by SIGALRM
    ::alarm(kLongest);
    const Verdict verdict = RunCase(test, base_.Program(), base_.CaseFolder(number));
    const ssize_t written = ::write(fd, verdict.text.data(), verdict.text.size());
    return verdict.kind == Verdict::Kind::kPassed ? 0 : static_cast<int>(written < 0) + 1;
  }

  std::pair<const Case*, Verdict> Finish(int fd) {
    Worker worker = std::move(workers_[fd]);
    workers_.erase(fd);
    ::close(fd);
    int status = 0;
    while (::waitpid(worker.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {worker.test, {}};
    if (WIFSIGNALED(status)) worker.text += "  ended by signal " + std::to_string(WTERMSIG(status)) + "\n";
    return {worker.test, {Verdict::Kind::kFailed, worker.text}};
  }

  const Base& base_;
  std::map<int, Worker> workers_;
};

struct Tally {
  std::size_t passed = 0, failed = 0, skipped = 0;

  void Add(const Case& test, const Verdict& verdict) {
    switch (verdict.kind) {
      case Verdict::Kind::kPassed:
        ++passed;
        break;
      case Verdict::Kind::kFailed:
        ++failed;
        std::cout << "FAILED " << test.id << "\n" << verdict.text;
        break;
      case Verdict::Kind::kSkipped:
        ++skipped;
        std::cout << "skipped " << test.id << ": " << verdict.text << "\n";
        break;
    }
  }
};

// Whether nothing failed but bounds of time, which a busy machine breaks as well as a slow server.
bool OnlyTimeFailed(const Verdict& verdict) {
  if (verdict.kind != Verdict::Kind::kFailed) return false;
  std::istringstream lines(verdict.text);
  for (std::string line; std::getline(lines, line);) {
    if (std::ranges::none_of(std::array{"  max_ms:", "  exit_ms:", "  max_cpu_ms:"},
                             [&](const char* start) { return line.starts_with(start); }))
      return false;
  }
  return !verdict.text.empty();
}

// Once more, with nothing beside it that is ours; a server that is slow is slow then, too.
void RunAlone(const std::vector<const Case*>& late, std::size_t number, Pool& pool, Tally& tally) {
  constexpr int kTries = 3;
  for (const Case* test : late) {
    Verdict verdict;
    for (int i = 0; i < kTries; ++i) {
      pool.Start(*test, number++);
      verdict = pool.Next().second;
      if (!OnlyTimeFailed(verdict)) break;
    }
    tally.Add(*test, verdict);
  }
}

int Run(const Options& options) {
  std::vector<Case> cases;
  for (const auto& file : options.files) {
    auto loaded = LoadCases(file);
    if (!loaded) {
      std::cerr << loaded.error() << "\n";
      return 1;
    }
    std::ranges::move(*loaded, std::back_inserter(cases));
  }
  const Base base(options.awf);
  if (!base.usable()) return 1;
  Tally tally;
  Pool pool(base);
  std::vector<const Case*> late;
  const auto take = [&] {
    const auto [test, verdict] = pool.Next();
    if (OnlyTimeFailed(verdict)) {
      late.push_back(test);
    } else {
      tally.Add(*test, verdict);
    }
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].id.find(options.filter) == std::string::npos) continue;
    if (const std::string reason = ReasonToSkip(cases[i]); !reason.empty()) {
      tally.Add(cases[i], {Verdict::Kind::kSkipped, reason});
      continue;
    }
    if (pool.size() >= options.jobs) take();
    pool.Start(cases[i], i);
  }
  while (pool.size() > 0) take();
  RunAlone(late, cases.size(), pool, tally);
  std::cout << tally.passed << " passed, " << tally.failed << " failed, " << tally.skipped << " skipped\n";
  if (tally.passed + tally.failed < options.min) {
    std::cout << "at least " << options.min << " should have run\n";
    return 1;
  }
  return tally.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace awf::cases

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto options = awf::cases::ParseOptions({argv + 1, argv + argc});
  if (!options) {
    std::cerr << "usage: case_runner AWF FILE… [--min N] [--filter TEXT] [--jobs N]\n";
    return 1;
  }
  return awf::cases::Run(*options);
}

#include "program.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <thread>

namespace awf::cases {
namespace {

using namespace std::chrono_literals;

// The environment of scripts has it: what they leave in the background is the case's own.
constexpr const char* kShellMarkName = "CASE_SHELL";
constexpr const char* kShellMark = "CASE_SHELL=1";

// PATH also for root's shells, where sbin may come first.
constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

void LimitTo(int resource, const std::optional<std::size_t>& bytes) {
  if (!bytes) return;
  const rlimit limit{*bytes, *bytes};
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void Become(const Program& program, std::vector<char*>& argv, std::vector<char*>& environment) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(program.stdin_fd < 0 ? null : program.stdin_fd, 0);
  ::dup2(program.stdout_fd < 0 ? null : program.stdout_fd, 1);
  ::dup2(program.stderr_fd < 0 ? null : program.stderr_fd, 2);
  if (program.umask) ::umask(*program.umask);
  LimitTo(RLIMIT_FSIZE, program.max_file);
  LimitTo(RLIMIT_AS, program.max_memory);
  if (::geteuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setgid(kOrdinaryUser) != 0 || ::setuid(kOrdinaryUser) != 0)) {
    ::_exit(126);
  }
  if (::chdir(program.working_dir.c_str()) != 0) ::_exit(126);
  ::execve(argv[0], argv.data(), environment.data());
  ::_exit(127);
}

// `environment` is what /proc shows: entries that end in NUL.
bool Has(const std::string& environment, const std::string& entry) {
  return (std::string(1, '\0') + environment).find('\0' + entry + '\0') != std::string::npos;
}

struct ProcessEntry {
  pid_t pid = 0, parent = 0;
  char state = '?';
};

std::vector<ProcessEntry> Processes() {
  std::vector<ProcessEntry> processes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    ProcessEntry process;
    if (std::from_chars(name.data(), name.data() + name.size(), process.pid).ec != std::errc()) continue;
    const std::string stat = ReadAll(entry.path() / "stat");
    const std::size_t end = stat.rfind(')');
    if (end == std::string::npos || end + 4 > stat.size()) continue;
    process.state = stat[end + 2];
    std::from_chars(stat.data() + end + 4, stat.data() + stat.size(), process.parent);
    processes.push_back(process);
  }
  return processes;
}

std::string EnvironmentOf(pid_t pid) { return ReadAll("/proc/" + std::to_string(pid) + "/environ"); }

}  // namespace

std::string ReadAll(const std::filesystem::path& path) {
  std::string text;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return text;
  char bytes[16384];
  ssize_t length = 0;
  // Of a process that ends meanwhile reading fails, which a stream would throw.
  while ((length = ::read(fd, bytes, sizeof bytes)) > 0) text.append(bytes, static_cast<std::size_t>(length));
  ::close(fd);
  return text;
}

pid_t Start(const Program& program) {
  std::vector<std::string> argv = program.argv, environment;
  for (const auto& [name, value] : program.environment) environment.push_back(name + "=" + value);
  auto argv_pointers = Pointers(argv), environment_pointers = Pointers(environment);
  const pid_t pid = ::fork();
  if (pid == 0) Become(program, argv_pointers, environment_pointers);
  return pid;
}

int RunShell(const std::string& script, const Folders& folders, std::string& output) {
  const auto log = folders.base / "shell-output";
  const int fd = ::open(log.c_str(), O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0666);
  Program shell;
  shell.argv = {"/bin/bash", "-c", script};
  shell.environment = PlainEnvironment(folders);
  shell.environment.insert({{"ROOT", folders.root},
                            {"OUT", folders.out},
                            {"TMP", folders.tmp},
                            {"STDERR", folders.StderrFile()},
                            {kShellMarkName, "1"}});
  std::error_code ignored;
  shell.working_dir = std::filesystem::exists(folders.root, ignored) ? folders.root : folders.base;
  shell.stdout_fd = shell.stderr_fd = fd;
  const pid_t pid = Start(shell);
  ::close(fd);
  int status = -1;
  bool ended = false;
  // The shell's own end counts: what it left in the background goes on.
  for (int i = 0; i < 6000 && !(ended = ::waitpid(pid, &status, WNOHANG) == pid); ++i) {
    std::this_thread::sleep_for(i < 100 ? 1ms : 10ms);
  }
  output = ReadAll(log);
  if (!ended) {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, &status, 0);
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::map<std::string, std::string> PlainEnvironment(const Folders& folders) {
  // A build that counts lines writes its counts where the ordinary user may.
  return {{"PATH", kPath},
          {"HOME", folders.home},
          {"TMPDIR", folders.tmp},
          {"LANG", "C.UTF-8"},
          {"GCOV_PREFIX", folders.base.string() + "/gcov"}};
}

void HandOver(const std::filesystem::path& folder) {
  if (::geteuid() != 0) return;
  if (::chown(folder.c_str(), kOrdinaryUser, kOrdinaryUser) != 0) ::perror(folder.c_str());
}

std::vector<pid_t> LeftBehind(const std::string& mark) {
  std::vector<pid_t> left;
  for (const ProcessEntry& process : Processes()) {
    if (process.state == 'Z' || process.pid == ::getpid()) continue;
    const std::string environment = EnvironmentOf(process.pid);
    if (Has(environment, kShellMark)) continue;
    if (process.parent == ::getpid() || Has(environment, mark)) left.push_back(process.pid);
  }
  return left;
}

std::vector<pid_t> ChildrenOf(pid_t parent) {
  std::vector<pid_t> children;
  for (const ProcessEntry& process : Processes()) {
    if (process.parent == parent) children.push_back(process.pid);
  }
  return children;
}

void KillAll() {
  for (int i = 0; i < 100; ++i) {
    const auto children = ChildrenOf(::getpid());
    if (children.empty()) return;
    for (const pid_t child : children) ::kill(child, SIGKILL);
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    std::this_thread::sleep_for(2ms);
  }
}

}  // namespace awf::cases

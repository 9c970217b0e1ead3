#include "tests/e2e/process_world.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace awf::e2e {
namespace {

namespace fs = std::filesystem;

std::optional<ProcessInfo> Inspect(pid_t pid) {
  const fs::path folder = "/proc/" + std::to_string(pid);
  const std::string stat = FileText(folder / "stat");
  const std::size_t end = stat.rfind(')');  // the name in front may hold anything
  if (end == std::string::npos || end + 4 > stat.size()) return std::nullopt;
  ProcessInfo info;
  info.pid = pid;
  info.state = stat[end + 2];
  info.parent = static_cast<pid_t>(std::strtol(stat.c_str() + end + 4, nullptr, 10));
  std::istringstream words(FileText(folder / "cmdline"));
  for (std::string word; std::getline(words, word, '\0');) info.words.push_back(word);
  return info;
}

}  // namespace

int KillRounds() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kDefault = 2;
#else
  constexpr int kDefault = 20;
#endif
  const char* rounds = std::getenv("AWF_KILL_ROUNDS");
  return rounds ? std::atoi(rounds) : kDefault;
}

void SleepMs(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

std::vector<ProcessInfo> Descendants(pid_t ancestor) {
  std::vector<ProcessInfo> all;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (auto info = Inspect(static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10))))
      all.push_back(std::move(*info));
  }
  std::set<pid_t> below = {ancestor};
  std::vector<ProcessInfo> found;
  for (bool grew = true; grew;) {
    grew = false;
    for (const ProcessInfo& info : all) {
      if (below.contains(info.parent) && below.insert(info.pid).second) {
        grew = true;
        if (info.state != 'Z' && info.state != 'X') found.push_back(info);
      }
    }
  }
  return found;
}

World::World() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (const char* name : {"home", "ws", "storage", "run", "bin", "tmp"}) {
    fs::create_directory(base_ / name);
    fs::permissions(base_ / name, fs::perms::owner_all);
  }
  const char* path = std::getenv("PATH");
  environment_ = {{"PATH", (base_ / "bin").string() + ":" + (path ? path : "/usr/bin:/bin")},
                  {"HOME", (base_ / "home").string()},
                  {"XDG_RUNTIME_DIR", (base_ / "run").string()},
                  {"TMPDIR", (base_ / "tmp").string()},
                  {"LANG", "C.UTF-8"}};
  // What the sanitizers were told goes for the program as well.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"}) {
    if (const char* value = std::getenv(name)) environment_[name] = value;
  }
}

void World::Write(const std::string& name, const std::string& contents, bool executable) const {
  base_.Put(name, contents);
  if (executable) fs::permissions(base_ / name, fs::perms::owner_all);
}

std::string World::Read(const std::string& name) const { return FileText(base_ / name); }

pid_t World::StartAwf(const std::vector<std::string>& arguments) {
  const char* program = std::getenv("AWF_PROGRAM");
  if (program == nullptr) throw std::runtime_error("AWF_PROGRAM is not set");
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment;
  for (const auto& [name, value] : environment_) environment.push_back(name + "=" + value);
  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& entry : environment) envp.push_back(entry.data());
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  const std::string out = Path("stdout").string(), err = Path("stderr").string(), workspace = Path("ws").string();

  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int null = ::open("/dev/null", O_RDONLY);
  const int out_fd = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_fd = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(null, 0);
  ::dup2(out_fd, 1);
  ::dup2(err_fd, 2);
  if (::chdir(workspace.c_str()) != 0) ::_exit(126);
  ::execve(argv[0], argv.data(), envp.data());
  ::_exit(127);
}

int World::Shell(const std::string& command) const {
  std::string script = "cd '" + Path("ws").string() + "' && env -i";
  for (const auto& [name, value] : environment_) script += " " + name + "='" + value + "'";
  Write("command.sh", command + "\n");
  script += " sh '" + Path("command.sh").string() + "' </dev/null >'" + Path("stdout").string() + "' 2>'" +
            Path("stderr").string() + "'";
  const int status = std::system(script.c_str());  // NOLINT(cert-env33-c): the script is ours
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void World::PutPrograms() const {
  fs::create_symlink(std::getenv("AWF_PROGRAM"), Path("bin/awf"));
  fs::create_symlink(std::getenv("AWF_FAKE_CLAUDE"), Path("bin/claude"));
}

fs::path World::RunFolder() const {
  fs::path newest;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(base_ / "storage" / "runs", missing))
    newest = std::max(newest, entry.path());
  return newest;
}

std::vector<std::string> World::PrivateFolders() const {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(base_ / "run" / "awf", missing))
    names.push_back(entry.path().filename().string());
  return names;
}

std::optional<std::chrono::milliseconds> WaitUntilNoChildIsLeft(std::chrono::milliseconds bound, std::string* left,
                                                                std::map<pid_t, int>* statuses) {
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  };
  while (elapsed() < bound) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid > 0) {
      if (statuses) (*statuses)[pid] = status;
    } else if (pid < 0) {
      return elapsed();  // ECHILD
    } else {
      SleepMs(2);
    }
  }
  for (const ProcessInfo& info : Descendants(::getpid())) {
    *left += std::to_string(info.pid) + ":";
    for (const std::string& word : info.words) *left += " " + word;
    *left += "\n";
    ::kill(info.pid, SIGKILL);
  }
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  return std::nullopt;
}

}  // namespace awf::e2e

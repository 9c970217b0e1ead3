#include "session.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace awf::cases {
namespace {

using namespace std::chrono_literals;

constexpr auto kWriteBound = 60s;

void Close(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

int MsUntil(Clock::time_point time) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(time - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1000));
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

const json::object* Answer::Result() const {
  const json::value* result = message.if_contains("result");
  return result == nullptr ? nullptr : result->if_object();
}

std::optional<std::int64_t> Answer::ErrorCode() const {
  const json::value* error = message.if_contains("error");
  if (error == nullptr || !error->is_object() || !error->get_object().contains("code")) return std::nullopt;
  return error->at("code").to_number<std::int64_t>();
}

bool Answer::IsErrorResult() const {
  const json::object* result = Result();
  const json::value* flag = result == nullptr ? nullptr : result->if_contains("isError");
  return flag != nullptr && flag->is_bool() && flag->get_bool();
}

std::string Answer::Text() const {
  if (ErrorCode()) return ToText(message.at("error").at("message").as_string());
  std::string text;
  const json::object* result = Result();
  const json::value* content = result == nullptr ? nullptr : result->if_contains("content");
  if (content == nullptr || !content->is_array()) return text;
  for (const json::value& block : content->get_array()) {
    if (block.is_object() && block.get_object().contains("text")) text += ToText(block.at("text").as_string());
  }
  return text;
}

Session::Session(const SessionOptions& options) : ending_since_(Clock::now()) {
  std::array<int, 2> in{-1, -1}, out{-1, -1}, err{-1, -1};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) return;
  if (options.stderr_undrained) {
    if (::pipe2(err.data(), O_CLOEXEC) != 0) return;
  } else {
    err[1] = ::open(options.folders.StderrFile().c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  }
  ::fcntl(in[1], F_SETFL, O_NONBLOCK);
  in_ = in[1];
  out_ = out[0];
  err_ = err[0];
  StartServer(options, options.stdin_null ? -1 : in[0], out[1], err[1]);
  Close(in[0]);
  Close(out[1]);
  Close(err[1]);
}

Session::~Session() {
  if (pid_ > 0 && !end_) ::kill(pid_, SIGKILL);
  Close(in_);
  Close(out_);
  Close(err_);
}

void Session::StartServer(const SessionOptions& options, int in, int out, int err) {
  Program server;
  server.argv = {options.awf, "mcp", "serve"};
  server.argv.insert(server.argv.end(), options.arguments.begin(), options.arguments.end());
  server.environment = options.environment;
  server.working_dir = options.folders.root;
  server.stdin_fd = in;
  server.stdout_fd = out;
  server.stderr_fd = err;
  server.umask = options.umask;
  server.max_file = options.max_file;
  server.max_memory = options.max_memory;
  if (!options.agent) {
    pid_ = Start(server);
    return;
  }
  const auto pid_file = options.folders.out / "server.pid";
  std::string command;
  for (const std::string& word : server.argv) command += Quoted(word) + " ";
  // A shell gives /dev/null to what it starts in the background, so the pipe goes by way of fd 3.
  server.argv = {"/bin/bash", "-c",
                 "exec 3<&0; " + command + "<&3 & echo $! > " + Quoted(pid_file) + ".new; mv " + Quoted(pid_file) +
                     ".new " + Quoted(pid_file) + "; exec 3<&-; wait"};
  agent_pid_ = Start(server);
  for (int i = 0; i < 5000 && pid_ <= 0; ++i) {
    std::ifstream(pid_file) >> pid_;
    if (pid_ <= 0) std::this_thread::sleep_for(2ms);
  }
}

void Session::ReadSome(int timeout_ms, bool want_write, bool& writable) {
  writable = false;
  std::array<pollfd, 2> waiting{{{reading_ ? out_ : -1, POLLIN, 0}, {want_write ? in_ : -1, POLLOUT, 0}}};
  if (::poll(waiting.data(), waiting.size(), timeout_ms) <= 0) return;
  writable = waiting[1].revents != 0;
  if (waiting[0].revents == 0) return;
  std::array<char, 65536> bytes;
  const ssize_t length = ::read(out_, bytes.data(), bytes.size());
  if (length < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (length <= 0) {
    if (!buffer_.empty()) garbage_.push_back("cut off: " + buffer_.substr(0, 200));
    return Close(out_);
  }
  const std::size_t scanned = buffer_.size();
  buffer_.append(bytes.data(), static_cast<std::size_t>(length));
  std::size_t begin = 0;
  for (std::size_t end = buffer_.find('\n', scanned); end != std::string::npos; end = buffer_.find('\n', begin)) {
    TakeLine(buffer_.substr(begin, end - begin));
    begin = end + 1;
  }
  buffer_.erase(0, begin);
}

void Session::TakeLine(std::string line) {
  boost::system::error_code fault;
  json::value value = json::parse(line, fault);
  json::object* message = fault ? nullptr : value.if_object();
  if (message == nullptr || !message->contains("jsonrpc")) {
    garbage_.push_back(line.substr(0, 200));
    return;
  }
  if (message->contains("method")) return;  // a notification
  const json::value* id = message->if_contains("id");
  answers_.push_back({id == nullptr ? json::value() : *id, *message, std::move(line), Clock::now()});
}

bool Session::Send(const std::string& line) {
  const std::string text = line + "\n";
  const auto bound = Clock::now() + kWriteBound;
  for (std::size_t sent = 0; sent < text.size();) {
    if (in_ < 0 || Clock::now() > bound) return false;
    const ssize_t length = ::write(in_, text.data() + sent, text.size() - sent);
    if (length >= 0) {
      sent += static_cast<std::size_t>(length);
    } else if (errno != EAGAIN && errno != EINTR) {
      return false;
    } else {
      bool writable = false;
      ReadSome(MsUntil(bound), true, writable);
    }
  }
  return true;
}

bool Session::WaitUntil(const std::function<bool()>& done, std::chrono::milliseconds bound) {
  const auto until = Clock::now() + bound;
  while (!done()) {
    if (out_ < 0 || Clock::now() >= until) return false;
    bool ignored = false;
    ReadSome(MsUntil(until), false, ignored);
  }
  return true;
}

void Session::Sleep(std::chrono::milliseconds time) {
  const auto until = Clock::now() + time;
  while (Clock::now() < until) {
    bool ignored = false;
    ReadSome(MsUntil(until), false, ignored);
    if (out_ < 0 || !reading_) std::this_thread::sleep_until(until);
  }
}

void Session::CloseStdin() {
  ending_since_ = Clock::now();
  Close(in_);
}

void Session::CloseStdout() {
  ending_since_ = Clock::now();
  Close(out_);
}

void Session::Kill(int signal, bool agent) {
  ending_since_ = Clock::now();
  const pid_t target = agent ? agent_pid_ : pid_;
  if (target > 0) ::kill(target, signal);  // anything else would mean a group, or every process there is
  if (agent) ::waitpid(agent_pid_, nullptr, 0);
}

const Answer* Session::Find(const json::value& id) const {
  for (const Answer& answer : answers_) {
    if (answer.id == id) return &answer;
  }
  return nullptr;
}

std::optional<Usage> Session::Measure() const {
  Usage usage;
  std::istringstream status(ReadAll("/proc/" + std::to_string(pid_) + "/status"));
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  double kib = 0;
  if (!(status >> kib)) return std::nullopt;
  usage.peak_mb = kib / 1024;
  const std::string stat = ReadAll("/proc/" + std::to_string(pid_) + "/stat");
  std::istringstream fields(stat.substr(stat.rfind(')') + 1));
  std::vector<std::string> words;
  while (fields >> word) words.push_back(word);
  constexpr std::size_t kUser = 11, kSystem = 12;  // counted from the state
  if (words.size() <= kSystem) return std::nullopt;
  const auto ticks = std::stod(words[kUser]) + std::stod(words[kSystem]);
  usage.cpu_ms = ticks * 1000.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  usage.children = ChildrenOf(pid_).size();
  return usage;
}

void Session::ReapServer() {
  if (end_) return;
  int status = 0;
  const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
  if (ended == pid_) {
    end_ =
        ServerEnd{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), WIFSIGNALED(status), Clock::now()};
  } else if (ended < 0 && ::kill(pid_, 0) != 0) {
    end_ = ServerEnd{0, false, Clock::now()};  // reaped by its agent
  }
}

std::optional<ServerEnd> Session::WaitForEnd(std::chrono::milliseconds bound) {
  const auto until = Clock::now() + bound;
  for (ReapServer(); !end_ && Clock::now() < until; ReapServer()) {
    bool ignored = false;
    if (out_ >= 0 && reading_) {
      ReadSome(5, false, ignored);
    } else {
      std::this_thread::sleep_for(1ms);
    }
  }
  // What it wrote last.
  while (end_ && out_ >= 0) {
    bool ignored = false;
    const auto before = buffer_.size() + answers_.size();
    ReadSome(0, false, ignored);
    if (out_ >= 0 && before == buffer_.size() + answers_.size()) break;
  }
  return end_;
}

}  // namespace awf::cases

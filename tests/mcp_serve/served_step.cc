#include "served_step.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <thread>

namespace awf {
namespace {

using namespace std::chrono_literals;

constexpr auto kBound = 30s;  // only to end a test that would hang

}  // namespace

ServedStep::ServedStep() {
  std::filesystem::create_directory(folder_ / "work");
  config_.socket = folder_ / "channel";
  config_.token = "0123456789abcdef0123456789abcdef";
  config_.tools.root = folder_ / "work";
  config_.tools.environment = {"PATH=/usr/bin:/bin"};
  auto parent = channel::StepChannelServer::Listen(config_.socket, config_.token);
  EXPECT_TRUE(parent);
  if (parent) parent_ = std::move(*parent);
}

ServedStep::~ServedStep() {
  in_.Reset();
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

void ServedStep::WriteConfig(const std::string& text) {
  std::ofstream(ConfigFile()) << text;
  EXPECT_EQ(::chmod(ConfigFile().c_str(), 0600), 0);
}

void ServedStep::Start() {
  WriteConfig(EncodeServeConfig(config_));
  Run();
}

void ServedStep::Run() {
  const char* awf = std::getenv("AWF_PROGRAM");
  ASSERT_NE(awf, nullptr);
  std::array<int, 2> in{}, out{};
  ASSERT_EQ(::pipe2(in.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(out.data(), O_CLOEXEC), 0);
  const Fd err(::open(Path("stderr").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const std::string file = ConfigFile();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::dup2(err.get(), 2);
    ::execl(awf, awf, "mcp-serve", "--config", file.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  in_ = Fd(in[1]);
  out_ = Fd(out[0]);
}

void ServedStep::Send(const std::string& line) {
  const std::string text = line + "\n";
  EXPECT_EQ(::write(in_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

json::object ServedStep::Answer(const json::value& id) {
  const auto found = [&] {
    return std::ranges::find_if(answers_, [&](const json::object& answer) {
      const json::value* own = answer.if_contains("id");
      return own != nullptr && *own == id;
    });
  };
  // The channel is served only while there is no answer: what was to come before it has arrived when it is read.
  const auto until = std::chrono::steady_clock::now() + kBound;
  while (found() == answers_.end() && std::chrono::steady_clock::now() < until) {
    ServeOnce();
    ReadAnswers();
  }
  EXPECT_NE(found(), answers_.end()) << "no answer to " << json::serialize(id) << "; stderr: " << Stderr();
  return found() == answers_.end() ? json::object() : *found();
}

void ServedStep::ReadAnswers() {
  pollfd waiting{out_.get(), POLLIN, 0};
  if (::poll(&waiting, 1, 5) <= 0) return;
  std::array<char, 65536> bytes;
  const ssize_t length = ::read(out_.get(), bytes.data(), bytes.size());
  if (length <= 0) return;
  text_.append(bytes.data(), static_cast<std::size_t>(length));
  for (std::size_t end = text_.find('\n'); end != std::string::npos; end = text_.find('\n')) {
    answers_.push_back(json::parse(text_.substr(0, end)).as_object());
    text_.erase(0, end + 1);
  }
}

void ServedStep::Kill(int signal) {
  ASSERT_GT(pid_, 0);  // anything else would mean a group, or every process there is
  ::kill(pid_, signal);
}

int ServedStep::WaitForEnd() {
  int status = 0;
  const auto until = std::chrono::steady_clock::now() + kBound;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > until) return -1;
    ServeOnce();
    std::this_thread::sleep_for(1ms);
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool ServedStep::ServeUntil(const std::function<bool()>& done) {
  const auto until = std::chrono::steady_clock::now() + kBound;
  while (!done()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ServeOnce();
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

void ServedStep::ServeOnce() {
  if (!parent_) return;
  for (channel::ServerEvent& event : parent_->Handle()) events_.push_back(std::move(event));
}

void ServedStep::SendResult(const channel::PluginResult& result) {
  EXPECT_TRUE(parent_->Send(1, channel::EncodeResult(result)));
}

std::size_t ServedStep::Count(channel::ServerEvent::Kind kind) const {
  return static_cast<std::size_t>(std::ranges::count(events_, kind, &channel::ServerEvent::kind));
}

std::string ServedStep::Stderr() const { return FileText(Path("stderr")); }

std::string InitializeLine() {
  return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",)"
         R"("capabilities":{},"clientInfo":{"name":"test-client","version":"7"}}})";
}

std::string CallLine(int id, const std::string& tool, const json::object& arguments) {
  return json::serialize(json::object{{"jsonrpc", "2.0"},
                                      {"id", id},
                                      {"method", "tools/call"},
                                      {"params", {{"name", tool}, {"arguments", arguments}}}});
}

}  // namespace awf

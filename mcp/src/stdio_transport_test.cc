// What needs a process of its own: descriptors 0 to 2, limits of memory, the log on stderr.
#include "mcp/stdio_transport.h"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "test_client.h"

namespace mcp {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// A child process whose fds 0 to 2 are pipes to us and that runs body; its exit status is what body returns.
class Child {
 public:
  explicit Child(const std::function<int()>& body) : Child(body, MakePipes(), Pipe()) {}
  ~Child() {
    if (pid_ <= 0) return;  // fork failed; -1 would mean every process there is
    ::kill(pid_, SIGKILL);
    if (!reaped_) ::waitpid(pid_, nullptr, 0);
    ::close(errors_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int Wait() {
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    reaped_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // All that the child wrote to its stderr; after its end.
  std::string Errors() const {
    std::string text;
    char chunk[4096];
    for (ssize_t got = 0; (got = ::read(errors_, chunk, sizeof chunk)) > 0;) {
      text.append(chunk, static_cast<std::size_t>(got));
    }
    return text;
  }

  TestClient client;

 private:
  static std::pair<int, int> Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    return {ends[0], ends[1]};
  }
  Child(const std::function<int()>& body, Ends ends, std::pair<int, int> errors)
      : client(ends.client_in, ends.client_out), pid_(::fork()), errors_(errors.first) {
    if (pid_ == 0) {
      ::dup2(ends.server_in, 0);
      ::dup2(ends.server_out, 1);
      ::dup2(errors.second, 2);
      client.CloseRead();
      client.CloseWrite();
      for (const int fd : {ends.server_in, ends.server_out, errors.first, errors.second}) ::close(fd);
      ::_exit(body());
    }
    for (const int fd : {ends.server_in, ends.server_out, errors.second}) ::close(fd);
  }

  pid_t pid_;
  int errors_;
  bool reaped_ = false;
};

int ServeStdio(CallHandler handler, Options options = {}) {
  auto transport = StdioTransport::TakeOver();
  if (!transport) return 9;
  Server server({"srv", "1", ""}, std::move(handler), std::move(options));
  return server.Serve(**transport).has_value() ? 0 : 8;
}

// Bugs 14 to 16 and 39: neither our own prints nor a command can write into the protocol, or read from it.
TEST(StdioTransportTest, Bug14To16And39KeepsTheProtocolToItself) {
  Child child([] {
    return ServeStdio([](CallContext&, std::string_view, const json::object&) -> std::expected<CallResult, CallError> {
      std::puts("noise of a library");
      std::fflush(stdout);
      if (::write(1, "raw noise\n", 10) != 10) return std::unexpected(CallError{.message = "write"});
      const char* const arguments[] = {"sh", "-c", "cat; echo noise of a command; ls /proc/self/fd | wc -l", nullptr};
      pid_t pid = -1;
      if (::posix_spawnp(&pid, "sh", nullptr, nullptr, const_cast<char* const*>(arguments), nullptr) != 0) {
        return std::unexpected(CallError{.message = "spawn"});
      }
      int status = -1;
      ::waitpid(pid, &status, 0);
      return CallResult{{TextContent{std::to_string(status)}}, false, {}};
    });
  });
  child.client.Write(CallText("1", "t") + "\n" + PingText("2") + "\n");
  std::vector<std::string> lines = {child.client.Line().value_or(""), child.client.Line().value_or("")};
  std::ranges::sort(lines);
  EXPECT_EQ(lines, (std::vector<std::string>{TextAnswer("1", "0"), Pong("2")}));
  child.client.CloseWrite();
  EXPECT_EQ(child.client.Line(), std::nullopt);
  EXPECT_EQ(child.Wait(), 0);
  const std::string errors = child.Errors();
  EXPECT_NE(errors.find("noise of a library\nraw noise\nnoise of a command\n"), std::string::npos) << errors;
}

TEST(StdioTransportTest, MovesTheProtocolAboveTwoWithCloseOnExec) {
  Child child([] {
    std::vector<bool> before;  // what this process was started with is not ours to judge
    for (int fd = 0; fd < 64; ++fd) before.push_back(::fcntl(fd, F_GETFD) >= 0);
    auto transport = StdioTransport::TakeOver();
    if (!transport) return 9;
    for (int fd = 3; fd < 64; ++fd) {
      const int flags = ::fcntl(fd, F_GETFD);
      if (!before[static_cast<std::size_t>(fd)] && flags >= 0 && (flags & FD_CLOEXEC) == 0) return 7;
    }
    char byte = 0;
    if (::read(0, &byte, 1) != 0) return 6;
    if ((::fcntl(0, F_GETFD) | ::fcntl(1, F_GETFD) | ::fcntl(2, F_GETFD)) != 0) return 5;
    return (*transport)->WriteFrame("{}") ? 0 : 4;
  });
  EXPECT_EQ(child.client.Line(), "{}");
  EXPECT_EQ(child.Wait(), 0);
}

TEST(StdioTransportTest, WorksWithoutStderrAndFailsWithoutStdin) {
  Child without_stderr([] {
    ::close(2);
    auto transport = StdioTransport::TakeOver();
    return transport && ::write(2, "x", 1) == 1 && ::write(1, "x", 1) == 1 && (*transport)->WriteFrame("{}") ? 0 : 1;
  });
  EXPECT_EQ(without_stderr.client.Line(), "{}");
  EXPECT_EQ(without_stderr.Wait(), 0);
  Child without_stdin([] {
    ::close(0);
    return StdioTransport::TakeOver() ? 1 : 0;
  });
  EXPECT_EQ(without_stdin.Wait(), 0);
}

// Bug 43: a stderr that nobody reads never stops anything; lines that do not fit are dropped whole.
TEST(StderrLogTest, Bug43DropsWhatDoesNotFit) {
  Child child([] {
    for (int i = 0; i < 200; ++i) LogToStderr("one\ntwo " + std::string(5000, 'x'));
    return 0;
  });
  EXPECT_EQ(child.Wait(), 0);
  const std::string errors = child.Errors();
  EXPECT_GE(errors.size(), 4096U);
  EXPECT_EQ(errors.size() % 4096, 0U);
  EXPECT_TRUE(errors.starts_with("one two xxx"));
  for (std::size_t i = 0; i < errors.size(); ++i) ASSERT_EQ(errors[i] == '\n', i % 4096 == 4095) << i;
}

// A message for which the memory does not suffice gets an error, and the server goes on.
TEST(ServerMemoryTest, SurvivesWithoutMemory) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need the address space";
  Child child([] {
    const rlimit limit{std::size_t{300} << 20, std::size_t{300} << 20};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) return 7;
    return ServeStdio(
        [](CallContext&, std::string_view, const json::object& arguments) -> std::expected<CallResult, CallError> {
          return CallResult{{TextContent{json::value_to<std::string>(arguments.at("x"))}}, false, {}};
        });
  });
  child.client.Send(CallText("1", "t", R"({"x":")" + std::string(60'000'000, 'x') + R"("})"));
  child.client.Send(PingText("2"));
  std::vector<std::string> ids;
  for (int i = 0; i < 2; ++i) {
    const auto line = child.client.Line();
    ASSERT_TRUE(line);
    ids.push_back(json::serialize(json::parse(*line).at("id")));
  }
  std::ranges::sort(ids);
  EXPECT_EQ(ids, (std::vector<std::string>{"1", "2"}));
  child.client.CloseWrite();
  EXPECT_EQ(child.Wait(), 0);
}

// Bytes of this process in memory.
std::size_t Resident() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(::getpagesize());
}

// Bug 31: what a large message needed is given back.
TEST(ServerMemoryTest, Bug31ReturnsTheMemoryOfALargeMessage) {
  if (kSanitized) GTEST_SKIP() << "sanitizers keep freed memory";
  Child child([] {
    return ServeStdio(
        [](CallContext&, std::string_view tool, const json::object& arguments) -> std::expected<CallResult, CallError> {
          if (tool == "resident") return CallResult{{TextContent{std::to_string(Resident())}}, false, {}};
          return CallResult{{TextContent{json::value_to<std::string>(arguments.at("x"))}}, false, {}};
        });
  });
  const auto resident = [&] {
    child.client.Send(CallText("2", "resident"));
    const json::value answer = json::parse(child.client.Line().value_or("null"));
    return std::stoul(json::value_to<std::string>(answer.at("result").at("content").at(0).at("text")));
  };
  constexpr std::size_t kMessage = 20'000'000;
  const std::size_t bound = resident() + kMessage / 4;
  std::thread writer(
      [&] { child.client.Send(CallText("1", "t", R"({"x":")" + std::string(kMessage, 'x') + R"("})")); });
  EXPECT_GT(child.client.Line().value_or("").size(), kMessage);
  writer.join();
  // The last of it is freed a moment after the answer was written.
  for (int tries = 0; resident() > bound; ++tries) {
    ASSERT_LT(tries, 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

TEST(StdioTransportTest, ServesOverOneSocketForBothWays) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  TestServer test([](CallContext&, std::string_view,
                     const json::object&) -> std::expected<CallResult, CallError> { return CallResult{}; },
                  {}, Ends{ends[0], ends[0], ends[1], ::fcntl(ends[1], F_DUPFD_CLOEXEC, 0)});
  test.Start();
  test.client.Send(PingText("1"));
  EXPECT_EQ(test.client.Line(), Pong("1"));
  test.client.ShutWrite();
  EXPECT_EQ(test.Join(), EndReason::kEof);
}

}  // namespace
}  // namespace mcp

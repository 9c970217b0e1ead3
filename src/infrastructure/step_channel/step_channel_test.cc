// Client and server of the step channel against each other, and against peers that misbehave.
#include "infrastructure/step_channel/step_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <thread>

#include "domain/random_id.h"
#include "domain/test_folder.h"
#include "infrastructure/step_channel/handshake.h"
#include "infrastructure/step_channel/peer.h"
#include "infrastructure/step_channel/test_channel.h"
#include "infrastructure/step_channel/unix_socket.h"

namespace awf::channel {
namespace {

TEST_F(StepChannelTest, SocketIsForItsOwnerAlone) {
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(StepChannelTest, DeliversMessagesInOrderWithThePeersPid) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  EXPECT_EQ(server_->LivePeers(), std::vector<pid_t>{::getpid()});
  EXPECT_TRUE(client->Send(Ready{"c", "1", "2025-11-25"}));
  EXPECT_TRUE(client->Send(ToolsListed{1, {"Read"}, "x"}));
  const auto events = ServeUntil(ServerEvent::Kind::kMessage, 2);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<Ready>(*events[0].message));
  EXPECT_TRUE(std::holds_alternative<ToolsListed>(*events[1].message));
  EXPECT_EQ(events[0].pid, ::getpid());
  EXPECT_EQ(events[0].connection, 1U);
}

TEST_F(StepChannelTest, TellsTheEndAndWhetherByeWasSaid) {
  auto client = Connected();
  ASSERT_TRUE(client);
  client->Send(Bye{});
  client.reset();
  const ServerEvent polite = ServeUntil(ServerEvent::Kind::kClosed).back();
  EXPECT_TRUE(polite.said_bye);
  EXPECT_EQ(polite.reason, "");
  EXPECT_TRUE(server_->LivePeers().empty());

  client = Connected();
  ASSERT_TRUE(client);
  client->Send(Ready{});
  client.reset();
  const auto events = ServeUntil(ServerEvent::Kind::kClosed);
  ASSERT_EQ(events.size(), 2U);  // what was sent before the end is not lost
  EXPECT_EQ(events[0].kind, ServerEvent::Kind::kMessage);
  EXPECT_FALSE(events[1].said_bye);
  EXPECT_EQ(events[1].connection, 2U);
}

TEST_F(StepChannelTest, ManyThreadsNeverMixTheirLines) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  constexpr int kThreads = 4, kEach = 200;
  std::vector<std::thread> senders;
  for (int i = 0; i < kThreads; ++i) {
    senders.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) EXPECT_TRUE(client->Send(ToolsListed{1, {"Read"}, std::string(10'000, 'x')}));
    });
  }
  const auto events = ServeUntil(ServerEvent::Kind::kMessage, kThreads * kEach);
  for (std::thread& sender : senders) sender.join();
  for (const ServerEvent& event : events) {
    ASSERT_EQ(event.kind, ServerEvent::Kind::kMessage);
    EXPECT_EQ(std::get<ToolsListed>(*event.message).digest_input.size(), 10'000U);
  }
}

TEST_F(StepChannelTest, SendFailsOnceTheParentIsGone) {
  const auto client = Connected();
  ASSERT_TRUE(client);
  server_.reset();
  pollfd waiting{client->fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&waiting, 1, 30'000), 1);
  EXPECT_FALSE(client->Send(Bye{}));
  EXPECT_FALSE(client->Send(Bye{}));
}

TEST_F(StepChannelTest, RefusesAWrongToken) {
  ServerEvent event;
  EXPECT_EQ(RawPeer(HelloLine("wrong", 1), event), RefusedLine("wrong token"));
  EXPECT_EQ(event.reason, "wrong token");
  EXPECT_EQ(event.pid, ::getpid());
  EXPECT_TRUE(server_->LivePeers().empty());
}

TEST_F(StepChannelTest, ClientTellsWhyItWasRefused) {
  std::expected<std::unique_ptr<StepChannelClient>, Error> client = Fail("", "not run");
  std::thread connecting([&] { client = StepChannelClient::Connect(path_, "wrong"); });
  ServeUntil(ServerEvent::Kind::kRefused);
  connecting.join();
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, "EXECUTION.MCP_PROXY.NOT_CONNECTED");
  EXPECT_EQ(client.error().message, "no step channel: refused: wrong token");
}

TEST_F(StepChannelTest, ClientTellsWhyItWasRefusedBeforeItSaidHello) {
  // Whether the peer closes before hello or after it is a race; both must end alike.
  const auto path = folder_ / "hasty";
  auto listener = ListenUnix(path);
  ASSERT_TRUE(listener) << listener.error();
  constexpr int kRounds = 200;
  std::thread refusing([&] {
    const std::string refused = RefusedLine("not you");
    for (int i = 0; i < kRounds; ++i) {
      pollfd waiting{listener->get(), POLLIN, 0};
      ::poll(&waiting, 1, 10'000);
      const Fd peer(::accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (peer) ::send(peer.get(), refused.data(), refused.size(), MSG_NOSIGNAL);
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    const auto client = StepChannelClient::Connect(path, kToken);
    EXPECT_EQ(client ? "connected" : client.error().message, "no step channel: refused: not you");
  }
  refusing.join();
}

TEST_F(StepChannelTest, ConnectFailsWithoutAServer) {
  const auto client = StepChannelClient::Connect(folder_ / "nothing", kToken);
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().message.find("No such file or directory"), std::string::npos);
}

TEST_F(StepChannelTest, RefusesAnotherVersion) {
  ServerEvent event;
  RawPeer(R"({"type":"hello","version":2,"token":"0123456789abcdef","pid":1})"
          "\n",
          event);
  EXPECT_EQ(event.reason, "channel version 2, expected 1");
}

TEST_F(StepChannelTest, RefusesWhatIsNoHello) {
  ServerEvent event;
  RawPeer("{\"type\":\"ready\"}\n", event);
  EXPECT_EQ(event.reason, "the first message is not hello");
  RawPeer("GET / HTTP/1.1\r\n", event);
  EXPECT_EQ(event.reason.substr(0, 16), "line is not JSON");
  RawPeer(std::string(100 << 10, 'x'), event);
  EXPECT_EQ(event.reason, "line too long");
}

TEST_F(StepChannelTest, DropsAPeerThatSendsNonsense) {
  std::thread talking([&] {
    const auto fd = ConnectUnix(path_);
    ASSERT_TRUE(fd) << fd.error();
    const std::string text = HelloLine(kToken, 1) + "{\"type\":\"bye\"}\nnonsense\n{\"type\":\"bye\"}\n";
    ::send(fd->get(), text.data(), text.size(), MSG_NOSIGNAL);
    std::array<char, 4096> bytes{};
    while (::recv(fd->get(), bytes.data(), bytes.size(), 0) > 0) {
    }
  });
  const auto events = ServeUntil(ServerEvent::Kind::kClosed);
  talking.join();
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].kind, ServerEvent::Kind::kConnected);
  EXPECT_EQ(events[1].kind, ServerEvent::Kind::kMessage);
  EXPECT_EQ(events[2].reason.substr(0, 16), "line is not JSON");
}

TEST_F(StepChannelTest, SilentConnectionsDoNotKeepOthersOut) {
  std::vector<Fd> silent;
  for (int i = 0; i < 100; ++i) {
    auto fd = ConnectUnix(path_);
    ASSERT_TRUE(fd) << fd.error();
    silent.push_back(std::move(*fd));
    server_->Handle();
  }
  std::vector<pollfd> fds;
  server_->AddFds(fds);
  EXPECT_LE(fds.size(), 65U);
  EXPECT_TRUE(Connected());
}

// Runs `child` in a forked process, which must end with exit code 0.
void InChild(const std::function<int()>& child, const std::function<void(pid_t)>& meanwhile) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) ::_exit(child());
  meanwhile(pid);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// What a command of a server would do that found the token: connect by itself.
int TryToConnect(const std::filesystem::path& path) {
  const auto fd = ConnectUnix(path);
  if (!fd) return 1;
  const std::string hello = HelloLine(kToken, ::getpid());
  ::send(fd->get(), hello.data(), hello.size(), MSG_NOSIGNAL);
  std::array<char, 1024> answer{};
  const ssize_t length = ::recv(fd->get(), answer.data(), answer.size(), 0);
  return std::string_view(answer.data(), length > 0 ? static_cast<std::size_t>(length) : 0) == WelcomeLine() ? 10 : 20;
}

TEST_F(StepChannelTest, RefusesDescendantsOfAServer) {
  const auto serving = [&] {
    // A server process: connects, then a "command" of it tries the same, by way of a grandchild.
    const auto fd = ConnectUnix(path_);
    if (!fd) return 1;
    const std::string hello = HelloLine(kToken, ::getpid());
    ::send(fd->get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    std::array<char, 1024> answer{};
    if (::recv(fd->get(), answer.data(), answer.size(), 0) <= 0) return 2;
    const pid_t command = ::fork();
    if (command == 0) {
      const pid_t grandchild = ::fork();
      if (grandchild == 0) ::_exit(TryToConnect(path_));
      int status = 0;
      ::waitpid(grandchild, &status, 0);
      ::_exit(WEXITSTATUS(status));
    }
    int status = 0;
    ::waitpid(command, &status, 0);
    return WEXITSTATUS(status) == 20 ? 0 : 3;
  };
  InChild(serving, [&](pid_t pid) {
    ServeUntil(ServerEvent::Kind::kConnected);
    EXPECT_EQ(server_->LivePeers(), std::vector<pid_t>{pid});
    const ServerEvent refused = ServeUntil(ServerEvent::Kind::kRefused).back();
    EXPECT_EQ(refused.reason, "the process descends from a server of this step");
  });
}

TEST_F(StepChannelTest, AcceptsASecondServerOfTheSameAgent) {
  std::array<int, 2> hold{};
  ASSERT_EQ(::pipe2(hold.data(), O_CLOEXEC), 0);
  const Fd release(hold[0]);
  Fd held(hold[1]);
  const auto first = [&] {
    held.Reset();
    const auto fd = ConnectUnix(path_);
    if (!fd) return 1;
    const std::string hello = HelloLine(kToken, ::getpid());
    ::send(fd->get(), hello.data(), hello.size(), MSG_NOSIGNAL);
    char byte = 0;
    return ::read(release.get(), &byte, 1) == 0 ? 0 : 2;  // until the test lets go
  };
  InChild(first, [&](pid_t) {
    ServeUntil(ServerEvent::Kind::kConnected);
    InChild([&] { return TryToConnect(path_) == 10 ? 0 : 1; },
            [&](pid_t) { ServeUntil(ServerEvent::Kind::kConnected); });
    held.Reset();
  });
}

TEST_F(StepChannelTest, LongPathsWork) {
  const auto deep = folder_ / std::string(150, 'd');
  std::filesystem::create_directory(deep);
  server_.reset();
  Listen(deep / "channel");
  EXPECT_TRUE(std::filesystem::is_socket(path_));
  EXPECT_TRUE(Connected());
}

TEST_F(StepChannelTest, ListenFailsWhereSomethingStands) {
  const auto second = StepChannelServer::Listen(path_, "t");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, "SYSTEM.IO.WRITE_FAILED");
}

TEST_F(StepChannelTest, RemovesItsSocketAtTheEnd) {
  server_.reset();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST(CheckDescent, WalksUpToThisProcess) {
  EXPECT_TRUE(CheckDescent(::getpid(), {}));
  EXPECT_TRUE(CheckDescent(::getppid(), {}));
  EXPECT_FALSE(CheckDescent(0, {}));
  const std::vector<pid_t> known{::getpid()};
  EXPECT_FALSE(CheckDescent(::getpid(), known));
}

}  // namespace
}  // namespace awf::channel

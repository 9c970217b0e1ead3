// For tests of the step channel: a server that is served by the test, and peers to connect to it.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/step_channel/step_channel.h"
#include "infrastructure/step_channel/unix_socket.h"

namespace awf::channel {

inline constexpr std::string_view kToken = "0123456789abcdef";

class StepChannelTest : public testing::Test {
 protected:
  void SetUp() override { Listen(folder_ / "channel"); }

  void Listen(const std::filesystem::path& path) {
    path_ = path;
    auto server = StepChannelServer::Listen(path, std::string(kToken));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }

  // Serves until `count` events of the kind have come; bounded, so that a defect does not hang the test.
  std::vector<ServerEvent> ServeUntil(ServerEvent::Kind kind, int count = 1) {
    std::vector<ServerEvent> events;
    const auto until = SteadyClock::now() + std::chrono::seconds(60);
    while (count > 0 && SteadyClock::now() < until) {
      std::vector<pollfd> waiting;
      server_->AddFds(waiting);
      ::poll(waiting.data(), waiting.size(), 10);
      for (ServerEvent& event : server_->Handle()) {
        if (event.kind == kind) --count;
        events.push_back(std::move(event));
      }
    }
    EXPECT_EQ(count, 0) << "event did not come";
    return events;
  }

  // Connects on a thread, since the handshake needs both sides.
  std::unique_ptr<StepChannelClient> Connected() {
    std::expected<std::unique_ptr<StepChannelClient>, Error> client = Fail("", "not run");
    std::thread connecting([&] { client = StepChannelClient::Connect(path_, kToken); });
    const auto events = ServeUntil(ServerEvent::Kind::kConnected);
    connecting.join();
    EXPECT_TRUE(client) << client.error().message;
    return client ? std::move(*client) : nullptr;
  }

  // A raw peer that sends `text` and reads until the end; returns what it got.
  std::string RawPeer(const std::string& text, ServerEvent& last) {
    std::string answer;
    std::thread talking([&] {
      const auto fd = ConnectUnix(path_);
      ASSERT_TRUE(fd) << fd.error();
      ::send(fd->get(), text.data(), text.size(), MSG_NOSIGNAL);
      std::array<char, 4096> bytes{};
      ssize_t length = 0;
      while ((length = ::recv(fd->get(), bytes.data(), bytes.size(), 0)) > 0) {
        answer.append(bytes.data(), static_cast<std::size_t>(length));
      }
    });
    last = ServeUntil(ServerEvent::Kind::kRefused).back();
    talking.join();
    return answer;
  }

  const TestFolder folder_;
  std::filesystem::path path_;
  std::unique_ptr<StepChannelServer> server_;
};

}  // namespace awf::channel

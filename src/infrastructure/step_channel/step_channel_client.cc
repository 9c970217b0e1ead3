// mcp-serve's side of the step channel.
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "domain/time.h"
#include "infrastructure/step_channel/handshake.h"
#include "infrastructure/step_channel/line_buffer.h"
#include "infrastructure/step_channel/step_channel.h"
#include "infrastructure/step_channel/unix_socket.h"

namespace awf::channel {
namespace {

std::unexpected<Error> NotConnected(const std::string& why) {
  return Fail("EXECUTION.MCP_PROXY.NOT_CONNECTED", "no step channel: " + why,
              "awf mcp-serve is started by the agent of a running `awf run`; use `awf mcp serve` by hand.");
}

// The whole text or nothing more: a peer that is gone is no reason to die of SIGPIPE.
bool SendAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::expected<std::string, std::string> ReceiveLine(int fd, const Deadline& deadline) {
  constexpr std::size_t kLongestAnswer = 64 << 10;
  LineBuffer buffer(kLongestAnswer);
  while (!buffer.TooLong()) {
    pollfd waiting{fd, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, RemainingMs(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::unexpected("no answer from awf run");
    std::array<char, 4096> bytes{};
    const ssize_t length = ::recv(fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (length < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (length <= 0) return std::unexpected("awf run closed the connection");
    buffer.Append({bytes.data(), static_cast<std::size_t>(length)});
    if (const auto line = buffer.Next()) return std::string(*line);
  }
  return std::unexpected("the answer to hello is too long");
}

}  // namespace

struct StepChannelClient::State {
  Fd socket;
  std::mutex writing;
  bool lost = false;  // under `writing`: a line may be half out, nothing may follow it
  std::atomic<bool> ending = false;
  std::thread reading;

  // Until the parent goes, or does what it should not.
  void Read(const std::function<void(PluginResult)>& result) const;
};

void StepChannelClient::State::Read(const std::function<void(PluginResult)>& result) const {
  LineBuffer lines;
  std::vector<char> bytes(std::size_t{64} << 10);
  while (!lines.TooLong()) {
    const ssize_t length = ::recv(socket.get(), bytes.data(), bytes.size(), 0);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return;
    lines.Append({bytes.data(), static_cast<std::size_t>(length)});
    while (const auto line = lines.Next()) {
      auto read = DecodeResult(*line);
      if (!read) return;
      result(std::move(*read));
    }
  }
}

StepChannelClient::StepChannelClient(Fd socket) : state_(std::make_unique<State>()) {
  state_->socket = std::move(socket);
}

StepChannelClient::~StepChannelClient() {
  if (!state_->reading.joinable()) return;
  state_->ending = true;
  // Of what was sent the parent gets everything all the same.
  ::shutdown(state_->socket.get(), SHUT_RDWR);
  state_->reading.join();
}

std::expected<std::unique_ptr<StepChannelClient>, Error> StepChannelClient::Connect(const std::filesystem::path& socket,
                                                                                    std::string_view token) {
  auto connected = ConnectUnix(socket);
  if (!connected) return NotConnected(connected.error());
  // awf may refuse a process and close before hello comes: the reason is there to be read all the same.
  const bool sent = SendAll(connected->get(), HelloLine(token, ::getpid()));
  const auto answer = ReceiveLine(connected->get(), SteadyClock::now() + std::chrono::seconds(5));
  if (!answer) return NotConnected(sent ? answer.error() : "hello could not be sent");
  if (const auto welcome = ReadAnswer(*answer); !welcome) return NotConnected("refused: " + welcome.error());
  return std::unique_ptr<StepChannelClient>(new StepChannelClient(std::move(*connected)));
}

bool StepChannelClient::Send(const Message& message) { return SendLine(Encode(message)); }

bool StepChannelClient::SendLine(std::string line) {
  if (line.size() > kMaxLine) return false;
  line.push_back('\n');
  const std::lock_guard lock(state_->writing);
  if (!state_->lost) state_->lost = !SendAll(state_->socket.get(), line);
  return !state_->lost;
}

bool StepChannelClient::ReadResults(std::function<void(PluginResult)> result, std::function<void()> lost) {
  try {
    state_->reading = std::thread([state = state_.get(), result = std::move(result), lost = std::move(lost)] {
      state->Read(result);
      if (!state->ending) lost();
    });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

int StepChannelClient::fd() const { return state_->socket.get(); }

}  // namespace awf::channel

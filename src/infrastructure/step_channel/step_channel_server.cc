// awf's side of the step channel.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <deque>
#include <list>
#include <utility>

#include "infrastructure/step_channel/handshake.h"
#include "infrastructure/step_channel/line_buffer.h"
#include "infrastructure/step_channel/peer.h"
#include "infrastructure/step_channel/step_channel.h"
#include "infrastructure/step_channel/unix_socket.h"

namespace awf::channel {
namespace {

// A CLI starts a handful of servers per step. Whoever opens more wants to use our descriptors up.
constexpr std::size_t kMaxConnections = 64;
// Of hello, from a peer that nothing is known of yet.
constexpr std::size_t kMaxHello = std::size_t{64} << 10;
// Read from one connection before the others get their turn.
constexpr std::size_t kMaxBytesPerTurn = std::size_t{4} << 20;

struct Connection {
  Fd socket;
  Peer peer;
  LineBuffer lines{kMaxHello};
  std::uint64_t number = 0;  // 0 until welcomed
  bool said_bye = false;
  bool ended = false;
  std::deque<std::string> unsent;  // lines
  std::size_t unsent_bytes = 0;
  std::size_t sent_of_first = 0;

  void Forget() {
    unsent.clear();
    unsent_bytes = sent_of_first = 0;
  }
  // As much as fits. A peer that is gone takes nothing any more, but what it has said is still to be read.
  void Write() {
    while (!unsent.empty()) {
      const std::string_view rest = std::string_view(unsent.front()).substr(sent_of_first);
      const ssize_t sent = ::send(socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
      if (sent < 0) return Forget();
      unsent_bytes -= static_cast<std::size_t>(sent);
      sent_of_first += static_cast<std::size_t>(sent);
      if (sent_of_first < unsent.front().size()) continue;
      unsent.pop_front();
      sent_of_first = 0;
    }
  }
};

// Takes the same time wherever the first difference is.
bool SameToken(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
  }
  return difference == 0;
}

}  // namespace

struct StepChannelServer::State {
  std::filesystem::path path;
  std::string token;
  Fd listener;
  std::list<Connection> connections;
  std::uint64_t welcomed = 0;
  std::vector<ServerEvent> events;

  Connection* Find(std::uint64_t connection);  // welcomed and not ended
  void Accept();
  void MakeRoom();
  void Read(Connection& connection);
  void HandleLine(Connection& connection, std::string_view line);
  void Greet(Connection& connection, std::string_view line);
  std::expected<void, std::string> Judge(const Connection& connection, std::string_view line) const;
  void Refuse(Connection& connection, std::string reason);
  void End(Connection& connection, std::string reason);
  std::vector<pid_t> LivePeers() const;
};

StepChannelServer::StepChannelServer() : state_(std::make_unique<State>()) {}

StepChannelServer::~StepChannelServer() {
  std::error_code ignored;
  std::filesystem::remove(state_->path, ignored);
}

std::expected<std::unique_ptr<StepChannelServer>, Error> StepChannelServer::Listen(const std::filesystem::path& socket,
                                                                                   std::string token) {
  auto listener = ListenUnix(socket);
  if (!listener) return Fail("SYSTEM.IO.WRITE_FAILED", "step channel: " + listener.error());
  std::unique_ptr<StepChannelServer> server(new StepChannelServer());
  server->state_->path = socket;
  server->state_->token = std::move(token);
  server->state_->listener = std::move(*listener);
  return server;
}

void StepChannelServer::AddFds(std::vector<pollfd>& fds) const {
  fds.push_back({state_->listener.get(), POLLIN, 0});
  for (const Connection& connection : state_->connections) {
    const int events = connection.unsent.empty() ? POLLIN : POLLIN | POLLOUT;
    fds.push_back({connection.socket.get(), static_cast<short>(events), 0});
  }
}

std::vector<ServerEvent> StepChannelServer::Handle() {
  state_->Accept();
  for (Connection& connection : state_->connections) {
    connection.Write();
    state_->Read(connection);
    const bool unread = connection.unsent_bytes > kMaxUnsent;
    if (unread && !connection.ended) state_->End(connection, "the process does not read its results");
  }
  state_->connections.remove_if([](const Connection& connection) { return connection.ended; });
  return std::exchange(state_->events, {});
}

bool StepChannelServer::Send(std::uint64_t connection, std::string line) {
  Connection* const to = state_->Find(connection);
  if (to == nullptr) return false;
  line.push_back('\n');
  to->unsent_bytes += line.size();
  to->unsent.push_back(std::move(line));
  to->Write();
  return true;
}

std::optional<ServerEvent> StepChannelServer::Drop(std::uint64_t connection, std::string reason) {
  Connection* const dropped = state_->Find(connection);
  if (dropped == nullptr) return std::nullopt;
  ServerEvent event{ServerEvent::Kind::kClosed, dropped->peer.pid, connection, {},
                    dropped->said_bye,          std::move(reason)};
  state_->connections.remove_if([&](const Connection& one) { return &one == dropped; });
  return event;
}

std::vector<pid_t> StepChannelServer::LivePeers() const { return state_->LivePeers(); }

std::vector<pid_t> StepChannelServer::State::LivePeers() const {
  std::vector<pid_t> pids;
  for (const Connection& connection : connections) {
    if (connection.number != 0 && !connection.ended) pids.push_back(connection.peer.pid);
  }
  return pids;
}

Connection* StepChannelServer::State::Find(std::uint64_t connection) {
  const auto found =
      std::ranges::find_if(connections, [&](const Connection& one) { return one.number == connection && !one.ended; });
  return connection == 0 || found == connections.end() ? nullptr : &*found;
}

void StepChannelServer::State::Accept() {
  while (true) {
    Fd socket(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    const auto peer = PeerOf(socket.get());
    if (!peer) continue;
    Connection& connection = connections.emplace_back();
    connection.socket = std::move(socket);
    connection.peer = *peer;
    if (peer->uid != ::geteuid()) {
      Refuse(connection, "the process belongs to another user");
    } else if (const auto descent = CheckDescent(peer->pid, LivePeers()); !descent) {
      Refuse(connection, descent.error());
    }
    if (connections.size() > kMaxConnections) MakeRoom();
  }
}

// The oldest one that never said hello goes; if all did, the newest.
void StepChannelServer::State::MakeRoom() {
  const auto silent = std::ranges::find_if(connections, [](const Connection& c) { return c.number == 0; });
  if (silent == connections.end()) return;
  if (!silent->ended) Refuse(*silent, "too many connections");
  connections.erase(silent);
}

void StepChannelServer::State::Read(Connection& connection) {
  std::array<char, 64 << 10> bytes;
  for (std::size_t total = 0; !connection.ended && total < kMaxBytesPerTurn;) {
    const ssize_t length = ::recv(connection.socket.get(), bytes.data(), bytes.size(), 0);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (length <= 0) return End(connection, {});  // a line without its end is one that was cut off
    total += static_cast<std::size_t>(length);
    connection.lines.Append({bytes.data(), static_cast<std::size_t>(length)});
    while (!connection.ended) {
      const auto line = connection.lines.Next();
      if (!line) break;
      HandleLine(connection, *line);
    }
    if (!connection.ended && connection.lines.TooLong()) End(connection, "line too long");
  }
}

void StepChannelServer::State::HandleLine(Connection& connection, std::string_view line) {
  if (connection.number == 0) return Greet(connection, line);
  auto message = Decode(line);
  if (!message) return End(connection, message.error());
  if (std::holds_alternative<Bye>(*message)) connection.said_bye = true;
  ServerEvent event{ServerEvent::Kind::kMessage, connection.peer.pid, connection.number, {}, false, {}};
  event.message = std::move(*message);
  events.push_back(std::move(event));
}

void StepChannelServer::State::Greet(Connection& connection, std::string_view line) {
  if (const auto accepted = Judge(connection, line); !accepted) return Refuse(connection, accepted.error());
  const std::string welcome = WelcomeLine();
  const ssize_t sent = ::send(connection.socket.get(), welcome.data(), welcome.size(), MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(welcome.size())) return Refuse(connection, "the process went away");
  connection.number = ++welcomed;
  connection.lines.set_max_line(kMaxLine);
  events.push_back({ServerEvent::Kind::kConnected, connection.peer.pid, connection.number, {}, false, {}});
}

std::expected<void, std::string> StepChannelServer::State::Judge(const Connection& connection,
                                                                 std::string_view line) const {
  const auto hello = ReadHello(line);
  if (!hello) return std::unexpected(hello.error());
  if (!SameToken(hello->token, token)) return std::unexpected("wrong token");
  if (hello->version != kVersion) {
    return std::unexpected("channel version " + std::to_string(hello->version) + ", expected " +
                           std::to_string(kVersion));
  }
  return CheckDescent(connection.peer.pid, LivePeers());
}

void StepChannelServer::State::Refuse(Connection& connection, std::string reason) {
  const std::string line = RefusedLine(reason);
  // Whether it arrives does not matter: the connection ends either way.
  [[maybe_unused]] const ssize_t sent = ::send(connection.socket.get(), line.data(), line.size(), MSG_NOSIGNAL);
  connection.ended = true;
  events.push_back({ServerEvent::Kind::kRefused, connection.peer.pid, 0, {}, false, std::move(reason)});
}

void StepChannelServer::State::End(Connection& connection, std::string reason) {
  connection.ended = true;
  if (connection.number == 0) {
    if (!reason.empty()) Refuse(connection, std::move(reason));
    return;
  }
  events.push_back(
      {ServerEvent::Kind::kClosed, connection.peer.pid, connection.number, {}, connection.said_bye, std::move(reason)});
}

}  // namespace awf::channel

#include "tests/fakes/fake_collector.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <mutex>
#include <string_view>
#include <thread>

#include "tests/fakes/collector_connection.h"
#include "tests/fakes/collector_state.h"

namespace awf::fakes {
namespace {

using Protocol = FakeCollector::Protocol;

void Must(bool done) {
  if (!done) std::abort();
}

std::string Framed(const std::string& message, bool compressed) {
  std::string bytes(1, compressed ? '\1' : '\0');
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(message.size() >> shift & 0xFFU));
  return bytes + message;
}

std::string PartialSuccess(std::int64_t rejected, const std::string& message) {
  otlp::proto::ExportTraceServiceResponse response;
  response.mutable_partial_success()->set_rejected_spans(rejected);
  response.mutable_partial_success()->set_error_message(message);
  return response.SerializeAsString();
}

std::vector<otlp::proto::Span> SpansOf(const std::vector<CollectedRequest>& requests) {
  std::vector<otlp::proto::Span> spans;
  for (const CollectedRequest& request : requests) {
    for (const auto& resource : request.message.resource_spans()) {
      for (const auto& scope : resource.scope_spans())
        spans.insert(spans.end(), scope.spans().begin(), scope.spans().end());
    }
  }
  return spans;
}

// Listens on loopback; the port that was taken.
int Listen(int socket, int port) {
  const int on = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  socklen_t size = sizeof address;
  Must(::bind(socket, reinterpret_cast<sockaddr*>(&address), size) == 0 && ::listen(socket, 16) == 0 &&
       ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  return ntohs(address.sin_port);
}

int ChooseProtocol(SSL*, const unsigned char** out, unsigned char* out_size, const unsigned char* offered,
                   unsigned int offered_size, void* protocol) {
  const std::string_view ours = *static_cast<const Protocol*>(protocol) == Protocol::kGrpc ? "\2h2" : "\10http/1.1";
  const auto* wire = reinterpret_cast<const unsigned char*>(ours.data());
  unsigned char* chosen = nullptr;
  const int result =
      SSL_select_next_proto(&chosen, out_size, wire, static_cast<unsigned>(ours.size()), offered, offered_size);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

SSL_CTX* NewContext(const CollectorTls& tls, const Protocol& protocol) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  Must(SSL_CTX_use_certificate_chain_file(context, tls.certificate.c_str()) == 1 &&
       SSL_CTX_use_PrivateKey_file(context, tls.key.c_str(), SSL_FILETYPE_PEM) == 1);
  SSL_CTX_set_alpn_select_cb(context, &ChooseProtocol, const_cast<Protocol*>(&protocol));
  if (!tls.client_ca.empty()) {
    Must(SSL_CTX_load_verify_locations(context, tls.client_ca.c_str(), nullptr) == 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

}  // namespace

std::string ByteStream::Read() {
  std::string bytes(1U << 14, '\0');
  const auto size = tls_ != nullptr ? SSL_read(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                    : ::recv(socket_, bytes.data(), bytes.size(), 0);
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

bool ByteStream::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto size = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                      : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

class FakeCollector::Server {
 public:
  Server(Protocol protocol, int port, const std::optional<CollectorTls>& tls)
      : protocol_(protocol),
        state_(protocol, protocol == Protocol::kGrpc ? CollectorReply::GrpcOk() : CollectorReply::HttpOk()),
        listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    Must(listener_ >= 0);
    port_ = Listen(listener_, port);
    if (tls) context_.reset(NewContext(*tls, protocol_));
    accepter_ = std::thread([this] { Accept(); });
  }
  ~Server() { Stop(); }

  void Stop() {
    if (!accepter_.joinable()) return;
    state_.Stop();
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const Connection& connection : open_) ::shutdown(connection.socket, SHUT_RDWR);
    }
    ::shutdown(listener_, SHUT_RDWR);
    accepter_.join();
    for (Connection& connection : open_) connection.thread.join();
    for (const Connection& connection : open_) ::close(connection.socket);
    open_.clear();
    ::close(listener_);
  }

  int port() const { return port_; }
  bool tls() const { return context_ != nullptr; }
  CollectorState& state() { return state_; }

 private:
  struct Connection {
    int socket = -1;
    std::thread thread;
  };

  void Accept() {
    for (;;) {
      const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const int at_once = 1;  // as real collectors do; else each small answer may wait 40 ms for an acknowledgement
      ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
      if (socket < 0) return;
      const std::lock_guard lock(mutex_);
      Connection& connection = open_.emplace_back();
      connection.socket = socket;
      if (stopping_) ::shutdown(socket, SHUT_RDWR);
      connection.thread = std::thread([this, socket, number = state_.CountConnection()] { Serve(socket, number); });
    }
  }

  // The socket stays open until Stop, so that its number is nobody else's; the client sees the end at once.
  void Serve(int socket, int number) {
    sigset_t pipe_signal;  // OpenSSL writes with write(2)
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
    std::unique_ptr<SSL, decltype(&SSL_free)> tls(nullptr, SSL_free);
    bool ready = true;
    if (context_) {
      tls.reset(SSL_new(context_.get()));
      ready = SSL_set_fd(tls.get(), socket) == 1 && SSL_accept(tls.get()) == 1;
    }
    ByteStream stream(socket, tls.get());
    if (ready && protocol_ == Protocol::kGrpc) ServeHttp2(stream, state_, number);
    if (ready && protocol_ == Protocol::kHttp) ServeHttp1(stream, state_, number);
    // Closing with bytes unread would be a reset, which destroys what the client has not read yet.
    ::shutdown(socket, SHUT_WR);
    char unread[4096];
    while (::recv(socket, unread, sizeof unread, 0) > 0) {
    }
  }

  const Protocol protocol_;
  CollectorState state_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_{nullptr, SSL_CTX_free};
  const int listener_;
  int port_ = 0;
  std::mutex mutex_;
  std::list<Connection> open_;
  bool stopping_ = false;
  std::thread accepter_;
};

CollectorReply CollectorReply::After(std::chrono::milliseconds time) const {
  CollectorReply later = *this;
  later.delay = time;
  return later;
}

CollectorReply CollectorReply::GrpcMessage(const std::string& bytes, bool compressed) {
  CollectorReply reply;
  reply.headers = {{"content-type", "application/grpc"}};
  if (compressed) reply.headers.emplace_back("grpc-encoding", "gzip");
  reply.body = Framed(bytes, compressed);
  reply.trailers = HeaderFields{{"grpc-status", "0"}};
  return reply;
}

CollectorReply CollectorReply::GrpcOk() { return GrpcMessage({}); }

CollectorReply CollectorReply::GrpcPartial(std::int64_t rejected, const std::string& message) {
  return GrpcMessage(PartialSuccess(rejected, message));
}

CollectorReply CollectorReply::GrpcStatus(int code, const std::string& message) {
  CollectorReply reply;
  reply.headers = {{"content-type", "application/grpc"}};
  reply.trailers = HeaderFields{{"grpc-status", std::to_string(code)}};
  if (!message.empty()) reply.trailers->emplace_back("grpc-message", message);
  return reply;
}

CollectorReply CollectorReply::GrpcStatusInHeaders(int code, const std::string& message) {
  CollectorReply reply = GrpcStatus(code, message);
  reply.headers.insert(reply.headers.end(), reply.trailers->begin(), reply.trailers->end());
  reply.trailers.reset();
  return reply;
}

CollectorReply CollectorReply::GrpcWithoutTrailers() {
  CollectorReply reply = GrpcOk();
  reply.trailers.reset();
  return reply;
}

CollectorReply CollectorReply::HttpStatus(int status, const std::string& body, const HeaderFields& headers) {
  CollectorReply reply;
  reply.status = status;
  reply.headers = headers;
  reply.body = body;
  return reply;
}

CollectorReply CollectorReply::HttpOk() { return HttpStatus(200, {}, {{"content-type", "application/x-protobuf"}}); }

CollectorReply CollectorReply::HttpPartial(std::int64_t rejected, const std::string& message) {
  return HttpStatus(200, PartialSuccess(rejected, message), {{"content-type", "application/x-protobuf"}});
}

FakeCollector::FakeCollector(Protocol protocol, int port, const std::optional<CollectorTls>& tls)
    : server_(std::make_unique<Server>(protocol, port, tls)) {}
FakeCollector::~FakeCollector() = default;

int FakeCollector::port() const { return server_->port(); }

std::string FakeCollector::Url() const {
  return (server_->tls() ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port());
}

void FakeCollector::Answer(const CollectorReply& reply) { server_->state().SetReply(reply); }
void FakeCollector::AnswerNext(const CollectorReply& reply) { server_->state().QueueReply(reply); }
std::vector<CollectedRequest> FakeCollector::Requests() const { return server_->state().Requests(); }
int FakeCollector::connections() const { return server_->state().connections(); }
void FakeCollector::Stop() { server_->Stop(); }

std::vector<otlp::proto::Span> FakeCollector::Spans() const { return SpansOf(Requests()); }

bool FakeCollector::WaitForRequests(std::size_t count, std::chrono::milliseconds patience) const {
  return server_->state().WaitUntil([&](const auto& requests) { return requests.size() >= count; }, patience);
}

bool FakeCollector::WaitForSpans(std::size_t count, std::chrono::milliseconds patience) const {
  return server_->state().WaitUntil([&](const auto& requests) { return SpansOf(requests).size() >= count; }, patience);
}

}  // namespace awf::fakes

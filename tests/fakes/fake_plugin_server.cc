#include "tests/fakes/fake_plugin_server.h"

#include <fcntl.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace awf::fakes {
namespace {

using plugins::RpcStatus;

void Must(bool done) {
  if (!done) std::abort();
}

grpc::ByteBuffer Buffer(std::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

std::string Bytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  Must(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

// The calls whose reactors live; the server's end waits for them.
class LiveCalls {
 public:
  void Begin() {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  void End() {
    const std::lock_guard lock(mutex_);
    --count_;
    changed_.notify_all();
  }
  void WaitForNone() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

// Lets a handler's thread wait for what gRPC reports to its reactor. Deleted by gRPC's last report, which comes after
// the handler has returned and called Finish.
class Reactor final : public grpc::ServerGenericBidiReactor, public PluginCall {
 public:
  Reactor(const grpc::GenericCallbackServerContext& context, const FakePluginServer::Handler& handler, LiveCalls& live)
      : method_(context.method()), live_(live) {
    for (const auto& [name, value] : context.client_metadata())
      metadata_[std::string(name.data(), name.size())] = std::string(value.data(), value.size());
    live_.Begin();
    thread_ = std::thread([this, handler] { Run(handler); });
  }

  const std::string& method() const override { return method_; }
  const std::map<std::string, std::string>& metadata() const override { return metadata_; }
  std::stop_token cancelled() const override { return stop_.get_token(); }

  std::optional<std::string> Receive() override {
    grpc::ByteBuffer message;
    if (!Wait([&] { StartRead(&message); })) return std::nullopt;
    return Bytes(message);
  }
  bool Send(std::string_view message) override {
    const grpc::ByteBuffer buffer = Buffer(message);
    return Wait([&] { StartWrite(&buffer); });
  }

  void OnReadDone(bool ok) override { Report(ok); }
  void OnWriteDone(bool ok) override { Report(ok); }
  void OnCancel() override { stop_.request_stop(); }
  void OnDone() override {
    thread_.join();
    LiveCalls& live = live_;
    delete this;
    live.End();
  }

 private:
  void Run(const FakePluginServer::Handler& handler) {
    const RpcStatus status = handler(*this);
    Finish(grpc::Status(static_cast<grpc::StatusCode>(status.code), status.message));
  }

  template <typename Start>
  bool Wait(const Start& start) {
    {
      const std::lock_guard lock(mutex_);
      reported_.reset();
    }
    start();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return reported_.has_value(); });
    return *reported_;
  }
  void Report(bool ok) {
    const std::lock_guard lock(mutex_);
    reported_ = ok;
    changed_.notify_all();
  }

  const std::string method_;
  std::map<std::string, std::string> metadata_;
  LiveCalls& live_;
  std::stop_source stop_;
  std::mutex mutex_;  // guards reported_
  std::condition_variable changed_;
  std::optional<bool> reported_;
  std::thread thread_;
};

class Unimplemented final : public grpc::ServerGenericBidiReactor {
 public:
  Unimplemented() { Finish(grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "unknown method")); }
  void OnDone() override { delete this; }
};

class Service final : public grpc::CallbackGenericService {
 public:
  void Add(const std::string& method, FakePluginServer::Handler handler) {
    const std::lock_guard lock(mutex_);
    handlers_[method] = std::move(handler);
  }
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    const std::lock_guard lock(mutex_);
    const auto found = handlers_.find(context->method());
    if (found == handlers_.end()) return new Unimplemented;
    return new Reactor(*context, found->second, live_);
  }
  void WaitForNone() { live_.WaitForNone(); }

 private:
  LiveCalls live_;
  std::mutex mutex_;  // guards handlers_
  std::map<std::string, FakePluginServer::Handler> handlers_;
};

std::shared_ptr<grpc::ServerCredentials> Credentials(const std::optional<PluginTls>& tls) {
  if (!tls) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = tls->client_certificate;
  options.pem_key_cert_pairs.push_back({tls->identity.private_key, tls->identity.certificate});
  return grpc::SslServerCredentials(options);
}

int Listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Must(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Must(listener >= 0 && ::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
       ::listen(listener, 64) == 0);
  return listener;
}

}  // namespace

// Accepts connections itself and hands them over to gRPC, so that it can break them.
class FakePluginServer::Server {
 public:
  Server(const std::string& path, const std::optional<PluginTls>& tls) : path_(path), listener_(Listen(path)) {
    grpc::ServerBuilder builder;
    builder.SetMaxReceiveMessageSize(-1);
    builder.SetMaxSendMessageSize(-1);
    builder.RegisterCallbackGenericService(&service_);
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, Credentials(tls));
    server_ = builder.BuildAndStart();
    Must(server_ != nullptr);
    accepter_ = std::thread([this] { Accept(); });
  }
  ~Server() {
    Die();
    server_->Shutdown(std::chrono::system_clock::now());
    service_.WaitForNone();
    server_->Wait();
    acceptor_.reset();
    server_.reset();
    ::unlink(path_.c_str());
  }

  void Die() {
    const std::lock_guard dying(dying_);
    if (!accepter_.joinable()) return;
    ::shutdown(listener_, SHUT_RDWR);
    accepter_.join();
    ::close(listener_);
    const std::lock_guard lock(mutex_);
    for (const int connection : open_) {
      ::shutdown(connection, SHUT_RDWR);
      ::close(connection);
    }
    open_.clear();
  }

  Service& service() { return service_; }
  const std::string& path() const { return path_; }
  int connections() const {
    const std::lock_guard lock(mutex_);
    return accepted_;
  }

 private:
  void Accept() {
    for (;;) {
      const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (connection < 0) return;
      {
        const std::lock_guard lock(mutex_);
        open_.push_back(::fcntl(connection, F_DUPFD_CLOEXEC, 0));
        ++accepted_;
      }
      grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
      parameters.listener_fd = listener_;
      parameters.fd = connection;
      acceptor_->HandleNewConnection(&parameters);
    }
  }

  const std::string path_;
  const int listener_;
  Service service_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::mutex dying_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<int> open_;     // second descriptors of the connections, which gRPC owns
  int accepted_ = 0;
  std::thread accepter_;
};

FakePluginServer::FakePluginServer(const std::string& path, const std::optional<PluginTls>& tls)
    : server_(std::make_unique<Server>(path, tls)) {}
FakePluginServer::~FakePluginServer() = default;

std::string FakePluginServer::target() const { return "unix:" + server_->path(); }
void FakePluginServer::Handle(const std::string& method, Handler handler) {
  server_->service().Add(method, std::move(handler));
}
void FakePluginServer::HandleUnary(const std::string& method, std::function<std::string(std::string_view)> reply) {
  Handle(method, [reply = std::move(reply)](PluginCall& call) -> RpcStatus {
    const std::optional<std::string> message = call.Receive();
    if (!message) return {plugins::kRpcCancelled, "no message came"};
    call.Send(reply(*message));
    return {};
  });
}
void FakePluginServer::Die() { server_->Die(); }
int FakePluginServer::connections() const { return server_->connections(); }

void WaitForCancel(const PluginCall& call) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, call.cancelled(), [] { return false; });
}

}  // namespace awf::fakes

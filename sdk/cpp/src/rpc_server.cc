#include "rpc_server.h"

#include <grpc/support/log.h>
#include <grpcpp/ext/health_check_service_server_builder_option.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace awf::sdk {
namespace {

// What the calls of one server have in common.
struct Calls {
  std::function<RpcAnswer(Rpc&)> answer;
  std::string silent_method;

  std::mutex mutex;
  std::condition_variable changed;
  int open = 0;
  bool end_answered = false;

  void Opened() {
    const std::lock_guard lock{mutex};
    ++open;
  }
  void Closed(bool ends_server) {
    const std::lock_guard lock{mutex};
    --open;
    end_answered = end_answered || ends_server;
    changed.notify_all();
  }
};

std::string Bytes(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

grpc::ByteBuffer Buffer(std::string_view bytes) {
  const grpc::Slice slice{bytes.data(), bytes.size()};
  return {&slice, 1};
}

// A call with one request. gRPC calls the On... functions on its own threads, OnDone last of all.
class Exchange final : public grpc::ServerGenericBidiReactor, public Rpc {
 public:
  Exchange(grpc::GenericCallbackServerContext* context, Calls* calls) : context_(context), calls_(calls) {
    calls_->Opened();
    StartRead(&incoming_);
  }

  std::string_view method() const override { return context_->method(); }
  const std::string& request() const override { return request_; }
  std::stop_token cancelled() const override { return cancel_.get_token(); }

  std::string traceparent() const override {
    const auto found = context_->client_metadata().find("traceparent");
    if (found == context_->client_metadata().end()) return {};
    return {found->second.data(), found->second.size()};
  }

  bool Send(std::string_view message) override {
    outgoing_ = Buffer(message);
    sending_ = true;  // no write is on its way, so nobody else looks at it
    StartWrite(&outgoing_);
    std::unique_lock lock{mutex_};
    sent_.wait(lock, [&] { return !sending_; });
    return delivered_;
  }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish({grpc::StatusCode::INVALID_ARGUMENT, "no request"});
    request_ = Bytes(incoming_);
    incoming_.Clear();
    try {
      std::thread{[this] { Answer(); }}.detach();
    } catch (const std::system_error& error) {
      Finish({grpc::StatusCode::RESOURCE_EXHAUSTED, error.what()});
    }
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock{mutex_};
    sending_ = false;
    delivered_ = ok;
    sent_.notify_all();
  }

  void OnCancel() override { cancel_.request_stop(); }

  void OnDone() override {
    calls_->Closed(ends_server_);
    delete this;
  }

 private:
  // The last statement may delete this.
  void Answer() {
    RpcAnswer answer = calls_->answer(*this);
    ends_server_ = answer.ends_server;
    grpc::Status status{static_cast<grpc::StatusCode>(answer.code), std::move(answer.error)};
    if (!answer.message || !status.ok()) return Finish(std::move(status));
    outgoing_ = Buffer(*answer.message);
    StartWriteAndFinish(&outgoing_, {}, std::move(status));
  }

  grpc::GenericCallbackServerContext* context_;
  Calls* calls_;
  grpc::ByteBuffer incoming_, outgoing_;
  std::string request_;
  std::stop_source cancel_;
  bool ends_server_ = false;

  std::mutex mutex_;
  std::condition_variable sent_;
  bool sending_ = false;
  bool delivered_ = false;
};

// A stream that is kept open while the host wants it.
class SilentStream final : public grpc::ServerGenericBidiReactor {
 public:
  SilentStream() { StartRead(&incoming_); }

  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    incoming_.Clear();
    StartRead(&incoming_);
  }
  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer incoming_;
};

class Service final : public grpc::CallbackGenericService {
 public:
  explicit Service(Calls* calls) : calls_(calls) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    if (context->method() == calls_->silent_method) return new SilentStream;
    return new Exchange(context, calls_);
  }

 private:
  Calls* calls_;
};

std::shared_ptr<grpc::ServerCredentials> Credentials(const RpcServerOptions& options) {
  if (options.client_certificate.empty() || !options.certificate) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions tls{GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY};
  tls.pem_root_certs = options.client_certificate;
  tls.pem_key_cert_pairs.push_back({options.certificate->key_pem, options.certificate->pem});
  return grpc::SslServerCredentials(tls);
}

// gRPC's own lines would look like the plugin's on stderr. GRPC_VERBOSITY asks for them.
void SilenceLog() {
  if (std::getenv("GRPC_VERBOSITY") == nullptr) gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace

struct RpcServer::State {
  Calls calls;
  std::unique_ptr<Service> service;
  std::unique_ptr<grpc::Server> server;
};

RpcServer::RpcServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
RpcServer::~RpcServer() = default;

std::expected<std::unique_ptr<RpcServer>, std::string> RpcServer::Start(RpcServerOptions options) {
  SilenceLog();
  grpc_init();  // never undone
  auto state = std::make_unique<State>();
  state->calls.answer = std::move(options.answer);
  state->calls.silent_method = std::move(options.silent_method);
  state->service = std::make_unique<Service>(&state->calls);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterCallbackGenericService(state->service.get());
  int bound = 0;
  builder.AddListeningPort("unix:" + options.socket_path, Credentials(options), &bound);
  // The mode that the socket is born with; no later chmod leaves a gap.
  const mode_t former = ::umask(S_IRWXG | S_IRWXO | S_IXUSR);
  state->server = builder.BuildAndStart();
  ::umask(former);
  if (!state->server || bound == 0) {
    return std::unexpected("cannot listen on " + options.socket_path +
                           (options.client_certificate.empty() ? "" : " with the certificate in PLUGIN_CLIENT_CERT"));
  }
  state->server->GetHealthCheckService()->SetServingStatus("plugin", true);
  return std::unique_ptr<RpcServer>{new RpcServer(std::move(state))};
}

void RpcServer::WaitForEnd() {
  std::unique_lock lock{state_->calls.mutex};
  state_->calls.changed.wait(lock, [&] { return state_->calls.end_answered; });
}

void RpcServer::WaitUntilIdle(std::chrono::milliseconds longest) {
  std::unique_lock lock{state_->calls.mutex};
  state_->calls.changed.wait_for(lock, longest, [&] { return state_->calls.open == 0; });
}

}  // namespace awf::sdk

#include <grpc/grpc.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sys/random.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/plugins/plugin_transport.h"
#include "infrastructure/process/blocked_signals.h"

namespace awf::plugins {
namespace {

using Received = std::function<void(std::string_view)>;
using Ended = std::function<void(const RpcStatus&)>;

constexpr int kConnectAttempt = 5000;  // ms that one attempt may take
constexpr int kFirstPause = 100;       // ms between attempts
constexpr int kLongestPause = 500;     // ms

// Never undone: grpc_shutdown may block for 10 s when the last object goes. Its log would go to stderr; what matters of
// it is in the calls' statuses, too. The threads that it starts leave signals to the thread of the run.
void StartGrpc() {
  static const bool started = [] {
    const process::AllSignalsBlocked blocked;
    gpr_set_log_function([](gpr_log_func_args*) {});
    grpc_init();
    return true;
  }();
  static_cast<void>(started);
}

grpc::ByteBuffer BufferOf(std::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return {&slice, 1};
}

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::string bytes;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return bytes;  // it was compressed, and damaged
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

std::shared_ptr<grpc::ChannelCredentials> CredentialsFor(const PluginEndpoint& endpoint) {
  if (!endpoint.tls) return grpc::InsecureChannelCredentials();
  // TLS 1.2 or later and ALPN "h2" are what these insist on; the roots replace those of the system.
  return grpc::SslCredentials(
      {endpoint.peer_certificate, endpoint.identity.private_key, endpoint.identity.certificate});
}

std::shared_ptr<grpc::Channel> ChannelFor(const PluginEndpoint& endpoint) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(kLargestMessage));
  arguments.SetMaxSendMessageSize(static_cast<int>(kLargestMessage));
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectAttempt);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kFirstPause);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestPause);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  if (endpoint.tls) arguments.SetSslTargetNameOverride("localhost");
  return grpc::CreateCustomChannel(endpoint.target, CredentialsFor(endpoint), arguments);
}

// On the same clock.
gpr_timespec TimespecOf(SteadyClock::time_point time) {
  const auto since = time.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds);
  return {seconds.count(), static_cast<std::int32_t>(rest.count()), GPR_CLOCK_MONOTONIC};
}

// What the peer is told: a second later than ours, so that it is our clock that ends the call. Under load C-core's own,
// on either side, was seen to be 10 ms early.
gpr_timespec DeadlineForPeer(SteadyClock::time_point deadline) {
  gpr_timespec time = TimespecOf(deadline);
  ++time.tv_sec;
  return time;
}

// An illegal one would end the process, so it is left out.
void AddMetadata(grpc::ClientContext& context, const std::string& name, const std::string& value) {
  const grpc::Slice name_slice(name), value_slice(value);
  grpc_slice key = name_slice.c_slice();
  grpc_slice text = value_slice.c_slice();
  const bool legal = grpc_header_key_is_legal(key) != 0 && grpc_is_binary_header(key) == 0 &&
                     grpc_header_nonbin_value_is_legal(text) != 0;
  grpc_slice_unref(key);
  grpc_slice_unref(text);
  if (legal) context.AddMetadata(name, value);
}

RpcStatus StatusOf(const grpc::Status& status) {
  RpcStatus told{status.error_code(), RepairUtf8(status.error_message())};
  // No request is so large that the peer could name our limit.
  told.reply_too_large = told.code == kRpcResourceExhausted &&
                         told.message.ends_with(" vs. " + std::to_string(kLargestMessage) + ")") &&
                         told.message.starts_with("Received message larger than max");
  return told;
}

// The cause of a failed connection attempt in a call's status, without the names of layers: of "failed to connect to
// all addresses; last error: UNKNOWN: unix:/x: Ssl handshake failed: SSL_ERROR_SSL: error:0A000086:SSL
// routines::certificate verify failed" it is "TLS handshake failed: certificate verify failed". Empty: there is none.
std::string ConnectError(const RpcStatus& status, const std::string& target) {
  constexpr std::string_view kCause = "last error: ";
  constexpr std::string_view kHandshake = "Ssl handshake failed: ";
  std::string_view text = status.message;
  const std::size_t cause = text.find(kCause);
  if (status.code != kRpcUnavailable || cause == std::string_view::npos) return {};
  text.remove_prefix(cause + kCause.size());
  const std::size_t place = text.find(target + ": ");
  if (place != std::string_view::npos) text.remove_prefix(place + target.size() + 2);
  if (!text.starts_with(kHandshake)) return std::string(text);
  text.remove_prefix(kHandshake.size());
  const std::size_t routine = text.rfind("::");
  if (routine != std::string_view::npos) text.remove_prefix(routine + 2);
  return "TLS handshake failed: " + std::string(text);
}

// A queue of which one thread waits for one thing at a time.
class Waiting {
 public:
  Waiting() = default;
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() { queue_.Shutdown(); }

  grpc::CompletionQueue* queue() { return &queue_; }
  void* tag() { return this; }
  // Whether what was begun with the tag has succeeded.
  bool Wait() {
    void* tag = nullptr;
    bool ok = false;
    return queue_.Next(&tag, &ok) && ok;
  }
  // Waits likewise; false when the deadline has passed before.
  bool EndsBy(const Deadline& deadline) {
    const gpr_timespec until = deadline ? TimespecOf(*deadline) : gpr_inf_future(GPR_CLOCK_MONOTONIC);
    void* tag = nullptr;
    bool ok = false;
    while (!Passed(deadline)) {
      if (queue_.AsyncNext(&tag, &ok, until) == grpc::CompletionQueue::GOT_EVENT) return true;
    }
    return false;
  }

 private:
  grpc::CompletionQueue queue_;
};

// The calls in flight, streams among them.
class OpenCalls {
 public:
  // False once closed. Until Leave, Close cancels it.
  bool Enter(grpc::ClientContext& context) {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    calls_.insert(&context);
    return true;
  }
  void Leave(grpc::ClientContext& context) {
    const std::lock_guard lock(mutex_);
    calls_.erase(&context);
    if (calls_.empty()) none_left_.notify_all();
  }
  bool closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  // Waits until all have left.
  void Close() {
    std::unique_lock lock(mutex_);
    closed_ = true;
    for (grpc::ClientContext* context : calls_) context->TryCancel();
    none_left_.wait(lock, [this] { return calls_.empty(); });
  }

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable none_left_;
  bool closed_ = false;
  std::set<grpc::ClientContext*> calls_;
};

class GrpcTransport final : public PluginTransport {
 public:
  explicit GrpcTransport(const PluginEndpoint& endpoint)
      : target_(endpoint.target), stub_(std::make_unique<grpc::GenericStub>(ChannelFor(endpoint))) {}
  GrpcTransport(const GrpcTransport&) = delete;
  GrpcTransport& operator=(const GrpcTransport&) = delete;
  ~GrpcTransport() override { Close(); }

  UnaryReply Unary(const UnaryRequest& request) override;
  void ServerStream(std::string_view method, std::string_view message, Received received, Ended ended) override {
    StartStream({std::string(method), std::string(message), std::move(received), std::move(ended)});
  }
  void BidiStream(std::string_view method, Received received, Ended ended) override {
    StartStream({std::string(method), std::nullopt, std::move(received), std::move(ended)});
  }
  std::string LastConnectError() const override {
    const std::lock_guard lock(mutex_);
    return connect_error_;
  }
  void Close() override;

 private:
  struct Stream {
    std::string method;
    std::optional<std::string> message;  // the only one that is sent; without it nothing is, and it stays open
    Received received;
    Ended ended;
  };

  void StartStream(Stream stream);
  void RunStream(grpc::ClientContext& context, const Stream& stream);
  RpcStatus Noted(const grpc::Status& status);

  const std::string target_;
  OpenCalls calls_;
  std::unique_ptr<grpc::GenericStub> stub_;  // used by calls that have entered only
  std::mutex closing_;                       // held by the Close that runs
  mutable std::mutex mutex_;                 // guards what follows
  std::string connect_error_;
  std::vector<std::thread> streams_;
};

RpcStatus GrpcTransport::Noted(const grpc::Status& status) {
  RpcStatus told = StatusOf(status);
  std::string cause = ConnectError(told, target_);
  if (!cause.empty()) {
    const std::lock_guard lock(mutex_);
    connect_error_ = std::move(cause);
  }
  return told;
}

UnaryReply GrpcTransport::Unary(const UnaryRequest& request) {
  if (request.cancelled.stop_requested()) return {{kRpcCancelled, "cancelled"}, {}};
  if (Passed(request.deadline)) return {{kRpcDeadlineExceeded, "the deadline has passed already"}, {}};
  grpc::ClientContext context;
  if (request.deadline) context.set_deadline(DeadlineForPeer(*request.deadline));
  for (const auto& [name, value] : request.metadata) AddMetadata(context, name, value);
  if (!calls_.Enter(context)) return {{kRpcCancelled, "the connection is closed"}, {}};
  grpc::ByteBuffer reply;
  grpc::Status status;
  {
    const std::stop_callback cancel(request.cancelled, [&] { context.TryCancel(); });
    Waiting waiting;
    const auto call =
        stub_->PrepareUnaryCall(&context, std::string(request.method), BufferOf(request.message), waiting.queue());
    call->StartCall();
    call->Finish(&reply, &status, waiting.tag());
    if (!waiting.EndsBy(request.deadline)) {
      context.TryCancel();
      waiting.Wait();
    }
  }
  calls_.Leave(context);
  if (status.ok()) return {{}, BytesOf(reply)};
  // The peer may have been faster to see the same end, and name it otherwise.
  const RpcStatus told = Noted(status);
  if (calls_.closed()) return {{kRpcCancelled, "the connection is closed"}, {}};
  if (request.cancelled.stop_requested()) return {{kRpcCancelled, "cancelled"}, {}};
  if (Passed(request.deadline)) return {{kRpcDeadlineExceeded, "no answer before the deadline"}, {}};
  return {told, {}};
}

void GrpcTransport::StartStream(Stream stream) {
  auto context = std::make_unique<grpc::ClientContext>();
  if (!calls_.Enter(*context)) {
    stream.ended({kRpcCancelled, "the connection is closed"});
    return;
  }
  const process::AllSignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  streams_.emplace_back([this, context = std::move(context), stream = std::move(stream)] {
    RunStream(*context, stream);
    calls_.Leave(*context);
  });
}

void GrpcTransport::RunStream(grpc::ClientContext& context, const Stream& stream) {
  grpc::Status status;
  {
    Waiting waiting;
    const auto call = stub_->PrepareCall(&context, stream.method, waiting.queue());
    call->StartCall(waiting.tag());
    waiting.Wait();
    if (stream.message) {
      call->WriteLast(BufferOf(*stream.message), grpc::WriteOptions(), waiting.tag());
      waiting.Wait();
    }
    // Also when the peer has not waited for our message: the status comes only after all of its own are read.
    for (;;) {
      grpc::ByteBuffer message;
      call->Read(&message, waiting.tag());
      if (!waiting.Wait()) break;
      stream.received(BytesOf(message));
    }
    call->Finish(&status, waiting.tag());
    waiting.Wait();
  }
  stream.ended(Noted(status));
}

void GrpcTransport::Close() {
  const std::lock_guard closing(closing_);
  calls_.Close();
  std::vector<std::thread> streams;
  {
    const std::lock_guard lock(mutex_);
    streams.swap(streams_);
  }
  for (std::thread& stream : streams) stream.join();
  stub_.reset();
}

}  // namespace

std::unique_ptr<PluginTransport> ConnectGrpc(const PluginEndpoint& endpoint) {
  StartGrpc();
  return std::make_unique<GrpcTransport>(endpoint);
}

}  // namespace awf::plugins

// gRPC uses std::random_device, which takes its bits from arc4random: a function that glibc has since 2.36 only, while
// awf runs from 2.35 on. libstdc++ is linked in and finds this one.
extern "C" std::uint32_t arc4random() noexcept {  // NOLINT(readability-identifier-naming): the name is libc's
  std::uint32_t bits = 0;
  while (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
  }
  return bits;
}

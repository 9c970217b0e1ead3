#include "infrastructure/model_server/model_server.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace awf::model_server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using tcp = asio::ip::tcp;

constexpr std::uint64_t kBodyLimit = std::uint64_t{64} << 20;

// The model and what it was asked. Answer runs on the server's thread, Requests on any.
class Recorder {
 public:
  explicit Recorder(std::unique_ptr<ScriptedModel> model) : model_(std::move(model)) {}

  ModelReply Answer(const http::request<http::string_body>& request) {
    error_code error;
    json::value body;
    if (!request.body().empty()) body = json::parse(request.body(), error);
    if (error) {
      const std::lock_guard lock(mutex_);
      ++unreadable_;
      return {400, json::object{{"error", json::object{{"message", "the body is not JSON"}}}}};
    }
    const ModelRequest asked{std::string(request.target()), std::move(body), std::string(request.method_string())};
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(asked);
    }
    return model_->Answer(asked);
  }

  std::vector<ModelRequest> Requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  int Unreadable() const {
    const std::lock_guard lock(mutex_);
    return unreadable_;
  }

 private:
  std::unique_ptr<ScriptedModel> model_;
  mutable std::mutex mutex_;
  std::vector<ModelRequest> requests_;
  int unreadable_ = 0;
};

// One connection: reads a request, answers, and again while the client keeps it open. Lives as long as an operation
// on it is pending.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, Recorder& recorder) : stream_(std::move(socket)), recorder_(recorder) {}

  void Read() {
    parser_.emplace();
    parser_->body_limit(kBodyLimit);
    http::async_read(stream_, buffer_, *parser_, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (!error) self->Reply();
    });
  }

 private:
  void Reply() {
    const auto& request = parser_->get();
    const ModelReply reply = recorder_.Answer(request);
    response_ = {};
    response_.version(request.version());
    response_.result(static_cast<unsigned>(reply.status));
    response_.set(http::field::content_type, reply.events.empty() ? "application/json" : "text/event-stream");
    response_.body() = reply.events.empty() ? json::serialize(reply.body) : reply.events;
    response_.keep_alive(request.keep_alive());
    response_.prepare_payload();
    // The answer to HEAD tells the length of what it leaves out.
    if (request.method() == http::verb::head) response_.body().clear();
    http::async_write(stream_, response_, [self = shared_from_this()](const error_code& error, std::size_t) {
      if (!error && self->response_.keep_alive()) self->Read();
    });
  }

  beast::tcp_stream stream_;
  Recorder& recorder_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

struct ModelServer::State {
  explicit State(std::unique_ptr<ScriptedModel> model) : recorder(std::move(model)) {}

  void Accept() {
    acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
      if (!acceptor.is_open()) return;
      if (!error) std::make_shared<Session>(std::move(socket), recorder)->Read();
      Accept();
    });
  }

  // The order matters: sessions, kept alive by the context, refer to the recorder.
  Recorder recorder;
  asio::io_context context{1};
  tcp::acceptor acceptor{context};
  std::string origin, base_url;
  std::thread thread;
};

std::expected<std::unique_ptr<ModelServer>, Error> ModelServer::Start(std::unique_ptr<ScriptedModel> model) {
  auto state = std::make_unique<State>(std::move(model));
  tcp::endpoint bound;
  try {
    // The constructor opens, binds and listens.
    state->acceptor = tcp::acceptor(state->context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    bound = state->acceptor.local_endpoint();
  } catch (const boost::system::system_error& error) {
    return Fail("SYSTEM.INTERNAL.UNMAPPED",
                std::string("cannot serve the scripted model on 127.0.0.1: ") + error.what());
  }
  state->origin = "http://127.0.0.1:" + std::to_string(bound.port());
  state->base_url = state->origin + "/v1";
  state->Accept();
  state->thread = std::thread([&context = state->context] { context.run(); });
  return std::unique_ptr<ModelServer>(new ModelServer(std::move(state)));
}

ModelServer::ModelServer(std::unique_ptr<State> state) : state_(std::move(state)) {}

ModelServer::~ModelServer() {
  state_->context.stop();
  state_->thread.join();
}

const std::string& ModelServer::origin() const { return state_->origin; }

const std::string& ModelServer::base_url() const { return state_->base_url; }

std::vector<ModelRequest> ModelServer::requests() const { return state_->recorder.Requests(); }

int ModelServer::unreadable() const { return state_->recorder.Unreadable(); }

}  // namespace awf::model_server

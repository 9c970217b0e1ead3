#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "tests/fakes/collector_connection.h"

namespace awf::fakes {
namespace {

struct Exchange {
  CollectedRequest request;
  std::string body;
  CollectorReply reply;
  std::size_t sent = 0;
};

nghttp2_nv Field(const std::string& name, const std::string& value) {
  const auto bytes = [](const std::string& text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // copied by nghttp2
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

std::vector<nghttp2_nv> Fields(const HeaderFields& headers) {
  std::vector<nghttp2_nv> fields;
  for (const auto& [name, value] : headers) fields.push_back(Field(name, value));
  return fields;
}

class Http2Connection {
 public:
  Http2Connection(ByteStream& stream, CollectorState& state, int number)
      : stream_(stream), state_(state), number_(number) {
    nghttp2_session_callbacks* callbacks = nullptr;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, &OnBegin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, &OnHeader);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
    nghttp2_session* session = nullptr;
    nghttp2_session_server_new(&session, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    session_.reset(session);
  }

  void Serve() {
    nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, nullptr, 0);
    while (!closing_ && Send()) {
      const std::string bytes = stream_.Read();
      if (bytes.empty()) return;
      const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
      if (nghttp2_session_mem_recv(session_.get(), data, bytes.size()) < 0) return;
    }
  }

 private:
  static Http2Connection& Self(void* user) { return *static_cast<Http2Connection*>(user); }

  static int OnBegin(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Self(user).exchanges_[frame->hd.stream_id].request.connection = Self(user).number_;
    return 0;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                      const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
    CollectedRequest& request = Self(user).exchanges_[frame->hd.stream_id].request;
    const std::string key(reinterpret_cast<const char*>(name), name_size);
    const std::string text(reinterpret_cast<const char*>(value), value_size);
    if (key == ":method") request.method = text;
    if (key == ":path") request.path = text;
    request.headers[key] = text;
    return 0;
  }

  static int OnData(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size,
                    void* user) {
    Self(user).exchanges_[id].body.append(reinterpret_cast<const char*>(data), size);
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    Http2Connection& self = Self(user);
    const auto found = self.exchanges_.find(frame->hd.stream_id);
    if (found == self.exchanges_.end()) return 0;
    if (frame->hd.type == NGHTTP2_HEADERS) self.Began(found->second);
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) self.Ended(found->first, found->second);
    return 0;
  }

  void Began(Exchange& exchange) {
    exchange.reply = state_.TakeReply();
    if (exchange.reply.act != CollectorReply::Act::kHangUp) return;
    closing_ = true;
    state_.KeepCut(exchange.request);
  }

  void Ended(std::int32_t id, Exchange& exchange) {
    if (closing_) return;
    state_.Keep(exchange.request, exchange.body);
    const CollectorReply& reply = exchange.reply;
    if (reply.act == CollectorReply::Act::kSilence) return;
    if (reply.act == CollectorReply::Act::kGarbage) {
      stream_.Write("this is not HTTP/2 at all\n");
      closing_ = true;
      return;
    }
    if (reply.delay.count() > 0 && !state_.Pause(reply.delay)) return;
    HeaderFields headers{{":status", std::to_string(reply.status)}};
    headers.insert(headers.end(), reply.headers.begin(), reply.headers.end());
    const auto fields = Fields(headers);
    nghttp2_data_provider provider{};
    provider.source.ptr = &exchange;
    provider.read_callback = &ReadBody;
    const bool headers_only = reply.body.empty() && !reply.trailers;
    nghttp2_submit_response(session_.get(), id, fields.data(), fields.size(), headers_only ? nullptr : &provider);
  }

  static ssize_t ReadBody(nghttp2_session* session, std::int32_t id, std::uint8_t* buffer, std::size_t room,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
    Exchange& exchange = *static_cast<Exchange*>(source->ptr);
    const std::string& body = exchange.reply.body;
    const std::size_t count = std::min(room, body.size() - exchange.sent);
    std::copy_n(body.data() + exchange.sent, count, buffer);
    exchange.sent += count;
    if (exchange.sent < body.size()) return static_cast<ssize_t>(count);
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (exchange.reply.trailers) {
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      const auto fields = Fields(*exchange.reply.trailers);
      nghttp2_submit_trailer(session, id, fields.data(), fields.size());
    }
    return static_cast<ssize_t>(count);
  }

  bool Send() {
    for (;;) {
      const std::uint8_t* bytes = nullptr;
      const ssize_t count = nghttp2_session_mem_send(session_.get(), &bytes);
      if (count <= 0) return count == 0;
      if (!stream_.Write({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count)})) return false;
    }
  }

  ByteStream& stream_;
  CollectorState& state_;
  const int number_;
  std::map<std::int32_t, Exchange> exchanges_;  // by stream
  std::unique_ptr<nghttp2_session, decltype(&nghttp2_session_del)> session_{nullptr, nghttp2_session_del};
  bool closing_ = false;
};

}  // namespace

void ServeHttp2(ByteStream& stream, CollectorState& state, int connection) {
  Http2Connection(stream, state, connection).Serve();
}

}  // namespace awf::fakes

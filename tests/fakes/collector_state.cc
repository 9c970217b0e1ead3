#include "tests/fakes/collector_state.h"

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace awf::fakes {
namespace {

std::optional<std::string> Inflated(std::string bytes) {
  z_stream stream{};
  constexpr int kGzipWindow = MAX_WBITS + 16;
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return std::nullopt;
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK) {
    std::string piece(1U << 16, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, piece.size() - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  inflateEnd(&stream);
  if (!whole) return std::nullopt;
  return out;
}

std::string Header(const CollectedRequest& request, const std::string& name) {
  const auto found = request.headers.find(name);
  return found != request.headers.end() ? found->second : "";
}

// Takes the frame of gRPC away.
std::string Unframe(CollectedRequest& request, std::string& body) {
  if (body.size() < 5) return "the frame is cut";
  std::uint64_t length = 0;
  for (std::size_t i = 1; i < 5; ++i) length = length * 256 + static_cast<unsigned char>(body[i]);
  if (length != body.size() - 5) return "the frame has a wrong length";
  request.compressed = body[0] == 1;
  if (body[0] != 0 && body[0] != 1) return "the frame has an unknown flag";
  if (request.compressed != (Header(request, "grpc-encoding") == "gzip")) return "flag and grpc-encoding disagree";
  body.erase(0, 5);
  return {};
}

std::string Decode(FakeCollector::Protocol protocol, CollectedRequest& request, std::string body) {
  const bool grpc = protocol == FakeCollector::Protocol::kGrpc;
  if (Header(request, "content-type") != (grpc ? "application/grpc" : "application/x-protobuf")) {
    return "content-type is " + Header(request, "content-type");
  }
  if (grpc) {
    if (std::string fault = Unframe(request, body); !fault.empty()) return fault;
  } else {
    request.compressed = Header(request, "content-encoding") == "gzip";
  }
  if (request.compressed) {
    auto inflated = Inflated(std::move(body));
    if (!inflated) return "gzip is damaged";
    body = std::move(*inflated);
  }
  return request.message.ParseFromString(body) ? "" : "the message is no ExportTraceServiceRequest";
}

}  // namespace

void CollectorState::SetReply(const CollectorReply& reply) {
  const std::lock_guard lock(mutex_);
  reply_ = reply;
}

void CollectorState::QueueReply(const CollectorReply& reply) {
  const std::lock_guard lock(mutex_);
  next_.push_back(reply);
}

CollectorReply CollectorState::TakeReply() {
  const std::lock_guard lock(mutex_);
  if (next_.empty()) return reply_;
  CollectorReply reply = std::move(next_.front());
  next_.pop_front();
  return reply;
}

void CollectorState::Keep(CollectedRequest request, const std::string& body) {
  request.fault = Decode(protocol_, request, body);
  KeepCut(std::move(request));
}

void CollectorState::KeepCut(CollectedRequest request) {
  const std::lock_guard lock(mutex_);
  requests_.push_back(std::move(request));
  changed_.notify_all();
}

int CollectorState::CountConnection() {
  const std::lock_guard lock(mutex_);
  return ++connections_;
}

int CollectorState::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_;
}

std::vector<CollectedRequest> CollectorState::Requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool CollectorState::WaitUntil(const std::function<bool(const std::vector<CollectedRequest>&)>& enough,
                               std::chrono::milliseconds patience) const {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return enough(requests_); });
}

bool CollectorState::Pause(std::chrono::milliseconds time) const {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [&] { return stopping_; });
}

void CollectorState::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

}  // namespace awf::fakes

#include "infrastructure/process/keeper_wire.h"

#include <algorithm>
#include <cstring>

namespace awf::process {
namespace {

void PutNumber(std::string& out, std::uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

void PutText(std::string& out, std::string_view text) {
  PutNumber(out, text.size());
  out += text;
}

void PutList(std::string& out, const std::vector<std::string>& list) {
  PutNumber(out, list.size());
  for (const std::string& item : list) PutText(out, item);
}

// Reads what Put… wrote; a short payload makes it fail for good.
class Reader {
 public:
  explicit Reader(std::string_view payload) : rest_(payload) {}

  std::uint64_t Number() {
    std::uint64_t number = 0;
    if (rest_.size() < sizeof number) {
      failed_ = true;
      return 0;
    }
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return number;
  }

  std::string Text() {
    const std::uint64_t size = Number();
    if (rest_.size() < size) {
      failed_ = true;
      return {};
    }
    std::string text(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return text;
  }

  std::vector<std::string> List() {
    std::vector<std::string> list;
    for (std::uint64_t left = Number(); left > 0 && !failed_; --left) list.push_back(Text());
    return list;
  }

  bool Complete() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

EventPacket ToPacket(const KeeperEvent& event) {
  EventPacket packet;
  packet.kind = event.kind;
  packet.job = event.job;
  packet.pid = event.pid;
  packet.exit_code = event.status.exit_code;
  packet.signal = event.status.signal;
  packet.error_number = event.failure.error_number;
  const std::size_t length = std::min(event.failure.stage.size(), packet.stage.size() - 1);
  std::copy_n(event.failure.stage.begin(), length, packet.stage.begin());
  return packet;
}

KeeperEvent FromPacket(const EventPacket& packet) {
  KeeperEvent event;
  event.kind = packet.kind;
  event.job = packet.job;
  event.pid = packet.pid;
  event.status = {packet.exit_code, packet.signal};
  event.failure = {packet.error_number, packet.stage.data()};
  return event;
}

std::string EncodeSpawn(const SpawnRequest& request) {
  std::string payload;
  PutList(payload, request.argv);
  PutList(payload, request.environment);
  PutText(payload, request.working_dir.native());
  return payload;
}

std::optional<SpawnRequest> DecodeSpawn(std::string_view payload) {
  Reader reader(payload);
  SpawnRequest request;
  request.argv = reader.List();
  request.environment = reader.List();
  request.working_dir = reader.Text();
  if (!reader.Complete() || request.argv.empty()) return std::nullopt;
  return request;
}

}  // namespace awf::process

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string>

#include "tests/fakes/collector_connection.h"

namespace awf::fakes {
namespace {

CollectedRequest ParseHead(const std::string& head) {
  CollectedRequest request;
  std::istringstream lines(head);
  lines >> request.method >> request.path;
  std::string line;
  std::getline(lines, line);  // the rest of the first one
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::size_t value = line.find_first_not_of(' ', colon + 1);
    const std::size_t end = line.find_last_not_of("\r ");
    request.headers[name] = value == std::string::npos || end < value ? "" : line.substr(value, end + 1 - value);
  }
  return request;
}

std::string Written(const CollectorReply& reply) {
  std::ostringstream text;
  text << "HTTP/1.1 " << reply.status << " X\r\n";
  for (const auto& [name, value] : reply.headers) text << name << ": " << value << "\r\n";
  if (!reply.trailers) {
    text << "content-length: " << reply.body.size() << "\r\n\r\n" << reply.body;
    return text.str();
  }
  text << "transfer-encoding: chunked\r\n\r\n";
  if (!reply.body.empty()) text << std::hex << reply.body.size() << "\r\n" << reply.body << "\r\n";
  text << "0\r\n";
  for (const auto& [name, value] : *reply.trailers) text << name << ": " << value << "\r\n";
  text << "\r\n";
  return text.str();
}

// Until the text has so many bytes; false when the client is gone before.
bool ReadUntil(ByteStream& stream, std::string& text, std::size_t bytes) {
  while (text.size() < bytes) {
    const std::string piece = stream.Read();
    if (piece.empty()) return false;
    text += piece;
  }
  return true;
}

// False when the connection is over.
bool ServeOne(ByteStream& stream, CollectorState& state, int connection, std::string& text) {
  std::size_t end = std::string::npos;
  while ((end = text.find("\r\n\r\n")) == std::string::npos) {
    if (!ReadUntil(stream, text, text.size() + 1)) return false;
  }
  CollectedRequest request = ParseHead(text.substr(0, end + 2));
  request.connection = connection;
  text.erase(0, end + 4);
  const CollectorReply reply = state.TakeReply();
  if (reply.act == CollectorReply::Act::kHangUp) {
    state.KeepCut(std::move(request));
    return false;
  }
  const auto length = request.headers.find("content-length");
  const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
  if (!ReadUntil(stream, text, size)) return false;
  state.Keep(std::move(request), text.substr(0, size));
  text.erase(0, size);
  if (reply.act == CollectorReply::Act::kSilence) return true;
  if (reply.act == CollectorReply::Act::kGarbage) {
    stream.Write("this is not HTTP at all\n");
    return false;
  }
  if (reply.delay.count() > 0 && !state.Pause(reply.delay)) return false;
  return stream.Write(Written(reply));
}

}  // namespace

void ServeHttp1(ByteStream& stream, CollectorState& state, int connection) {
  std::string text;
  while (ServeOne(stream, state, connection, text)) {
  }
}

}  // namespace awf::fakes

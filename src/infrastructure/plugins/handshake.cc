#include "infrastructure/plugins/handshake.h"

#include <arpa/inet.h>

#include <charconv>
#include <optional>
#include <vector>

#include "domain/trimmed.h"
#include "infrastructure/plugins/shown_text.h"

namespace awf::plugins {
namespace {

constexpr int kCoreProtocol = 1;
constexpr int kPluginProtocol = 1;
constexpr std::size_t kFewestFields = 4;
constexpr std::size_t kShortestCertificate = 50;  // what is not longer is none

std::vector<std::string_view> Fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t bar = line.find('|');
    fields.push_back(Trimmed(line.substr(0, bar)));
    if (bar == std::string_view::npos) return fields;
    line.remove_prefix(bar + 1);
  }
}

std::optional<int> Number(std::string_view text) {
  int number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// gRPC reads its targets as URIs.
std::string PercentEncoded(std::string_view path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : path) {
    if (kPlain.find(c) != std::string_view::npos) {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.push_back('%');
    encoded.push_back(kDigits[byte >> 4]);
    encoded.push_back(kDigits[byte & 15]);
  }
  return encoded;
}

std::expected<std::string, std::string> TcpTarget(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  const std::string_view host = address.substr(0, colon);
  const int port = colon == std::string_view::npos ? 0 : Number(address.substr(colon + 1)).value_or(0);
  const std::string dotted(host == "localhost" ? "127.0.0.1" : host);
  in_addr parsed{};
  if (::inet_pton(AF_INET, dotted.c_str(), &parsed) != 1 || port < 1 || port > 65535) {
    return std::unexpected("address " + Quoted(address) + " is no IPv4 address with a port");
  }
  return "ipv4:" + dotted + ":" + std::to_string(port);
}

std::expected<std::string, std::string> Target(std::string_view network, std::string_view address) {
  if (network == "tcp") return TcpTarget(address);
  if (network != "unix") return std::unexpected("unknown network " + Quoted(network));
  if (!address.starts_with('/')) {
    return std::unexpected("address " + Quoted(address) + " is no absolute path");
  }
  return "unix:" + PercentEncoded(address);
}

}  // namespace

std::expected<Handshake, std::string> ParseHandshake(std::string_view line, std::string_view plugin) {
  const std::vector<std::string_view> fields = Fields(line);
  const std::optional<int> core = Number(fields[0]);
  const std::optional<int> app = fields.size() < kFewestFields ? std::nullopt : Number(fields[1]);
  if (!core || !app || fields[3].empty()) {
    return std::unexpected("first stdout line is not a plugin handshake: " + Quoted(line));
  }
  const std::string name(plugin);
  if (*core != kCoreProtocol) {
    return std::unexpected(name + " speaks go-plugin core protocol " + std::to_string(*core) + ", awf speaks 1");
  }
  if (*app != kPluginProtocol) {
    return std::unexpected(name + " speaks plugin protocol " + std::to_string(*app) + ", awf accepts 1");
  }
  auto target = Target(fields[2], fields[3]);
  if (!target) return std::unexpected(target.error());
  // Without the field the wire is that of net/rpc, the older of go-plugin's two.
  const std::string_view protocol = fields.size() > 4 && !fields[4].empty() ? fields[4] : "netrpc";
  if (protocol != "grpc") {
    return std::unexpected(name + " speaks " + Quoted(protocol) + ", only grpc is supported");
  }
  if (fields.size() > 6 && fields[6] == "true") {
    return std::unexpected(name + " multiplexes its gRPC connections, which awf does not support");
  }
  Handshake handshake{std::move(*target), {}, {}};
  if (fields[2] == "unix") handshake.socket = fields[3];
  if (fields.size() > 5 && fields[5].size() > kShortestCertificate) handshake.certificate = fields[5];
  return handshake;
}

}  // namespace awf::plugins

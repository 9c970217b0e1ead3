#include "infrastructure/otlp/export_connection.h"

#include <utility>

#include "application/language/characters.h"
#include "infrastructure/otlp/endpoint.h"
#include "infrastructure/otlp/export_answer.h"

namespace awf::otlp {
namespace {

std::string EndpointOf(const std::string& url) {
  auto endpoint = ParseEndpoint(url);
  if (!endpoint) return "an address that is no URL";
  endpoint->user_info.clear();
  return endpoint->Url("http", endpoint->path);
}

bool BelongsToProtocol(const http::HttpHeader& header) {
  std::string name = header.name;
  for (char& c : name) c = ToLower(c);
  return name.starts_with("content-") || name.starts_with("grpc-") || name == "te" || name == "accept" ||
         name == "expect" || name == "connection" || name == "transfer-encoding" || name == "upgrade";
}

ExportSettings WithoutProtocolHeaders(ExportSettings settings) {
  std::erase_if(settings.headers, BelongsToProtocol);
  return settings;
}

}  // namespace

ExportConnection::ExportConnection(const ExportSettings& settings)
    : settings_(WithoutProtocolHeaders(settings)),
      endpoint_(EndpointOf(settings.url)),
      connection_(http::HttpLimits{.answer = kLongestAnswer}) {}

http::HttpRequest ExportConnection::NewRequest(const Deadline& deadline, std::stop_token stop) const {
  http::HttpRequest request;
  request.url = settings_.url;
  request.deadline = deadline;
  request.cancelled = std::move(stop);
  request.accept.clear();
  request.headers = settings_.headers;
  request.follow_redirects = false;
  request.ca_file = settings_.ca_file;
  request.client_certificate = settings_.client_certificate;
  request.client_key = settings_.client_key;
  return request;
}

}  // namespace awf::otlp

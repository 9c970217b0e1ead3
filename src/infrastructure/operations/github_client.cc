#include "infrastructure/operations/github_client.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "domain/parse_json.h"
#include "domain/trimmed.h"
#include "infrastructure/http/url.h"
#include "infrastructure/operations/github_answer.h"
#include "infrastructure/operations/hidden_secret.h"
#include "infrastructure/operations/operation_failure.h"

namespace awf::operations {
namespace {

using std::chrono::seconds;

constexpr const char* kPublicApi = "https://api.github.com";
constexpr const char* kVersion = "2022-11-28";
constexpr seconds kPatience{30};
constexpr seconds kLongestWait{60};
constexpr std::size_t kPage = 100;

std::string BaseOf(const Variables& variables) {
  const std::string url = variables("GITHUB_API_URL").value_or("");
  return url.empty() ? kPublicApi : std::string(Trimmed(url, "/ "));
}

// Read without libcurl, which is not loaded before it is needed; what is sent is checked by libcurl's parser.
std::string HostIn(std::string_view url) {
  const std::size_t scheme = url.find("://");
  url.remove_prefix(scheme == std::string_view::npos ? 0 : scheme + 3);
  url = url.substr(0, url.find('/'));
  std::string host(url.starts_with('[') ? url.substr(0, url.find(']') + 1) : url.substr(0, url.find(':')));
  for (char& c : host) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (http::IsLoopback(host)) return {};
  return host.starts_with("api.") ? host.substr(4) : host;
}

std::string FaultOf(const std::string& base) {
  const auto url = http::ReadUrl(base);
  if (!url) {
    return url.error().kind == http::HttpFailure::Kind::kBadUrl ? "GITHUB_API_URL is no https URL"
                                                                : url.error().message;
  }
  if (url->has_credentials || base.find_first_of("?#") != std::string::npos) {
    return "GITHUB_API_URL must be a plain URL, without name, password or query";
  }
  if (url->scheme != "https" && !http::IsLoopback(url->host)) {
    return "GITHUB_API_URL must be https, as a token goes there, or http to this machine";
  }
  return {};
}

// False when cancelled.
bool WaitUntil(SteadyClock::time_point until, const std::stop_token& cancelled) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, cancelled, until, [] { return false; });
  return !cancelled.stop_requested();
}

}  // namespace

GithubClient::GithubClient(Variables variables)
    : base_(BaseOf(variables)), host_(HostIn(base_)), token_(std::move(variables), host_) {}

GithubClient::Answer GithubClient::Once(const std::string& method, const std::string& url, const std::string& body,
                                        const std::string& token, const OperationCall& call) const {
  http::HttpRequest request;
  request.url = url;
  request.bearer_token = token;
  request.body = body;
  if (body.empty()) request.content_type.clear();
  request.accept = "application/vnd.github+json";
  request.headers = {{"X-GitHub-Api-Version", kVersion}};
  request.cancelled = call.cancelled;
  request.deadline = Earlier(call.deadline, SteadyClock::now() + kPatience);
  auto response = http::HttpClient().Send(method, request);
  if (response) return std::move(*response);
  return std::unexpected(FailureOf(response.error(), call, std::to_string(kPatience.count()) + " s"));
}

std::expected<json::value, GithubRefusal> GithubClient::Send(const std::string& method, const std::string& path,
                                                             const json::value& body, const OperationCall& call) {
  if (std::string fault = FaultOf(base_); !fault.empty()) {
    return std::unexpected(GithubRefusal{0, nullptr, Refused(kAuth, fault)});
  }
  const auto token = token_.Get(call);
  if (!token) return std::unexpected(GithubRefusal{0, nullptr, token.error()});
  const std::string text = body.is_null() ? std::string() : json::serialize(body);
  for (bool may_wait = true;; may_wait = false) {
    const Answer response = Once(method, base_ + path, text, *token, call);
    if (!response) return std::unexpected(GithubRefusal{0, nullptr, response.error()});
    const std::optional<json::value> answer = ParseJson(response->body);
    constexpr long kOk = 200, kRedirect = 300;
    if (response->status >= kOk && response->status < kRedirect) {
      if (answer) return *answer;
      return std::unexpected(GithubRefusal{0, nullptr, Refused(kNetwork, "the answer of GitHub is no JSON")});
    }
    const auto now = WallClock::now();
    const json::value told = answer.value_or(nullptr);
    GithubRefusal refusal{response->status, told, RefusalOf(*response, told, now)};
    const auto limited_until = RateLimitEnd(*response, told, now);
    if (!limited_until || !may_wait || *limited_until - now > kLongestWait) return std::unexpected(std::move(refusal));
    const auto again = SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(*limited_until - now);
    if (call.deadline && again >= *call.deadline) return std::unexpected(std::move(refusal));
    if (!WaitUntil(again, call.cancelled)) return std::unexpected(GithubRefusal{0, nullptr, Cancelled()});
  }
}

std::expected<json::array, GithubRefusal> GithubClient::List(const std::string& path, std::size_t limit,
                                                             const OperationCall& call) {
  json::array elements;
  const std::size_t size = std::min(limit, kPage);
  for (int page = 1; elements.size() < limit; ++page) {
    const std::string separator = path.ends_with('?') ? "" : "&";
    auto answer = Get(path + separator + "per_page=" + std::to_string(size) + "&page=" + std::to_string(page), call);
    if (!answer) return std::unexpected(std::move(answer.error()));
    json::array* part = answer->if_array();
    if (part == nullptr) {
      return std::unexpected(GithubRefusal{0, nullptr, Refused(kNetwork, "the answer of GitHub is no list")});
    }
    for (json::value& element : *part) {
      if (elements.size() < limit) elements.push_back(std::move(element));
    }
    if (part->size() < size) break;
  }
  return elements;
}

void GithubClient::Hide(OperationResult& result) const { HideSecret(result, token_.Known()); }

std::string PercentEncoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF", kPlain = "-._~";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (plain || kPlain.contains(c)) {
      encoded += c;
    } else {
      encoded.append({'%', kDigits[byte >> 4U], kDigits[byte & 15U]});
    }
  }
  return encoded;
}

}  // namespace awf::operations

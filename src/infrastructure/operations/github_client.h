// GithubClient: requests to GitHub's REST API, with the user's token, and its answers as JSON or typed failures.
//
// The token goes over https alone, or to this machine; it appears in no result. When GitHub says that the rate limit is
// reached, it did not act: then the client waits once, up to 60 s, if the call's time allows. Nothing else is repeated.
// Thread-safe; each request has a connection of its own.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"
#include "domain/operation.h"
#include "infrastructure/http/http_client.h"
#include "infrastructure/operations/github_token.h"

namespace awf::operations {

// What GitHub says of one request that it refuses.
struct GithubRefusal {
  long status = 0;   // 0: there was no answer
  json::value body;  // null when it is no JSON
  OperationResult result;
};

class GithubClient {
 public:
  // GITHUB_API_URL, GITHUB_TOKEN, PATH, …
  explicit GithubClient(Variables variables);

  // GET with an empty body. `path` begins with a slash.
  std::expected<json::value, GithubRefusal> Send(const std::string& method, const std::string& path,
                                                 const json::value& body, const OperationCall& call);
  std::expected<json::value, GithubRefusal> Get(const std::string& path, const OperationCall& call) {
    return Send("GET", path, nullptr, call);
  }
  // The elements of a list, page by page. `path` has its query already, or ends with "?".
  std::expected<json::array, GithubRefusal> List(const std::string& path, std::size_t limit, const OperationCall& call);

  // Of the repositories that it serves, without "api."; empty when it is this machine.
  const std::string& host() const { return host_; }
  // Takes the token out of what goes back.
  void Hide(OperationResult& result) const;

 private:
  using Answer = std::expected<http::HttpResponse, OperationResult>;

  Answer Once(const std::string& method, const std::string& url, const std::string& body, const std::string& token,
              const OperationCall& call) const;

  std::string base_, host_;
  std::string fault_;  // why the URL of the API cannot be used
  GithubToken token_;
};

// "a b" → "a%20b"
std::string PercentEncoded(std::string_view text);

}  // namespace awf::operations

#include "infrastructure/operations/http_operations.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "domain/parse_json.h"
#include "domain/secret_names.h"
#include "domain/utf8.h"
#include "infrastructure/http/http_client.h"
#include "infrastructure/http/url.h"
#include "infrastructure/operations/call_inputs.h"
#include "infrastructure/operations/declaration.h"
#include "infrastructure/operations/operation_failure.h"

namespace awf::operations {
namespace {

using http::HttpHeader;
using http::HttpResponse;

constexpr std::size_t kMostBody = std::size_t{1} << 20;
constexpr int kMostRedirects = 5;
constexpr double kDefaultTimeout = 30;
constexpr double kLongestTimeout = 86'400;
constexpr std::array<std::string_view, 6> kMethods = {"GET", "POST", "PUT", "DELETE", "PATCH", "HEAD"};

std::vector<Operation> Declared() {
  return {
      {"request",
       "Sends one HTTP request (http or https; TLS is verified). Every answer is a success, whatever its status. Up "
       "to 5 redirects are followed, never from https to http; on the way to another host, Authorization, Cookie "
       "and other headers with names of secrets are left out. It runs outside the sandbox of the step.",
       {Required("url", "string", "http:// or https://", "url"),
        Optional("method", "string", "GET, POST, PUT, DELETE, PATCH, HEAD", "GET"),
        Optional("headers", "object",
                 "names and values; Content-Type is application/json where the body is JSON, else text/plain, "
                 "unless given"),
        Optional("body", "string", "as sent"), Optional("timeout", "number", "seconds, redirects included", "30"),
        Optional("retryable_status_codes", "array",
                 "integers: an answer with one of these statuses is a failure, its outputs kept, so that the "
                 "step's retry acts")},
       {{"status_code", "integer", "of the answer"},
        {"body", "string", "at most 1 MiB; bytes that are not UTF-8 become U+FFFD"},
        {"headers", "object", "of the answer, names in lower case, repeated ones joined by a comma"},
        {"body_truncated", "boolean", "there was more of it"}}}};
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// What is to be asked, as it changes from redirect to redirect.
struct Question {
  std::string method;
  http::Url url;
  http::HttpRequest request;
  std::vector<std::int64_t> retryable;
  std::string patience;  // in words
};

// "30", "0.05"
std::string Seconds(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.begin(), text.end(), value).ptr;
  return std::string(text.begin(), end) + " s";
}

std::string TextOfValue(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

void ReadHeaders(CallInputs& inputs, http::HttpRequest& request) {
  request.accept = "*/*";
  request.content_type.clear();
  if (!request.body.empty())
    request.content_type = ParseJson(request.body) ? "application/json" : "text/plain; charset=utf-8";
  const json::object* headers = inputs.Object("headers");
  if (headers == nullptr) return;
  for (const auto& [name, value] : *headers) {
    const std::string lower = Lower(name);
    if (value.is_object() || value.is_array() || value.is_null()) {
      inputs.Fault("headers", "must hold texts");
    } else if (lower == "content-length" || lower == "transfer-encoding") {
      inputs.Fault("headers", "must not hold " + lower + ", which follows from the body");
    } else if (lower == "content-type") {
      request.content_type = TextOfValue(value);
    } else if (lower == "accept") {
      request.accept = TextOfValue(value);
    } else {
      request.headers.push_back({std::string(name), TextOfValue(value)});
    }
  }
}

void ReadRetryable(CallInputs& inputs, std::vector<std::int64_t>& codes) {
  const json::array* values = inputs.Array("retryable_status_codes");
  if (values == nullptr) return;
  for (const json::value& value : *values) {
    std::optional<std::int64_t> code = WholeNumber(value);
    if (const json::string* text = value.if_string()) {  // the schema of arrays speaks of strings
      std::int64_t number = 0;
      const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), number);
      if (fault == std::errc() && end == text->data() + text->size()) code = number;
    }
    if (!code || *code < 100 || *code > 599) {
      inputs.Fault("retryable_status_codes", "must hold integers from 100 to 599");
      return;
    }
    codes.push_back(*code);
  }
}

std::expected<Question, OperationResult> Read(const OperationCall& call) {
  CallInputs inputs(call.inputs);
  Question question;
  const std::string url = inputs.Text("url", CallInputs::kRequired);
  question.method = inputs.Word("method", kMethods, "GET");
  question.request.body = inputs.Text("body");
  ReadHeaders(inputs, question.request);
  const double timeout = inputs.Number("timeout").value_or(kDefaultTimeout);
  if (!(timeout > 0 && timeout <= kLongestTimeout)) inputs.Fault("timeout", "must be above 0 and at most 86400");
  ReadRetryable(inputs, question.retryable);
  if (question.method == "HEAD" && !question.request.body.empty()) inputs.Fault("body", "has no place in HEAD");
  if (!inputs.fault().empty()) return std::unexpected(Refused(kInvalidField, inputs.fault()));
  question.patience = Seconds(timeout);
  question.request.cancelled = call.cancelled;
  const auto until =
      SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(timeout));
  question.request.deadline = Earlier(call.deadline, until);
  auto parsed = http::ReadUrl(url);
  if (!parsed) {
    const bool is_url = parsed.error().kind == http::HttpFailure::Kind::kBadUrl;
    return std::unexpected(is_url ? Refused(kInvalidField, "url must be an http or https URL")
                                  : FailureOf(parsed.error(), call, question.patience));
  }
  question.url = std::move(*parsed);
  question.request.url = question.url.text;
  question.request.follow_redirects = false;
  return question;
}

// Names that speak of a secret, the name of the server, and what is told to a proxy.
bool StaysWithItsHost(const std::string& name) { return IsSecretName(name) || Lower(name) == "host"; }

// Turns the question into that which the answer sends on to. False: the answer is the last one.
bool Follow(const HttpResponse& response, Question& question) {
  constexpr std::array<long, 5> kRedirects = {301, 302, 303, 307, 308};
  if (std::ranges::find(kRedirects, response.status) == kRedirects.end()) return false;
  const auto location = std::ranges::find(response.headers, "location", &HttpHeader::name);
  if (location == response.headers.end()) return false;
  auto next = http::ReadUrl(location->value, question.url.text);
  if (!next || (question.url.scheme == "https" && next->scheme != "https")) return false;
  const bool becomes_get =
      response.status == 303 ? question.method != "HEAD" : response.status <= 302 && question.method == "POST";
  if (becomes_get) {
    question.method = "GET";
    question.request.body.clear();
    question.request.content_type.clear();
  }
  if (!next->SameOrigin(question.url)) {
    std::erase_if(question.request.headers, [](const HttpHeader& header) { return StaysWithItsHost(header.name); });
  }
  question.url = std::move(*next);
  question.request.url = question.url.text;
  return true;
}

OperationResult ResultOf(const HttpResponse& response, const Question& question) {
  OperationResult result;
  std::string_view bytes = response.body;
  if (response.cut) bytes.remove_suffix(UnfinishedUtf8(bytes));
  const std::string text = RepairUtf8(bytes);
  const std::string_view body = Utf8Prefix(text, kMostBody);  // each bad byte became three
  json::object headers;
  for (const HttpHeader& header : response.headers) {
    json::value& value = headers[RepairUtf8(header.name)];
    const std::string more = RepairUtf8(header.value);
    value = value.is_string() ? std::string(value.get_string()) + ", " + more : more;
  }
  result.data = {{"status_code", response.status},
                 {"body", body},
                 {"headers", std::move(headers)},
                 {"body_truncated", response.cut || body.size() < text.size()}};
  result.success = std::ranges::find(question.retryable, response.status) == question.retryable.end();
  if (!result.success) {
    result.data["error_type"] = "retryable_status";
    result.error =
        "retryable_status: " + question.url.host + " answered with status " + std::to_string(response.status);
  }
  return result;
}

class HttpOperations final : public OperationProvider {
 public:
  std::string_view Name() const override { return "http"; }
  const std::vector<Operation>& Operations() const override { return operations_; }

  OperationResult Execute(const OperationCall& call) override {
    if (call.operation != "request") return UnknownOperation(Name(), call.operation);
    auto question = Read(call);
    if (!question) return std::move(question.error());
    const http::HttpClient client({.answer = kMostBody, .cut_answer = true});
    for (int redirects = 0;; ++redirects) {
      const auto response = client.Send(question->method, question->request);
      if (!response) return FailureOf(response.error(), call, question->patience);
      if (!Follow(*response, *question)) return ResultOf(*response, *question);
      if (redirects == kMostRedirects) return Refused(kNetwork, "more than 5 redirects");
    }
  }

 private:
  const std::vector<Operation> operations_ = Declared();
};

}  // namespace

std::shared_ptr<OperationProvider> MakeHttpOperations() { return std::make_shared<HttpOperations>(); }

}  // namespace awf::operations

// ChatEndpoint: one server of the Chat Completions format, as one agent step uses it. Asks, streams the text to the
// observer, and asks again where that may help (chat_retry.h): tools run only after a whole answer, so it is safe.
//
// Used by one thread. Cancelling the step or its deadline ends a request or a pause.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "domain/masker.h"
#include "infrastructure/agents/chat_completions.h"
#include "infrastructure/http/http_client.h"

namespace awf::agents {

class ChatStream;

class ChatEndpoint {
 public:
  struct Settings {
    std::string url;    // whole: …/chat/completions
    std::string key;    // may be empty
    std::string model;  // for messages
    bool stream = false;
    std::vector<http::HttpHeader> headers;
    std::chrono::milliseconds first_retry{1000};
    http::HttpLimits limits{};
    // How long a stream that has its finish_reason may go on, for its token counts; half a second of it is for waking.
    std::chrono::milliseconds grace{1500};
  };

  // The request, the observer and the masker outlive the endpoint.
  ChatEndpoint(Settings settings, const AgentRequest& step, RunObserver& observer, const Masker& masker)
      : settings_(std::move(settings)), client_(settings_.limits), step_(step), observer_(observer), masker_(masker) {}

  // `body` is the request without what belongs to streaming; `used_ids` as for ParseChatAnswer. An answer without usage
  // gets an estimate.
  std::expected<ChatAnswer, Error> Ask(json::object body, std::set<std::string>& used_ids);

 private:
  // Why an attempt failed, and whether another may not.
  struct Failure {
    Error error;
    long status = 0;
    bool again = false;
    bool told = false;                           // a part of the answer was shown
    std::optional<std::chrono::seconds> wanted;  // Retry-After
    bool refuses_usage = false;                  // of a stream
  };
  using Outcome = std::expected<ChatAnswer, Failure>;

  Outcome Once(const json::object& body, std::set<std::string>& used_ids);
  Outcome Read(const http::HttpResponse& response, std::set<std::string>& used_ids) const;
  Outcome ReadStream(ChatStream& stream, std::set<std::string>& used_ids) const;
  Failure Unreachable(const http::HttpFailure& failure) const;
  Failure Refused(const http::HttpResponse& response) const;
  Failure Faulty(const ChatFault& fault) const;
  Error ErrorOf(long status, const ChatFault& fault, std::string message) const;
  bool WaitToRetry(int retry, Failure& failure);

  const Settings settings_;
  const http::HttpClient client_;
  const AgentRequest& step_;
  RunObserver& observer_;
  const Masker& masker_;
  bool asks_usage_ = true;  // of a stream; older servers refuse to be asked
  bool told_cut_ = false;   // once in a step is enough
};

}  // namespace awf::agents

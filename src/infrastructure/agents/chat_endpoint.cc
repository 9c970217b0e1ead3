#include "infrastructure/agents/chat_endpoint.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "infrastructure/agents/chat_retry.h"
#include "infrastructure/agents/chat_stream.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

using std::chrono::milliseconds;

// Sleeps unless the step is cancelled; false then.
bool Pause(milliseconds duration, const std::stop_token& cancelled) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, cancelled, duration, [] { return false; });
  return !cancelled.stop_requested();
}

std::optional<milliseconds> Left(const Deadline& deadline) {
  if (!deadline) return std::nullopt;
  return milliseconds(RemainingMs(deadline));
}

TokenUsage EstimatedUsage(const json::object& request, const ChatAnswer& answer) {
  TokenUsage usage;
  usage.input = static_cast<std::int64_t>(json::serialize(request).size() / 4);
  usage.output = static_cast<std::int64_t>(json::serialize(answer.message).size() / 4);
  usage.total = usage.input + usage.output;
  usage.estimated = true;
  return usage;
}

}  // namespace

std::expected<ChatAnswer, Error> ChatEndpoint::Ask(json::object body, std::set<std::string>& used_ids) {
  if (settings_.stream) body["stream"] = true;
  for (int retry = 0;;) {
    if (settings_.stream && asks_usage_) {
      body["stream_options"] = json::object{{"include_usage", true}};
    } else {
      body.erase("stream_options");
    }
    Outcome outcome = Once(body, used_ids);
    if (outcome) {
      if (!outcome->usage) outcome->usage = EstimatedUsage(body, *outcome);
      return std::move(*outcome);
    }
    Failure& failure = outcome.error();
    if (failure.refuses_usage && asks_usage_) {
      asks_usage_ = false;
      observer_.Logged(&step_.step, LogLevel::kDebug, "the server refuses stream_options; asked again without",
                       json::object{{"status", failure.status}});
      continue;
    }
    if (!failure.again || retry == kChatRetries || !WaitToRetry(retry, failure)) {
      return std::unexpected(std::move(failure.error));
    }
    ++retry;
  }
}

ChatEndpoint::Outcome ChatEndpoint::Once(const json::object& body, std::set<std::string>& used_ids) {
  http::HttpRequest request{settings_.url, settings_.key, json::serialize(body), step_.deadline, step_.cancelled};
  request.headers = settings_.headers;
  if (!settings_.stream) {
    const auto response = client_.Post(request);
    if (!response) return std::unexpected(Unreachable(response.error()));
    Outcome outcome = Read(*response, used_ids);
    if (outcome && !outcome->text.empty()) observer_.AgentText(step_.step, outcome->text);
    return outcome;
  }
  ChatStream stream([&](std::string_view text) { observer_.AgentText(step_.step, text); }, settings_.limits.answer);
  request.accept = "text/event-stream, application/json";
  Deadline until;  // once nothing is missing
  request.on_data = [&](std::string_view bytes) {
    const bool more = stream.Append(bytes);
    if (!until && stream.over()) until = SteadyClock::now() + settings_.grace;
    return more;
  };
  request.enough = [&until] { return Passed(until); };
  const auto response = client_.Post(request);
  // What is over is over, however the connection ended then.
  const bool whole = stream.over() && !step_.cancelled.stop_requested();
  Outcome outcome = whole || (response && response->status >= 200 && response->status <= 299)
                        ? ReadStream(stream, used_ids)
                    : response ? Outcome(std::unexpected(Refused(*response)))
                               : Outcome(std::unexpected(Unreachable(response.error())));
  if (!outcome) {
    outcome.error().told = stream.told();
  } else if (!stream.told() && !outcome->text.empty()) {
    observer_.AgentText(step_.step, outcome->text);
  }
  return outcome;
}

ChatEndpoint::Outcome ChatEndpoint::Read(const http::HttpResponse& response, std::set<std::string>& used_ids) const {
  if (response.status < 200 || response.status > 299) return std::unexpected(Refused(response));
  auto answer = ParseChatAnswer(response.body, used_ids);
  if (!answer) return std::unexpected(Faulty(answer.error()));
  return std::move(*answer);
}

ChatEndpoint::Outcome ChatEndpoint::ReadStream(ChatStream& stream, std::set<std::string>& used_ids) const {
  auto answer = stream.Finish(used_ids);
  if (!answer) return std::unexpected(Faulty(answer.error()));
  return std::move(*answer);
}

ChatEndpoint::Failure ChatEndpoint::Unreachable(const http::HttpFailure& failure) const {
  Failure failed;
  const bool sent = failure.kind != http::HttpFailure::Kind::kNoLibrary;
  failed.error = Fail("EXECUTION.AGENT.FAILED", (sent ? "request to " : "") + failure.message, failure.hint).error();
  failed.again = IsRetried(failure.kind);
  return failed;
}

ChatEndpoint::Failure ChatEndpoint::Refused(const http::HttpResponse& response) const {
  const ChatFault fault = ParseChatFault(response.body);
  std::string text = "HTTP " + std::to_string(response.status);
  if (!fault.message.empty()) text += ": " + ShownChatFault(fault, masker_);
  Failure failed;
  failed.error = ErrorOf(response.status, fault, std::move(text));
  failed.status = response.status;
  failed.again = IsRetriedStatus(response.status);
  failed.wanted = response.retry_after;
  failed.refuses_usage = (response.status == 400 || response.status == 422) &&
                         (response.body.find("stream_options") != std::string::npos ||
                          response.body.find("include_usage") != std::string::npos);
  return failed;
}

// Of an answer with a good status.
ChatEndpoint::Failure ChatEndpoint::Faulty(const ChatFault& fault) const {
  Failure failed;
  failed.error = ErrorOf(fault.status, fault, settings_.model + ": " + ShownChatFault(fault, masker_));
  failed.again = fault.cut;
  return failed;
}

Error ChatEndpoint::ErrorOf(long status, const ChatFault& fault, std::string message) const {
  const auto error = [&](const char* code, const char* hint) { return Fail(code, std::move(message), hint).error(); };
  if (fault.context_length && status != 429) {
    return error(
        "EXECUTION.AGENT.FAILED",
        "The conversation is longer than the model can read: shorten the prompt, let tools return less, or use "
        "a model that reads more.");
  }
  if (status == 401 || status == 403) {
    return error("EXECUTION.AGENT.AUTH", "Set OPENAI_API_KEY, or options.api_key from an input or env.");
  }
  if (status == 429) return error("EXECUTION.AGENT.RATE_LIMITED", "");
  return error("EXECUTION.AGENT.FAILED", "");
}

// False, with the reason in the error where there is one, when no other try is made.
bool ChatEndpoint::WaitToRetry(int retry, Failure& failure) {
  const auto pause = ChatRetryPause(retry, settings_.first_retry, failure.wanted, Left(step_.deadline));
  if (!pause) {
    failure.error.message += "; " + pause.error();
    return false;
  }
  if (failure.told) {
    // The live text begins anew, on a line of its own.
    observer_.AgentText(step_.step, "\n");
    if (!std::exchange(told_cut_, true)) {
      observer_.Logged(&step_.step, LogLevel::kWarn, "the answer was cut and is asked for again",
                       json::object{{"provider", step_.provider_as_written}});
    }
  }
  observer_.Logged(&step_.step, LogLevel::kInfo, "model request retried",
                   json::object{{"attempt", retry + 1},
                                {"delay_ms", pause->count()},
                                {"status", failure.status != 0 ? json::value(failure.status) : json::value()}});
  return Pause(*pause, step_.cancelled);
}

}  // namespace awf::agents

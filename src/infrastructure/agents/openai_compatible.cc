#include "infrastructure/agents/openai_compatible.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <thread>

#include "application/tools/tool_router.h"
#include "domain/masker.h"
#include "domain/random_id.h"
#include "infrastructure/agents/chat_completions.h"
#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/step_tools.h"
#include "infrastructure/agents/stream_json.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf::agents {
namespace {

using http::HttpFailure;
using std::chrono::milliseconds;

constexpr int kRetries = 3;
constexpr std::chrono::seconds kLongestRetryAfter{60};
constexpr int kDefaultTurns = 25;
constexpr std::size_t kParallelCalls = 8;

Error NewError(std::string code, std::string message, std::string hint = {}) {
  return Fail(std::move(code), std::move(message), std::move(hint)).error();
}

// The router's reports become the step's.
class CallReporter final : public ToolObserver {
 public:
  CallReporter(const StepContext& step, RunObserver& observer) : step_(step), observer_(observer) {}
  void Started(const CallRecord& call) override { observer_.CallStarted(step_, call); }
  void Finished(const CallRecord& call, const CallEnd& end) override { observer_.CallFinished(step_, call, end); }

 private:
  const StepContext& step_;
  RunObserver& observer_;
};

std::string ResultText(const ToolResult& result) {
  std::string text;
  for (const Content& content : result.content) {
    if (const auto* block = std::get_if<TextContent>(&content)) {
      if (!text.empty()) text += "\n";
      text += block->text;
    }
  }
  return result.is_error ? "Error: " + text : text;
}

// Sleeps unless cancelled or past the deadline; false then.
bool Pause(milliseconds duration, const AgentRequest& request) {
  const auto until = SteadyClock::now() + duration;
  if (request.deadline && until >= *request.deadline) return false;
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_until(lock, request.cancelled, until, [] { return false; });
  return !request.cancelled.stop_requested();
}

bool IsRetried(const std::expected<http::HttpResponse, HttpFailure>& response) {
  if (!response) {
    return response.error().kind == HttpFailure::Kind::kNoConnection ||
           response.error().kind == HttpFailure::Kind::kBroken;
  }
  return response->status == 408 || response->status == 429 || response->status >= 500;
}

// One step's conversation.
class Conversation {
 public:
  Conversation(const OpenAiCompatible::Settings& settings, const AgentRequest& request, RunObserver& observer)
      : settings_(settings),
        request_(request),
        observer_(observer),
        client_(settings.limits),
        reporter_(request.step, observer) {}

  StepResult Run(const OpenAiCompatible::MakeTools& make_tools) {
    const auto begin = SteadyClock::now();
    StepResult result;
    auto failure = Start(make_tools);
    if (!failure) failure = Loop();
    if (request_.cancelled.stop_requested() && failure) {
      failure = NewError("EXECUTION.RUN.CANCELLED", "the agent was stopped");
      result.end.status = StepStatus::kCancelled;
    } else if (Passed(request_.deadline) && failure) {
      failure = NewError("EXECUTION.AGENT.TIMEOUT", "the agent ran into the timeout of its step",
                         "Raise timeout of the state.");
      result.end.status = StepStatus::kTimeout;
    } else if (failure) {
      result.end.status = StepStatus::kFailure;
    }
    if (failure) {
      failure->message = masker_.MaskText(failure->message);
      failure->step = request_.step.step;
      result.end.exit_code = 1;
    }
    result.end.error = std::move(failure);
    result.output = std::move(output_);
    result.end.usage = usage_;
    result.end.provider = request_.provider;
    result.end.model = model_;
    result.end.sandbox = sandbox_;
    result.end.proxy = request_.proxy.has_value();
    result.end.intercept = request_.proxy && request_.proxy->intercept_builtins;
    if (router_ && result.end.intercept) result.end.isolation = IsolationLevel::kProven;
    result.end.tool_calls = calls_;
    result.end.proxy_tools = router_ ? static_cast<int>(router_->Definitions().size()) : 0;
    result.end.duration = std::chrono::duration_cast<milliseconds>(SteadyClock::now() - begin);
    return result;
  }

 private:
  std::string Option(std::string_view key, std::string_view variable) const {
    std::string value = OptionText(request_.options, key);
    return value.empty() ? Environment(settings_.environment).Get(variable) : value;
  }

  std::optional<Error> Start(const OpenAiCompatible::MakeTools& make_tools) {
    if (request_.cancelled.stop_requested()) return NewError("EXECUTION.RUN.CANCELLED", "cancelled before the start");
    url_ = Option("base_url", "OPENAI_BASE_URL");
    model_ = Option("model", "OPENAI_MODEL");
    key_ = Option("api_key", "OPENAI_API_KEY");
    masker_.AddSecret(key_);
    if (url_.empty() || model_.empty()) {
      const std::string missing = url_.empty() ? "base_url" : "model";
      return NewError("USER.INPUT.VALIDATION_FAILED", "openai_compatible needs options." + missing,
                      "Set it in the step's options, or OPENAI_" + std::string(url_.empty() ? "BASE_URL" : "MODEL") +
                          " in the environment.");
    }
    while (url_.ends_with('/')) url_.pop_back();
    url_ += "/chat/completions";
    if (request_.proxy) {
      auto sandbox = EnforcedSandbox(request_.proxy->sandbox, request_.step, observer_);
      if (!sandbox) return sandbox.error();
      sandbox_ = *sandbox;
      auto providers = make_tools(request_);
      if (!providers) return providers.error();
      router_.emplace(checker_, reporter_);
      for (auto& provider : *providers) {
        if (auto added = router_->Add(provider); !added) return added.error();
      }
      TellReady();
      if (request_.proxy->intercept_builtins) {
        observer_.IsolationKnown(
            request_.step, {IsolationLevel::kProven, std::nullopt, {}, request_.provider_as_written, {}, "in-process"});
      }
    }
    std::string system = request_.system_prompt;
    if (system.empty()) system = OptionText(request_.options, "system_prompt");
    if (!system.empty()) messages_.emplace_back(json::object{{"role", "system"}, {"content", system}});
    messages_.emplace_back(json::object{{"role", "user"}, {"content", request_.prompt}});
    return std::nullopt;
  }

  // There is no server to connect to; what is offered is told all the same.
  void TellReady() {
    std::vector<std::string> names = router_->Names();
    std::ranges::sort(names);
    observer_.ProxyIsReady(
        request_.step,
        {"awf", {}, "in-process", std::move(names), json::serialize(ChatTools(router_->Definitions())), ::getpid(), 1});
  }

  std::optional<Error> Loop() {
    int turns = kDefaultTurns;
    const std::string wanted = OptionText(request_.options, "max_turns");
    std::from_chars(wanted.data(), wanted.data() + wanted.size(), turns);
    for (int turn = 0; turn < turns; ++turn) {
      auto answer = Ask();
      if (!answer) return answer.error();
      if (!answer->text.empty()) observer_.AgentText(request_.step, answer->text);
      if (answer->calls.empty() || !router_) {
        output_ = answer->text;
        return JudgeEnd(answer->finish_reason);
      }
      messages_.emplace_back(std::move(answer->message));
      RunCalls(answer->calls);
      // The failure is only a mark here: Run says why it ended.
      if (request_.cancelled.stop_requested() || Passed(request_.deadline)) {
        return NewError("EXECUTION.AGENT.FAILED", "ended while tools ran");
      }
    }
    std::string names;
    for (const std::string& name : last_calls_) names += (names.empty() ? "" : ", ") + name;
    return NewError("EXECUTION.MCP_PROXY.LOOP_GUARD",
                    "the model asked for tools in each of " + std::to_string(turns) + " requests; last calls: " + names,
                    "Narrow the prompt, or raise options.max_turns.");
  }

  std::optional<Error> JudgeEnd(const std::string& finish_reason) const {
    if (finish_reason == "content_filter") {
      return NewError("EXECUTION.AGENT.FAILED", model_ + ": the server's content filter cut the answer");
    }
    if (finish_reason == "tool_calls") {
      return NewError("EXECUTION.MCP_PROXY.LOOP_GUARD", model_ + " announced tool calls and sent none");
    }
    if (finish_reason == "length") {
      observer_.Logged(&request_.step, LogLevel::kWarn, "the answer was cut at the token limit",
                       json::object{{"provider", request_.provider_as_written}, {"model", model_}});
    }
    return std::nullopt;
  }

  std::string Body() const {
    json::object body{{"model", model_}, {"messages", messages_}};
    for (const char* key : {"temperature", "top_p", "max_completion_tokens", "max_tokens"}) {
      const json::value* value = request_.options.if_contains(key);
      if (value == nullptr) continue;
      // A template yields text; the server wants a number.
      const auto number = value->is_string() ? ParseRepairedJson(std::string_view(value->get_string())) : *value;
      if (number && number->is_number()) body[key] = *number;
    }
    if (router_ && !router_->Definitions().empty()) {
      body["tools"] = ChatTools(router_->Definitions());
      body["tool_choice"] = "auto";
    }
    return json::serialize(body);
  }

  std::expected<ChatAnswer, Error> Ask() {
    http::HttpRequest http_request{url_, key_, Body(), request_.deadline, request_.cancelled};
    for (int attempt = 0;; ++attempt) {
      auto response = client_.Post(http_request);
      if (attempt < kRetries && IsRetried(response) && WaitToRetry(attempt, response)) continue;
      if (!response) {
        return Fail("EXECUTION.AGENT.FAILED", "request to " + response.error().message, response.error().hint);
      }
      if (response->status < 200 || response->status > 299) return std::unexpected(StatusError(*response));
      auto answer = ParseChatAnswer(response->body, used_ids_);
      if (!answer) return Fail("EXECUTION.AGENT.FAILED", model_ + ": " + answer.error());
      AddUsage(*answer, http_request.body.size());
      return std::move(*answer);
    }
  }

  bool WaitToRetry(int attempt, const std::expected<http::HttpResponse, HttpFailure>& response) const {
    milliseconds delay = settings_.first_retry * (1 << attempt);
    // Jitter of a quarter, so that parallel steps do not come back in step.
    delay += milliseconds(RandomUpTo(static_cast<std::uint64_t>(delay.count() / 4)));
    if (response && response->retry_after) {
      delay = std::max<milliseconds>(delay, std::min(*response->retry_after, kLongestRetryAfter));
    }
    observer_.Logged(&request_.step, LogLevel::kInfo, "model request retried",
                     json::object{{"attempt", attempt + 1},
                                  {"delay_ms", delay.count()},
                                  {"status", response ? json::value(response->status) : json::value()}});
    return Pause(delay, request_);
  }

  Error StatusError(const http::HttpResponse& response) const {
    const std::string text = "HTTP " + std::to_string(response.status) + ": " + ChatErrorText(response.body);
    if (response.status == 401 || response.status == 403) {
      return NewError("EXECUTION.AGENT.AUTH", text, "Set OPENAI_API_KEY, or options.api_key from an input or env.");
    }
    if (response.status == 429) return NewError("EXECUTION.AGENT.RATE_LIMITED", text);
    return NewError("EXECUTION.AGENT.FAILED", text);
  }

  void AddUsage(const ChatAnswer& answer, std::size_t request_bytes) {
    TokenUsage usage;
    if (answer.usage) {
      usage = *answer.usage;
    } else {
      usage.input = static_cast<std::int64_t>(request_bytes / 4);
      usage.output = static_cast<std::int64_t>(json::serialize(answer.message).size() / 4);
      usage.total = usage.input + usage.output;
      usage_.estimated = true;
    }
    usage_.input += usage.input;
    usage_.output += usage.output;
    usage_.total += usage.total;
    observer_.TokensUsed(request_.step, usage_);
  }

  // Neighbouring calls of read-only tools at the same time, everything else one after another; answers in call order.
  void RunCalls(const std::vector<ChatCall>& calls) {
    std::vector<std::string> texts(calls.size());
    last_calls_.clear();
    for (const ChatCall& call : calls) last_calls_.push_back(call.name);
    for (std::size_t begin = 0; begin < calls.size();) {
      std::size_t end = begin + 1;
      if (IsReadOnly(calls[begin].name)) {
        while (end < calls.size() && end - begin < kParallelCalls && IsReadOnly(calls[end].name)) ++end;
      }
      {
        std::vector<std::jthread> threads;
        for (std::size_t i = begin + 1; i < end; ++i) {
          try {
            threads.emplace_back([&, i] { texts[i] = RunCall(calls[i]); });
          } catch (const std::system_error&) {
            texts[i] = RunCall(calls[i]);  // no thread to be had
          }
        }
        texts[begin] = RunCall(calls[begin]);
      }
      begin = end;
    }
    calls_ += static_cast<int>(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      messages_.emplace_back(json::object{{"role", "tool"}, {"tool_call_id", calls[i].id}, {"content", texts[i]}});
    }
  }

  bool IsReadOnly(const std::string& name) const {
    return std::ranges::any_of(router_->Definitions(), [&](const ToolDefinition& tool) {
      return tool.name == name && tool.annotations.read_only == true;
    });
  }

  std::string RunCall(const ChatCall& call) {
    const json::object none;
    const json::object& arguments = call.arguments ? *call.arguments : none;
    const IncomingCall incoming{call.name, arguments, {}, call.id, {}, request_.deadline, request_.cancelled};
    if (!call.arguments) {
      router_->Reject(incoming, call.arguments.error(), "invalid_arguments");
      return "Error: " + call.arguments.error();
    }
    const auto result = router_->Call(incoming);
    return result ? ResultText(*result) : "Error: " + result.error().message;
  }

  const OpenAiCompatible::Settings& settings_;
  const AgentRequest& request_;
  RunObserver& observer_;
  const http::HttpClient client_;
  CallReporter reporter_;
  SchemaArgumentChecker checker_;
  std::optional<ToolRouter> router_;
  Masker masker_;
  std::string url_, model_, key_, sandbox_, output_;
  json::array messages_;
  std::set<std::string> used_ids_;
  std::vector<std::string> last_calls_;
  TokenUsage usage_;
  int calls_ = 0;
};

}  // namespace

StepResult OpenAiCompatible::Run(const AgentRequest& request, RunObserver& observer) const {
  return Conversation(settings_, request, observer).Run(make_tools_);
}

}  // namespace awf::agents

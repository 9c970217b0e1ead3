#include "infrastructure/agents/openai_compatible.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "application/language/provider_options.h"
#include "domain/masker.h"
#include "infrastructure/agents/chat_completions.h"
#include "infrastructure/agents/chat_endpoint.h"
#include "infrastructure/agents/chat_toolbox.h"
#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/kept_messages.h"
#include "infrastructure/agents/step_tools.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

using std::chrono::milliseconds;

constexpr int kDefaultTurns = 25;

Error NewError(std::string code, std::string message, std::string hint = {}) {
  return Fail(std::move(code), std::move(message), std::move(hint)).error();
}

// Whether spans are made and their context may leave the machine: the step's span, for the model's server.
std::vector<http::HttpHeader> TraceHeaders(const Tracing& tracing, const StepContext& step) {
  std::vector<http::HttpHeader> headers;
  if (!tracing.propagate_http) return headers;
  for (auto& [name, value] : TraceVariables(tracing, step.trace_id, step.span_id)) {
    headers.push_back({name == kTraceParentVariable ? "traceparent" : "tracestate", std::move(value)});
  }
  return headers;
}

// One step's conversation.
class Conversation {
 public:
  Conversation(const OpenAiCompatible::Settings& settings, const AgentRequest& request, RunObserver& observer)
      : settings_(settings), request_(request), observer_(observer) {}

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
    result.session = Session();
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
    if (toolbox_ && result.end.intercept) result.end.isolation = IsolationLevel::kProven;
    result.end.tool_calls = calls_;
    result.end.proxy_tools = toolbox_ ? static_cast<int>(toolbox_->Definitions().size()) : 0;
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
    if (auto failure = FindServer()) return failure;
    if (request_.proxy) {
      if (auto failure = OfferTools(make_tools)) return failure;
    }
    std::string system = request_.system_prompt;
    if (system.empty()) system = OptionText(request_.options, "system_prompt");
    if (!system.empty()) Begin(MessageRole::kSystem, system);
    if (request_.continued) {
      if (auto failure = TakeHistory(request_.continued->messages)) return failure;
    }
    Begin(MessageRole::kUser, request_.prompt);
    return std::nullopt;
  }

  // The messages of the steps before. Their system prompt is left out where this step has its own.
  std::optional<Error> TakeHistory(const json::value& history) {
    if (!history.is_array() || history.get_array().empty()) {
      return NewError("EXECUTION.AGENT.SESSION_LOST", "the earlier step has left no messages to go on with");
    }
    for (const json::value& message : history.get_array()) {
      const bool is_system = message.is_object() && TextAt(message.get_object(), "role") == "system";
      if (is_system && !messages_.empty()) continue;
      messages_.push_back(message);
      if (!message.is_object()) continue;
      const json::array* calls = ArrayAt(message.get_object(), "tool_calls");
      for (const json::value& call : calls == nullptr ? json::array() : *calls) {
        if (call.is_object()) used_ids_.emplace(TextAt(call.get_object(), "id"));
      }
    }
    return std::nullopt;
  }

  // All messages, when the last answer is among them: what follows an unanswered question would be a second one.
  std::shared_ptr<const AgentSession> Session() {
    if (!answered_) return nullptr;
    AgentSession session;
    session.messages = KeptMessages(std::move(messages_), request_, observer_);
    if (session.messages.is_null()) return nullptr;
    session.provider = request_.provider;
    session.working_dir = request_.working_dir;
    return std::make_shared<const AgentSession>(std::move(session));
  }

  std::optional<Error> FindServer() {
    std::string url = Option("base_url", "OPENAI_BASE_URL");
    model_ = Option("model", "OPENAI_MODEL");
    std::string key = Option("api_key", "OPENAI_API_KEY");
    masker_.AddSecret(key);
    if (url.empty() || model_.empty()) {
      const std::string missing = url.empty() ? "base_url" : "model";
      return NewError("USER.INPUT.VALIDATION_FAILED", "openai_compatible needs options." + missing,
                      "Set it in the step's options, or OPENAI_" + std::string(url.empty() ? "BASE_URL" : "MODEL") +
                          " in the environment.");
    }
    const bool written = !OptionText(request_.options, "base_url").empty();
    if (const auto fault = BaseUrlFault(url, written ? "options.base_url" : "OPENAI_BASE_URL")) {
      return NewError("USER.INPUT.VALIDATION_FAILED", fault->message, fault->hint);
    }
    while (url.ends_with('/')) url.pop_back();
    endpoint_.emplace(
        ChatEndpoint::Settings{url + "/chat/completions", std::move(key), model_,
                               OptionText(request_.options, "stream") == "true",
                               TraceHeaders(settings_.tracing, request_.step), settings_.first_retry, settings_.limits},
        request_, observer_, masker_);
    return std::nullopt;
  }

  std::optional<Error> OfferTools(const OpenAiCompatible::MakeTools& make_tools) {
    auto sandbox = EnforcedSandbox(request_.proxy->sandbox, request_.step, observer_);
    if (!sandbox) return sandbox.error();
    sandbox_ = *sandbox;
    auto providers = make_tools(request_, observer_);
    if (!providers) return providers.error();
    toolbox_.emplace(request_, observer_, settings_.tracing.content);
    if (auto failure = toolbox_->Add(*providers)) return failure;
    TellReady();
    if (request_.proxy->intercept_builtins) {
      observer_.IsolationKnown(
          request_.step, {IsolationLevel::kProven, std::nullopt, {}, request_.provider_as_written, {}, "in-process"});
    }
    return std::nullopt;
  }

  // There is no server to connect to; what is offered is told all the same.
  void TellReady() {
    std::vector<std::string> names = toolbox_->Names();
    std::ranges::sort(names);
    observer_.ProxyIsReady(request_.step, {"awf",
                                           {},
                                           "in-process",
                                           std::move(names),
                                           json::serialize(ChatTools(toolbox_->Definitions())),
                                           ::getpid(),
                                           1});
  }

  void Begin(MessageRole role, const std::string& text) {
    messages_.emplace_back(json::object{{"role", ToString(role)}, {"content", text}});
    observer_.MessageSaid(request_.step, {role, {{"text", text, {}, {}}}});
  }

  std::optional<Error> Loop() {
    int turns = kDefaultTurns;
    const std::string wanted = OptionText(request_.options, "max_turns");
    std::from_chars(wanted.data(), wanted.data() + wanted.size(), turns);
    for (int turn = 0; turn < turns; ++turn) {
      auto answer = endpoint_->Ask(Body(), used_ids_);
      if (!answer) return answer.error();
      AddUsage(*answer->usage);
      observer_.MessageSaid(request_.step, ToAgentMessage(*answer));
      if (answer->finish_reason == "length") TellTruncated();
      if (answer->calls.empty() || !toolbox_) {
        output_ = answer->text;
        auto failure = JudgeEnd(*answer);
        answered_ = !failure;
        // Without calls: they were not offered, so nobody answers them.
        if (answered_) messages_.emplace_back(json::object{{"role", "assistant"}, {"content", answer->text}});
        return failure;
      }
      messages_.emplace_back(std::move(answer->message));
      RunCalls(answer->calls);
      // The failure is only a mark here: Run says why it ended.
      if (request_.cancelled.stop_requested() || Passed(request_.deadline)) {
        return NewError("EXECUTION.AGENT.FAILED", "ended while tools ran");
      }
    }
    answered_ = true;  // the results of its calls are there: a later step may let it go on
    return NewError(
        "EXECUTION.MCP_PROXY.LOOP_GUARD",
        "the model asked for tools in each of " + std::to_string(turns) + " requests; last calls: " + last_calls_,
        "Narrow the prompt, or raise options.max_turns.");
  }

  void RunCalls(const std::vector<ChatCall>& calls) {
    last_calls_.clear();
    for (const ChatCall& call : calls) last_calls_ += (last_calls_.empty() ? "" : ", ") + call.name;
    calls_ += static_cast<int>(calls.size());
    for (json::value& message : toolbox_->Run(calls)) messages_.emplace_back(std::move(message));
  }

  void TellTruncated() const {
    observer_.Logged(&request_.step, LogLevel::kWarn, "the answer was cut at the token limit",
                     json::object{{"provider", request_.provider_as_written}, {"model", model_}});
  }

  std::optional<Error> JudgeEnd(const ChatAnswer& answer) const {
    if (answer.finish_reason == "content_filter") {
      return NewError("EXECUTION.AGENT.FAILED", model_ + ": the server's content filter cut the answer");
    }
    if (answer.finish_reason == "tool_calls") {
      return NewError("EXECUTION.MCP_PROXY.LOOP_GUARD",
                      model_ + (answer.calls.empty() ? " announced tool calls and sent none"
                                                     : " called tools, and none were offered"));
    }
    return std::nullopt;
  }

  json::object Body() const {
    json::object body{{"model", model_}, {"messages", messages_}};
    for (const char* key : {"temperature", "top_p", "max_completion_tokens", "max_tokens"}) {
      const json::value* value = request_.options.if_contains(key);
      if (value == nullptr) continue;
      // A template yields text; the server wants a number.
      const auto number = value->is_string() ? ParseRepairedJson(std::string_view(value->get_string())) : *value;
      if (number && number->is_number()) body[key] = *number;
    }
    if (toolbox_ && !toolbox_->Definitions().empty()) {
      body["tools"] = ChatTools(toolbox_->Definitions());
      body["tool_choice"] = "auto";
    }
    return body;
  }

  void AddUsage(const TokenUsage& usage) {
    usage_.input += usage.input;
    usage_.output += usage.output;
    usage_.total += usage.total;
    usage_.cached += usage.cached;
    usage_.reasoning += usage.reasoning;
    usage_.estimated = usage_.estimated || usage.estimated;
    observer_.TokensUsed(request_.step, usage_);
  }

  const OpenAiCompatible::Settings& settings_;
  const AgentRequest& request_;
  RunObserver& observer_;
  Masker masker_;
  std::optional<ChatEndpoint> endpoint_;
  std::optional<ChatToolbox> toolbox_;
  std::string model_, sandbox_, output_;
  json::array messages_;
  std::set<std::string> used_ids_;
  std::string last_calls_;  // names
  TokenUsage usage_;
  bool answered_ = false;
  int calls_ = 0;
};

}  // namespace

StepResult OpenAiCompatible::Run(const AgentRequest& request, RunObserver& observer) const {
  return Conversation(settings_, request, observer).Run(make_tools_);
}

}  // namespace awf::agents

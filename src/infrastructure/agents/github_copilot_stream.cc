// What the event stream of GitHub Copilot CLI means, and its end.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/github_copilot.h"
#include "infrastructure/agents/github_copilot_messages.h"
#include "infrastructure/agents/regular_file.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

constexpr char kName[] = "copilot";
constexpr char kLoginHint[] = "Run copilot and log in with /login, or set COPILOT_GITHUB_TOKEN.";

// The native tools of 1.0.102. Those of the second or third list come with all of the first, by the model.
constexpr std::string_view kNativeTools[] = {"bash",      "fetch_copilot_cli_documentation",
                                             "glob",      "list_agents",
                                             "list_bash", "read_agent",
                                             "read_bash", "session_store_sql",
                                             "skill",     "sql",
                                             "stop_bash", "task",
                                             "view",      "write_agent"};
constexpr std::string_view kEditTools[] = {"create", "edit", "grep"};
constexpr std::string_view kPatchTools[] = {"apply_patch", "rg"};

// The line with which the CLI says what is wrong; it explains itself in many more.
std::string ErrorLine(const std::string& error_output) {
  std::istringstream lines(error_output);
  for (std::string line; std::getline(lines, line);) {
    for (const std::string_view start : {"Error: ", "error: "}) {
      if (line.starts_with(start)) return LastLine(line.substr(start.size()));
    }
  }
  return LastLine(error_output);
}

// On one line.
std::string Flat(std::string_view text) {
  std::string flat;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!space) flat.push_back(c);
    if (space && !flat.empty() && flat.back() != ' ') flat.push_back(' ');
  }
  if (flat.ends_with(' ')) flat.pop_back();
  return flat;
}

std::set<std::string, std::less<>> Names(std::string_view list) {
  std::set<std::string, std::less<>> names;
  std::istringstream text{std::string(list)};
  for (std::string name; std::getline(text, name, ',');) {
    const std::size_t first = name.find_first_not_of(' ');
    if (first != std::string::npos) names.insert(name.substr(first));
  }
  return names;
}

TokenUsage Minus(TokenUsage all, const TokenUsage& before) {
  const auto rest = [](std::int64_t& count, std::int64_t less) { count = std::max<std::int64_t>(0, count - less); };
  rest(all.input, before.input);
  rest(all.output, before.output);
  rest(all.cached, before.cached);
  rest(all.reasoning, before.reasoning);
  all.total = all.input + all.output;
  return all;
}

}  // namespace

void GitHubCopilotProvider::Read(std::string_view line, AgentEvents& events) {
  const auto event = ParseStreamLine(line);
  if (!event) return;
  const std::string_view type = TextAt(*event, "type");
  if (type == "result") return ReadResult(*event, events);
  static const json::object kNothing;
  const json::object* told = ObjectAt(*event, "data");
  const json::object& data = told != nullptr ? *told : kNothing;
  const bool of_subagent = !TextAt(*event, "agentId").empty() || !TextAt(data, "parentToolCallId").empty();

  if (type.starts_with("session.mcp_server_")) ReadServer(type, data, events);
  if (type == "session.info") ReadInfo(data, events);
  if (type == "session.tools_updated") model_ = TextAt(data, "model");
  if (type == "session.error") {
    error_ = {std::string(TextAt(data, "errorType")), Flat(TextAt(data, "message")), IntegerAt(data, "statusCode")};
  }
  if (type == "assistant.turn_start") CheckIsolation(events);
  if (type == "assistant.message_delta" && !of_subagent) {
    streamed_.emplace(TextAt(data, "messageId"));
    events.Text(TextAt(data, "deltaContent"));
  }
  if (type == "assistant.message") ReadMessage(data, of_subagent, events);
  if (type == "tool.execution_start") ReadCall(data, type, events);
  if (type == "tool.execution_complete") ReadCallEnd(data, events);
  if (type == "assistant.turn_retry" && TextAt(data, "reason") == "transient_auth_error") {
    events.HopelessRetry(LoginError(kName, "the model's server refused the login (HTTP 401)", kLoginHint));
  }
  if (type == "abort") aborted_ = TextAt(data, "reason");
  if (type == "assistant.idle" && BoolAt(data, "aborted") && aborted_.empty()) aborted_ = "aborted";
}

void GitHubCopilotProvider::ReadServer(std::string_view type, const json::object& data, AgentEvents& events) {
  if (TextAt(data, "serverName") != setup_.server) return;
  if (type == "session.mcp_server_tools_loaded") tools_found_ = IntegerAt(data, "toolCount");
  if (type != "session.mcp_server_status_changed") return;
  const std::string_view status = TextAt(data, "status");
  if (status == "connected" || status == "pending") return;
  const std::string_view why = TextAt(data, "error");
  events.ServerFailed(why.empty() ? status : why);
}

void GitHubCopilotProvider::ReadInfo(const json::object& data, AgentEvents& events) {
  std::string_view text = TextAt(data, "message");
  constexpr std::string_view kDisabled = "Disabled tools: ";
  if (text.starts_with(kDisabled)) disabled_ = Names(text.substr(kDisabled.size()));
  if (text.starts_with("Unknown tool name in the tool allowlist")) events.ServerFailed(text);
}

void GitHubCopilotProvider::CheckIsolation(AgentEvents& events) {
  if (!intercept_ || isolation_checked_) return;
  isolation_checked_ = true;
  const auto all = [&](const auto& names) {
    return std::ranges::all_of(names, [&](std::string_view name) { return disabled_->contains(name); });
  };
  if (!disabled_) {
    events.IsolationIs(IsolationLevel::kCoexisting, "the CLI did not tell which tools it disabled");
  } else if (!all(kNativeTools) || (!all(kEditTools) && !all(kPatchTools))) {
    events.IsolationIs(IsolationLevel::kCoexisting, "the CLI did not disable all tools that it is known to have");
  } else if (tools_found_ != static_cast<std::int64_t>(our_tools_)) {
    events.IsolationIs(IsolationLevel::kCoexisting, "the CLI did not find exactly the tools of awf");
  }
}

void GitHubCopilotProvider::ReadMessage(const json::object& data, bool of_subagent, AgentEvents& events) {
  AgentMessage message = ReadCopilotMessage(data, setup_.server);
  if (of_subagent) {
    std::erase_if(message.blocks, [](const MessageBlock& block) { return block.type != "tool_use"; });
  } else {
    if (const std::string_view model = TextAt(data, "model"); !model.empty()) model_ = model;
    const std::string_view content = TextAt(data, "content");
    if (!content.empty()) {
      // Thoughts in between split the answer of one model call into several messages.
      const std::string_view call = TextAt(data, "apiCallId");
      const bool goes_on = IntegerAt(data, "chunkCount") > 1 && !call.empty() && call == text_call_;
      text_ = (goes_on ? text_ : std::string()) + std::string(content);
      text_call_ = call;
      if (!streamed_.contains(TextAt(data, "messageId"))) events.Text(content);
    }
  }
  if (!message.blocks.empty()) events.Message(message);
}

void GitHubCopilotProvider::ReadCall(const json::object& data, std::string_view type, AgentEvents& events) {
  const std::string_view id = TextAt(data, "toolCallId");
  const std::string_view name = TextAt(data, "toolName");
  calls_[std::string(id)] = name;
  events.ToolUse(id, name, TextAt(data, "mcpServerName") != setup_.server, type);
}

void GitHubCopilotProvider::ReadCallEnd(const json::object& data, AgentEvents& events) {
  const std::string_view id = TextAt(data, "toolCallId");
  const json::object* error = ObjectAt(data, "error");
  const bool denied = error != nullptr && TextAt(*error, "code") == "denied";
  const bool unknown = error != nullptr && TextAt(*error, "message").ends_with("does not exist.");
  const auto call = calls_.find(id);
  if (denied) events.PermissionDenied(call != calls_.end() ? call->second : std::string(id));
  events.ToolEnded(id, !BoolAt(data, "success"), denied || unknown);
  events.Message(ReadCopilotResult(data));
}

void GitHubCopilotProvider::ReadResult(const json::object& event, AgentEvents& events) {
  const json::value* code = event.if_contains("exitCode");
  exit_code_ = code != nullptr && code->is_int64() ? code->get_int64() : -1;
  session_ = TextAt(event, "sessionId");
  events.Session(session_);
  // Written before this event.
  thread_usage_ = ReadUsage();
  if (thread_usage_.total > 0) events.Tokens(Minus(thread_usage_, before_));
  events.FinalEvent();
}

// Sums over the models, of the whole session.
TokenUsage GitHubCopilotProvider::ReadUsage() const {
  TokenUsage usage;
  const auto all = ParseRepairedObject(ReadRegularFile(setup_.step_folder / kCopilotUsageFile).value_or(""));
  const json::object* models = all ? ObjectAt(*all, "modelMetrics") : nullptr;
  if (models == nullptr) return usage;
  for (const auto& [model, metrics] : *models) {
    const json::object* tokens = metrics.is_object() ? ObjectAt(metrics.get_object(), "usage") : nullptr;
    if (tokens == nullptr) continue;
    usage.input += IntegerAt(*tokens, "inputTokens");
    usage.output += IntegerAt(*tokens, "outputTokens");
    usage.cached += IntegerAt(*tokens, "cacheReadTokens");
    usage.reasoning += IntegerAt(*tokens, "reasoningTokens");
  }
  usage.total = usage.input + usage.output;
  return usage;
}

Verdict GitHubCopilotProvider::Judge(const ProcessExit& exit) const {
  Verdict verdict;
  verdict.output = text_;
  verdict.thread_usage = thread_usage_;
  verdict.usage = Minus(thread_usage_, before_);
  verdict.session_id = session_;
  verdict.model = model_;
  verdict.failure = Failure(exit);
  return verdict;
}

std::optional<Error> GitHubCopilotProvider::Failure(const ProcessExit& exit) const {
  if (error_ && error_->type == "authentication") return LoginError(kName, error_->text, kLoginHint);
  if (error_) return ModelError(kName, error_->status, error_->text, kLoginHint);
  if (!exit_code_) return ExplainExit(exit);
  if (!aborted_.empty()) return ModelError(kName, 0, "the session was aborted (" + aborted_ + ")", {});
  if (*exit_code_ == 0 && exit.exit_code == 0 && exit.signal == 0) return std::nullopt;
  const std::string line = ErrorLine(exit.error_output);
  return ModelError(kName, 0, line.empty() ? "ended with " + Ending(exit) : line, {});
}

// Without a final event: it did not get as far as its session, or was killed.
Error GitHubCopilotProvider::ExplainExit(const ProcessExit& exit) const {
  const std::string line = ErrorLine(exit.error_output);
  constexpr std::string_view kUnknown = "unexpected argument '";
  if (line.starts_with(kUnknown)) {
    const std::string flag = line.substr(kUnknown.size(), line.find('\'', kUnknown.size()) - kUnknown.size());
    return UnknownFlag(kName, setup_.version, flag, std::end(kVerifiedCopilot)[-1]);
  }
  if (!continued_.empty() && line.starts_with("No session")) return SessionLost(kName, continued_, line);
  for (const std::string_view words : {"No authentication information found", "Authentication token found but could",
                                       "Classic Personal Access Tokens"}) {
    if (line.starts_with(words)) return LoginError(kName, line, kLoginHint);
  }
  ProcessExit shorter = exit;
  shorter.error_output = line;
  return NoFinalEvent(kName, shorter);
}

}  // namespace awf::agents

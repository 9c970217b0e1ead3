#include "application/running/agent_sessions.h"

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "application/language/conversations.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

std::string TextAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

bool IsSameFolder(const fs::path& one, const fs::path& other) {
  std::error_code fault;
  return one == other || fs::equivalent(one, other, fault);
}

// Of a run of one state alone, or of a way that did not come through the other one.
Error NoSession(const RunContext& run, const std::string& source, const State& state) {
  const auto result = run.memory.ResultOf(source);
  Error error;
  error.code = "EXECUTION.AGENT.SESSION_LOST";
  if (!run.request.only_state.empty()) {
    error.message =
        "state '" + state.name + "' runs alone, without the conversation of '" + source + "' that it goes on with";
    error.hint = "run the whole workflow, or take a run up from here: awf resume RUN --from " + state.name;
    return error;
  }
  error.message = "state '" + state.name + "' goes on with the conversation of '" + source + "', which ";
  if (result == nullptr) {
    error.message += "has not run";
    error.hint = "let '" + source + "' run before '" + state.name + "' on every way";
    return error;
  }
  error.message += "has left no session";
  if (const std::string code = TextAt(*result, "ErrorCode"); !code.empty()) error.message += "; it failed: " + code;
  error.hint = "run '" + source + "' again";
  return error;
}

// Whether a step that goes on from itself has nothing to go on with yet.
bool BeginsWithItself(const RunContext& run, const State& state) {
  const auto result = run.memory.ResultOf(state.name);
  return result == nullptr || TextAt(*result, "Status") != ToString(StepStatus::kSuccess);
}

// Why the session is of no use to that request; empty: it is.
std::string Mismatch(const AgentSession& session, const std::string& source, const State& state,
                     const AgentRequest& request) {
  if (session.provider != request.provider) {
    return "'" + source + "' ran with " + session.provider + ", '" + state.name + "' runs with " + request.provider +
           ": it cannot go on with that conversation";
  }
  // Messages are good anywhere; a CLI looks its sessions up by the folder that it runs in.
  if (!session.messages.is_null() || IsSameFolder(session.working_dir, request.working_dir)) return {};
  return "'" + source + "' ran in " + session.working_dir.string() + ", '" + state.name + "' runs in " +
         request.working_dir.string() + ": " + request.provider + " finds its sessions in the same folder only";
}

// The same of a session that another running step adds to. `awf validate` finds only those whose provider is written
// down.
std::string Taken(const AgentSession& session, const State& state, SessionLease& lease) {
  if (LeavesSessionsAsTheyAre(session.provider)) return {};
  const std::string other = lease.Take(session);
  if (other.empty()) return {};
  return "'" + other + "' runs at the same time as '" + state.name +
         "' and goes on with the same conversation, of which " + session.provider + " keeps one only";
}

}  // namespace

std::string SessionLease::Take(const AgentSession& session) {
  SessionsInUse::Session wanted(session.provider, session.id);
  if (wanted == held_) return {};
  Release();
  const std::lock_guard lock(all_.mutex_);
  const auto [place, taken] = all_.states_.try_emplace(wanted, state_);
  if (!taken) return place->second;
  held_ = std::move(wanted);
  return {};
}

void SessionLease::Release() {
  if (held_ == SessionsInUse::Session()) return;
  const std::lock_guard lock(all_.mutex_);
  all_.states_.erase(std::exchange(held_, {}));
}

std::expected<void, Error> JoinConversation(const RunContext& run, const State& state, const AgentState& agent,
                                            AgentRequest& request, SessionLease& lease) {
  request.conversation = ConversationOf(run.workflow, state);
  if (!agent.continue_from) return {};
  const std::string& source = agent.continue_from->state;
  const auto session = run.memory.SessionOf(source);
  Error error;
  if (session == nullptr) {
    if (source == state.name && BeginsWithItself(run, state)) return {};
    error = NoSession(run, source, state);
  } else if (error.message = Mismatch(*session, source, state, request); !error.message.empty()) {
    error.code = "EXECUTION.AGENT.SESSION_LOST";
    error.hint = "give both steps the same provider and the same dir";
  } else if (error.message = Taken(*session, state, lease); !error.message.empty()) {
    error.code = "EXECUTION.AGENT.SESSION_LOST";
    error.hint = "set max_concurrent: 1, or let them run one after the other";
  } else {
    request.continued = *session;
    return {};
  }
  error.position = agent.continue_from->position;
  error.step = state.name;
  error.field = "conversation.continue_from";
  return std::unexpected(std::move(error));
}

std::shared_ptr<const AgentSession> SessionToKeep(const RunContext& run, const State& state, const StepResult& result) {
  const auto* agent = std::get_if<AgentState>(&state.body);
  if (agent == nullptr || result.session != nullptr) return result.session;
  const bool from_itself = agent->continue_from && agent->continue_from->state == state.name;
  return from_itself && result.end.status != StepStatus::kSuccess ? run.memory.SessionOf(state.name) : nullptr;
}

}  // namespace awf

#include "application/running/session_record.h"

#include <string>
#include <string_view>
#include <utility>

#include "domain/parse_json.h"
#include "domain/utf8.h"

namespace awf {
namespace {

std::string Stored(const std::string& text) { return IsValidUtf8(text) ? text : RepairUtf8(text); }

std::string TextAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t CountAt(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  json::error_code fault;
  const auto count = value == nullptr ? 0 : value->to_number<std::int64_t>(fault);
  return fault ? 0 : count;
}

}  // namespace

json::object ToJson(const AgentSession& session) {
  json::value messages = session.messages;
  if (!messages.is_null()) {
    // The user's words come from anywhere, also from the environment.
    const std::string text = json::serialize(messages);
    if (!IsValidUtf8(text)) messages = ParseJson(RepairUtf8(text)).value_or(nullptr);
  }
  const TokenUsage& usage = session.usage;
  return {{"provider", session.provider},
          {"id", Stored(session.id)},
          {"messages", std::move(messages)},
          {"working_dir", Stored(session.working_dir.string())},
          {"folder", session.folder},
          {"usage",
           {{"input", usage.input},
            {"output", usage.output},
            {"total", usage.total},
            {"cached", usage.cached},
            {"reasoning", usage.reasoning}}}};
}

std::optional<AgentSession> AgentSessionOf(const json::object& written) {
  AgentSession session;
  session.provider = TextAt(written, "provider");
  session.id = TextAt(written, "id");
  if (const json::value* messages = written.if_contains("messages")) session.messages = *messages;
  if (session.provider.empty() || (session.id.empty() && session.messages.is_null())) return std::nullopt;
  session.working_dir = TextAt(written, "working_dir");
  session.folder = TextAt(written, "folder");
  if (const json::value* usage = written.if_contains("usage"); usage != nullptr && usage->is_object()) {
    const json::object& counts = usage->get_object();
    session.usage.input = CountAt(counts, "input");
    session.usage.output = CountAt(counts, "output");
    session.usage.total = CountAt(counts, "total");
    session.usage.cached = CountAt(counts, "cached");
    session.usage.reasoning = CountAt(counts, "reasoning");
  }
  return session;
}

}  // namespace awf

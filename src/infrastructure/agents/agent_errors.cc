#include "infrastructure/agents/agent_errors.h"

#include "domain/last_lines.h"
#include "infrastructure/builtins/escape_filter.h"

namespace awf::agents {
namespace {

Error NewError(std::string code, std::string message, std::string_view hint = {}) {
  return {std::move(code), std::move(message), std::string(hint), {}, {}, {}};
}

std::string Said(std::string_view name, std::string_view text) {
  std::string message(name);
  message += ": ";
  message += text;
  return message;
}

}  // namespace

Error ModelError(std::string_view name, std::int64_t status, std::string_view text, std::string_view login_hint) {
  if (status == 401 || status == 403) return LoginError(name, text, login_hint);
  return NewError(status == 429 ? "EXECUTION.AGENT.RATE_LIMITED" : "EXECUTION.AGENT.FAILED", Said(name, text));
}

Error LoginError(std::string_view name, std::string_view text, std::string_view login_hint) {
  return NewError("EXECUTION.AGENT.AUTH", Said(name, text), login_hint);
}

Error NoFinalEvent(std::string_view name, const ProcessExit& exit) {
  std::string message(name);
  message += " ended without its final event (" + Ending(exit) + ")";
  const std::string last = LastLine(exit.error_output);
  if (!last.empty()) message += ": " + last;
  return NewError("EXECUTION.AGENT.FAILED", std::move(message));
}

Error UnknownFlag(std::string_view name, std::string_view version, std::string_view flag, std::string_view verified) {
  std::string message(name);
  if (!version.empty()) (message += ' ') += version;
  ((message += " doesn't know ") += flag) += "; verified with ";
  message += verified;
  return NewError("EXECUTION.AGENT.NOT_INSTALLED", std::move(message), "Install a version that awf was verified with.");
}

Error SessionLost(std::string_view name, std::string_view session, std::string_view text) {
  std::string message(name);
  ((message += " no longer has the session ") += session);
  if (!text.empty()) (message += ": ") += text;
  return NewError("EXECUTION.AGENT.SESSION_LOST", std::move(message));
}

std::string Ending(const ProcessExit& exit) {
  return exit.signal != 0 ? "signal " + std::to_string(exit.signal) : "exit code " + std::to_string(exit.exit_code);
}

std::string LastLine(std::string_view text) {
  std::string plain;
  builtins::EscapeFilter().Take(text, plain);
  plain.resize(plain.find_last_not_of(" \t\r\n") + 1);
  return std::string(LastLines(plain, 1));
}

}  // namespace awf::agents

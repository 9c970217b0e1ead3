#include "infrastructure/builtins/command_environment.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "domain/trace_context.h"
#include "infrastructure/process/environment.h"

namespace awf::builtins {
namespace {

// A name is dropped when it begins and ends so; a row with an empty suffix is a prefix, equal parts are a whole name.
struct NamePattern {
  std::string_view prefix, suffix;

  bool Matches(std::string_view name) const {
    if (prefix == suffix) return name == prefix;
    return name.size() >= prefix.size() + suffix.size() && name.starts_with(prefix) && name.ends_with(suffix);
  }
};

constexpr NamePattern Exactly(std::string_view name) { return {name, name}; }

constexpr auto kDropped = std::to_array<NamePattern>({
    {"ANTHROPIC_", "KEY"},
    {"ANTHROPIC_", "TOKEN"},
    Exactly("CLAUDE_CODE_OAUTH_TOKEN"),
    Exactly("OPENAI_API_KEY"),
    Exactly("CODEX_API_KEY"),
    Exactly("GEMINI_API_KEY"),
    Exactly("GOOGLE_API_KEY"),
    Exactly("MISTRAL_API_KEY"),
    Exactly("OPENROUTER_API_KEY"),
    Exactly("COPILOT_GITHUB_TOKEN"),
    {"COPILOT_PROVIDER_", "KEY"},
    {"COPILOT_PROVIDER_", "KEY_COMMAND"},
    {"COPILOT_PROVIDER_", "TOKEN"},
    {"COPILOT_PROVIDER_", "HEADERS"},
    Exactly("OPENCODE_CONFIG_CONTENT"),  // may hold keys of providers
    {"ACTIONS_ID_TOKEN_REQUEST_", ""},
    Exactly("ACTIONS_RUNTIME_TOKEN"),
    {"OTEL_EXPORTER_OTLP_", "HEADERS"},
    {"AWF_", ""},
    Exactly("LD_PRELOAD"),
    Exactly("LD_AUDIT"),
});

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool IsDropped(const ToolSettings& settings, std::string_view name) {
  if (Contains(settings.env.pass, name)) return false;
  return Contains(settings.env.drop, name) || Contains(settings.secret_names, name) ||
         std::any_of(kDropped.begin(), kDropped.end(), [&](const NamePattern& p) { return p.Matches(name); });
}

bool IsWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordCharacter(text[at - 1]);
    if (begins && (end == text.size() || !IsWordCharacter(text[end]))) return true;
  }
  return false;
}

}  // namespace

CommandEnvironment MakeCommandEnvironment(const ToolSettings& settings) {
  CommandEnvironment environment;
  for (const std::string& variable : settings.environment) {
    const std::string_view name = process::VariableName(variable);
    if (IsDropped(settings, name)) {
      environment.dropped.emplace_back(name);
    } else {
      environment.variables.push_back(variable);
    }
  }
  std::sort(environment.dropped.begin(), environment.dropped.end());
  // Nothing may wait for a key press or ask a question.
  process::SetVariables(environment.variables,
                        {{"TERM", "dumb"}, {"PAGER", "cat"}, {"GIT_PAGER", "cat"}, {"GIT_TERMINAL_PROMPT", "0"}});
  return environment;
}

std::vector<std::string> EnvironmentOfCall(const CommandEnvironment& environment, const ToolSettings& settings,
                                           const CallId& call) {
  std::vector<std::string> variables = environment.variables;
  const CommandTrace& trace = settings.trace;
  if (trace.trace_id.empty()) return variables;
  process::RemoveVariables(variables, {kTraceParentVariable, kTraceStateVariable});
  auto own =
      TraceVariables({.spans = true, .sampled = trace.sampled, .trace_state = trace.trace_state}, trace.trace_id, call);
  std::erase_if(own, [&](const auto& variable) { return Contains(settings.env.drop, variable.first); });
  process::SetVariables(variables, own);
  return variables;
}

std::vector<std::string> NamesMentioned(const std::vector<std::string>& names,
                                        const std::vector<std::string_view>& texts) {
  std::vector<std::string> mentioned;
  for (const std::string& name : names) {
    const auto has = [&](std::string_view text) { return HasWord(text, name); };
    if (std::any_of(texts.begin(), texts.end(), has)) mentioned.push_back(name);
  }
  return mentioned;
}

}  // namespace awf::builtins

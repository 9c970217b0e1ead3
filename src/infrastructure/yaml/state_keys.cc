#include "infrastructure/yaml/state_keys.h"

#include <algorithm>
#include <array>

namespace awf {
namespace {

using Word = std::string_view;

constexpr Word kTypes[] = {"step", "command", "agent", "terminal", "parallel", "for_each", "operation"};
constexpr Word kPlannedTypes[] = {"while", "call_workflow"};

// `mcp_proxy` is known everywhere: where it does not belong, it is refused with words of its own.
constexpr Word kCommonKeys[] = {"type",        "description",       "timeout", "on_success", "on_failure",
                                "transitions", "continue_on_error", "retry",   "hooks",      "capture",
                                "dir",         "mcp_proxy"};
constexpr Word kPlannedKeys[] = {"depends_on", "use_template", "parameters", "role",    "skills",
                                 "mode",       "while",        "workflow",   "outputs", "call_workflow"};
constexpr Word kFlowKeys[] = {"type",        "on_success",        "on_failure", "on_complete",
                              "transitions", "continue_on_error", "parallel",   "body"};

struct TypedKey {
  Word key, type;
};
constexpr TypedKey kTypedKeys[] = {
    {"command", "step"},         {"script_file", "step"},        {"provider", "agent"},
    {"prompt", "agent"},         {"prompt_file", "agent"},       {"system_prompt", "agent"},
    {"options", "agent"},        {"output_format", "agent"},     {"conversation", "agent"},
    {"status", "terminal"},      {"message", "terminal"},        {"parallel", "parallel"},
    {"strategy", "parallel"},    {"max_concurrent", "parallel"}, {"items", "for_each"},
    {"body", "for_each"},        {"max_iterations", "for_each"}, {"break_when", "for_each"},
    {"on_complete", "for_each"}, {"operation", "operation"},     {"inputs", "operation"},
};

struct TypeHint {
  Word type, hint;
};
constexpr TypeHint kTypeHints[] = {
    {"step", "only a state of type step has it"},         {"agent", "only a state of type agent has it"},
    {"terminal", "only a state of type terminal has it"}, {"parallel", "only a state of type parallel has it"},
    {"for_each", "only a state of type for_each has it"}, {"operation", "only a state of type operation has it"},
};

Word HintOfType(Word type) { return std::ranges::find(kTypeHints, type, &TypeHint::type)->hint; }

template <class Range>
bool Contains(const Range& range, Word word) {
  return std::ranges::find(range, word) != std::end(range);
}

}  // namespace

std::span<const std::string_view> StateTypes() { return kTypes; }

bool IsPlannedType(std::string_view type) { return Contains(kPlannedTypes, type) || type.find('.') != Word::npos; }

bool IsFlowKey(std::string_view key) { return Contains(kFlowKeys, key); }

StateKeys KeysOfType(std::string_view type) {
  StateKeys keys;
  keys.known.assign(std::begin(kCommonKeys), std::end(kCommonKeys));
  if (!Contains(kTypes, type)) {
    keys.known.insert(keys.known.end(), std::begin(kPlannedKeys), std::end(kPlannedKeys));
    for (const TypedKey& typed : kTypedKeys) keys.known.push_back(typed.key);
    keys.known.insert(keys.known.end(), {"when", "goto"});
    return keys;
  }
  keys.planned.assign(std::begin(kPlannedKeys), std::end(kPlannedKeys));
  keys.hints = {{"when", "conditions stand in 'transitions', as '- {when: …, goto: …}'"},
                {"goto", "write transitions as a list, as '- {when: …, goto: …}', or use 'on_success'"},
                {"next", "use 'on_success'"}};
  const Word own = type == "command" ? Word("step") : type;
  for (const TypedKey& typed : kTypedKeys) {
    if (typed.type == own) {
      keys.known.push_back(typed.key);
    } else if (typed.key == "on_complete") {
      keys.hints.emplace_back(typed.key, "only loops have it; use 'on_success'");
    } else {
      keys.hints.emplace_back(typed.key, HintOfType(typed.type));
    }
  }
  return keys;
}

}  // namespace awf

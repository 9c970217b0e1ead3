#include "infrastructure/yaml/state_loader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "application/duration.h"
#include "application/template.h"
#include "infrastructure/yaml/mcp_proxy_loader.h"

namespace awf {
namespace {

using Words = std::vector<std::string_view>;
using Hints = std::vector<std::pair<std::string_view, std::string_view>>;

constexpr std::string_view kMissing = "WORKFLOW.PARSE.MISSING_FIELD";
constexpr std::array<std::string_view, 4> kTypes = {"step", "command", "agent", "terminal"};
constexpr std::array<std::string_view, 5> kPlannedTypes = {"parallel", "for_each", "operation", "while",
                                                           "call_workflow"};
constexpr std::array<std::string_view, 6> kCommonKeys = {"type",       "description", "timeout",
                                                         "on_success", "on_failure",  "dir"};
constexpr std::array<std::string_view, 7> kPlannedCommonKeys = {
    "transitions", "continue_on_error", "retry", "hooks", "depends_on", "use_template", "parameters"};
constexpr std::array<std::string_view, 1> kCommandKeys = {"command"};
constexpr std::array<std::string_view, 2> kPlannedCommandKeys = {"script_file", "capture"};
constexpr std::array<std::string_view, 5> kAgentKeys = {"provider", "prompt", "system_prompt", "options", "mcp_proxy"};
constexpr std::array<std::string_view, 7> kPlannedAgentKeys = {"prompt_file", "output_format", "role",   "skills",
                                                               "mode",        "conversation",  "capture"};
constexpr std::array<std::string_view, 2> kTerminalKeys = {"status", "message"};
// Of the types that are not built yet.
constexpr std::array<std::string_view, 13> kPlannedTypeKeys = {
    "parallel",   "strategy",    "max_concurrent", "items",    "while",   "body",         "max_iterations",
    "break_when", "on_complete", "operation",      "workflow", "outputs", "call_workflow"};
constexpr std::array<std::string_view, 2> kTerminalStatuses = {"success", "failure"};
constexpr std::array<std::string_view, 2> kInlineFailureKeys = {"message", "status"};

template <class Range>
bool Contains(const Range& range, std::string_view word) {
  return std::ranges::find(range, word) != std::end(range);
}

template <class... Ranges>
Words Joined(const Ranges&... ranges) {
  Words all;
  (all.insert(all.end(), ranges.begin(), ranges.end()), ...);
  return all;
}

bool IsStateName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

class StateLoader {
 public:
  StateLoader(const YamlEntry& entry, YamlReader& reader) : map_(*entry.value), key_(*entry.key), reader_(reader) {}

  State Load() {
    state_.name = key_.text;
    state_.position = reader_.PositionOf(key_);
    if (!IsStateName(state_.name)) {
      reader_.Invalid(key_, "'" + state_.name + "' is no name for a state", "",
                      "names are letters, digits, '_' and '-', and begin with a letter or '_'");
    }
    if (!reader_.IsMap(map_, "")) {
      state_.partial = true;
      return std::move(state_);
    }
    const std::string type = Type();
    Common(type == "terminal");
    if (type == "step" || type == "command") {
      Command();
    } else if (type == "agent") {
      Agent();
    } else if (type == "terminal") {
      Terminal();
    } else {
      UnknownType();
    }
    if (type != "agent") RefuseProxy();
    return std::move(state_);
  }

 private:
  const YamlNode* Find(std::string_view key) const {
    const YamlEntry* entry = YamlReader::Find(map_, key);
    return entry == nullptr ? nullptr : entry->value.get();
  }

  // The type, or "" when it is missing, unknown or not built.
  std::string Type() {
    const YamlNode* node = Find("type");
    if (node == nullptr) {
      reader_.Report(key_, kMissing, "state '" + state_.name + "' has no type", "type", "one of step, agent, terminal");
      return {};
    }
    if (node->kind == YamlNode::Kind::kScalar &&
        (Contains(kPlannedTypes, node->text) || node->text.find('.') != std::string::npos)) {
      reader_.Invalid(*node, "type '" + node->text + "' is not supported yet", "type");
      return {};
    }
    return reader_.Word(*node, "type", kTypes).value_or("");
  }

  void Common(bool terminal) {
    if (const YamlNode* node = Find("description")) {
      state_.description = reader_.String(*node, "description").value_or("");
    }
    if (const YamlNode* node = Find("dir")) state_.dir = NonEmptyText(*node, "dir");
    if (const YamlNode* node = Find("timeout")) Timeout(*node);
    if (terminal) {
      RefuseOnwardKeys();
      return;
    }
    if (const YamlNode* node = Find("on_success")) {
      if (auto name = reader_.NonEmpty(*node, "on_success")) {
        state_.on_success = StateTarget{std::move(*name), reader_.PositionOf(*node)};
      } else {
        state_.partial = true;
      }
    }
    if (const YamlNode* node = Find("on_failure")) OnFailure(*node);
  }

  void RefuseOnwardKeys() {
    for (const std::string_view key : {"on_success", "on_failure", "transitions"}) {
      if (const YamlEntry* entry = YamlReader::Find(map_, key)) {
        reader_.Report(*entry->key, "WORKFLOW.VALIDATION.INVALID_TRANSITION",
                       "a terminal state ends the run, so '" + std::string(key) + "' has no effect", std::string(key),
                       "remove the key");
      }
    }
  }

  void OnFailure(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::kSequence) {
      reader_.Invalid(node, "must be the name of a state, or a map with message and status", "on_failure");
      state_.partial = true;
      return;
    }
    if (node.kind == YamlNode::Kind::kScalar) {
      if (auto name = reader_.NonEmpty(node, "on_failure")) {
        state_.on_failure = StateTarget{std::move(*name), reader_.PositionOf(node)};
      } else {
        state_.partial = true;
      }
      return;
    }
    reader_.CheckKeys(node, {kInlineFailureKeys, {}, {}}, "on_failure");
    InlineFailure failure;
    failure.position = reader_.PositionOf(node);
    if (const YamlEntry* message = YamlReader::Find(node, "message")) {
      failure.message = NonEmptyText(*message->value, "on_failure.message");
    } else {
      reader_.Report(node, kMissing, "on_failure needs a message", "on_failure.message");
    }
    if (const YamlEntry* status = YamlReader::Find(node, "status")) {
      failure.status = static_cast<int>(reader_.Integer(*status->value, "on_failure.status", 1, 255).value_or(1));
    }
    state_.on_failure = std::move(failure);
  }

  void Timeout(const YamlNode& node) {
    if (node.kind != YamlNode::Kind::kScalar) {
      reader_.Invalid(node, "must be seconds or a duration", "timeout", "as 90 or 1h30m");
      return;
    }
    const std::optional<std::string> text = reader_.NonEmpty(node, "timeout");
    if (!text) return;
    TimeoutSetting timeout;
    timeout.position = reader_.PositionOf(node);
    if (HasTemplate(*text)) {
      timeout.text = reader_.TextOf(node);
    } else if (const auto value = ParseDuration(*text)) {
      timeout.value = *value;
    } else {
      reader_.Invalid(node, "'" + *text + "' " + value.error(), "timeout");
      return;
    }
    state_.timeout = std::move(timeout);
  }

  TemplateText NonEmptyText(const YamlNode& node, const std::string& field) {
    if (!reader_.NonEmpty(node, field)) return {};
    return reader_.TextOf(node);
  }

  TemplateText Required(const std::string& field) {
    if (const YamlNode* node = Find(field)) return NonEmptyText(*node, field);
    reader_.Report(key_, kMissing, "state '" + state_.name + "' has no " + field, field);
    return {};
  }

  // A required text that a key which is not built yet may stand for.
  TemplateText RequiredUnless(const std::string& field, std::string_view stand_in) {
    if (Find(field) == nullptr && Find(stand_in) != nullptr) {
      state_.partial = true;
      return {};
    }
    if (Find(field) != nullptr && Find(stand_in) != nullptr) {
      reader_.Invalid(*Find(field), "give either " + field + " or " + std::string(stand_in) + ", not both", field);
    }
    return Required(field);
  }

  // `own` are the keys of the type, `others` those of the other types with a hint each.
  void CheckKeys(const Words& own, const Words& planned, const Hints& others) {
    const Words known = Joined(kCommonKeys, own, Words{"mcp_proxy"});
    Hints hints = {{"when", "conditions stand in transitions, which are not supported yet"},
                   {"next", "use 'on_success'"}};
    for (const auto& hint : others) {
      if (!Contains(known, hint.first)) hints.push_back(hint);
    }
    reader_.CheckKeys(map_, {known, planned, hints}, "");
    // Without these the flow is not known.
    for (const std::string_view key : {"transitions", "continue_on_error", "next", "use_template"}) {
      state_.partial = state_.partial || Find(key) != nullptr;
    }
  }

  static Hints KeysOfOtherTypes() {
    Hints hints;
    for (const std::string_view key : kCommandKeys) hints.emplace_back(key, "only a state of type step has it");
    for (const std::string_view key : kAgentKeys) hints.emplace_back(key, "only a state of type agent has it");
    for (const std::string_view key : kTerminalKeys) hints.emplace_back(key, "only a state of type terminal has it");
    return hints;
  }

  void Command() {
    CheckKeys(Joined(kCommandKeys), Joined(kPlannedCommonKeys, kPlannedCommandKeys, kPlannedTypeKeys),
              KeysOfOtherTypes());
    state_.body = CommandState{RequiredUnless("command", "script_file")};
  }

  void Terminal() {
    Words planned = Joined(kPlannedCommonKeys, kPlannedTypeKeys);
    std::erase(planned, "transitions");
    CheckKeys(Joined(kTerminalKeys, Words{"on_success", "on_failure", "transitions"}), planned, KeysOfOtherTypes());
    state_.partial = false;  // it leads nowhere, whatever else is wrong with it
    TerminalState terminal;
    if (const YamlNode* node = Find("status")) {
      terminal.success = reader_.Word(*node, "status", kTerminalStatuses).value_or("success") == "success";
    }
    if (const YamlNode* node = Find("message"))
      terminal.message = reader_.Text(*node, "message").value_or(TemplateText());
    state_.body = std::move(terminal);
  }

  void Agent() {
    CheckKeys(Joined(kAgentKeys), Joined(kPlannedCommonKeys, kPlannedAgentKeys, kPlannedTypeKeys), KeysOfOtherTypes());
    AgentState agent;
    agent.provider = Required("provider");
    agent.prompt = RequiredUnless("prompt", "prompt_file");
    if (const YamlNode* node = Find("system_prompt")) {
      agent.system_prompt = reader_.Text(*node, "system_prompt").value_or(TemplateText());
    }
    if (const YamlNode* node = Find("options"); node != nullptr && reader_.IsMap(*node, "options")) {
      Options(*node, agent);
    }
    if (const YamlEntry* entry = YamlReader::Find(map_, "mcp_proxy")) {
      agent.mcp_proxy = LoadMcpProxy(*entry->value, reader_, "mcp_proxy");
      agent.mcp_proxy_position = reader_.PositionOf(*entry->key);
    }
    state_.body = std::move(agent);
  }

  void Options(const YamlNode& map, AgentState& agent) {
    for (const YamlEntry& entry : map.entries) {
      agent.option_positions[entry.key->text] = reader_.PositionOf(*entry.key);
      agent.options[entry.key->text] = Value(*entry.value, entry.key->text, agent);
    }
  }

  json::value Value(const YamlNode& node, const std::string& path, AgentState& agent) {
    if (path.find_first_of(".[") != std::string::npos) agent.option_positions[path] = reader_.PositionOf(node);
    if (node.kind == YamlNode::Kind::kSequence) {
      json::array list;
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        list.push_back(Value(*node.items[i], path + "[" + std::to_string(i) + "]", agent));
      }
      return list;
    }
    if (node.kind == YamlNode::Kind::kMapping) {
      json::object map;
      for (const YamlEntry& entry : node.entries) {
        map[entry.key->text] = Value(*entry.value, path + "." + entry.key->text, agent);
      }
      return map;
    }
    return ScalarValue(node, path, agent);
  }

  json::value ScalarValue(const YamlNode& node, const std::string& path, AgentState& agent) {
    const ScalarType type = TypeOf(node);
    if (type == ScalarType::kString) {
      if (HasTemplate(node.text)) agent.option_templates[path] = reader_.TextOf(node);
      return json::value(node.text);
    }
    agent.option_sources[path] = node.text;
    if (type == ScalarType::kNull) return nullptr;
    if (type == ScalarType::kBool) return node.text == "true";
    if (const std::optional<long long> integer = ParseInteger(node.text)) return std::int64_t{*integer};
    return std::strtod(node.text.c_str(), nullptr);
  }

  void UnknownType() {
    state_.partial = true;
    reader_.CheckKeys(map_,
                      {Joined(kCommonKeys, kPlannedCommonKeys, kCommandKeys, kPlannedCommandKeys, kAgentKeys,
                              kPlannedAgentKeys, kTerminalKeys, kPlannedTypeKeys, Words{"inputs", "goto", "when"}),
                       {},
                       {}},
                      "");
  }

  void RefuseProxy() {
    if (const YamlEntry* entry = YamlReader::Find(map_, "mcp_proxy")) {
      reader_.Invalid(*entry->key, "mcp_proxy belongs to a state of type agent", "mcp_proxy", "remove the block");
    }
  }

  const YamlNode& map_;
  const YamlNode& key_;
  YamlReader& reader_;
  State state_;
};

}  // namespace

State LoadState(const YamlEntry& entry, YamlReader& reader) {
  reader.EnterStep(entry.key->text);
  State state = StateLoader(entry, reader).Load();
  reader.EnterStep("");
  return state;
}

}  // namespace awf

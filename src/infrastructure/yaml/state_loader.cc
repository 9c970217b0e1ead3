#include "infrastructure/yaml/state_loader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "infrastructure/yaml/body_loaders.h"
#include "infrastructure/yaml/setting_loaders.h"
#include "infrastructure/yaml/state_keys.h"
#include "infrastructure/yaml/state_reader.h"

namespace awf {
namespace {

// Ours. Every finding of a state carries its name: a long one and many findings would fill the memory.
constexpr std::size_t kMaxName = 128;

bool IsStateName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= kMaxName && letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-'; });
}

class StateLoader {
 public:
  StateLoader(const YamlEntry& entry, YamlReader& reader) : reader_(entry, reader, state_), yaml_(reader) {}

  State Load() {
    state_.name = reader_.key.text;
    state_.position = yaml_.PositionOf(reader_.key);
    if (!IsStateName(state_.name)) {
      yaml_.Invalid(reader_.key, "'" + state_.name + "' is no name for a state", "",
                    "names are at most 128 letters, digits, '_' and '-', and begin with a letter or '_'");
    }
    if (!yaml_.IsMap(reader_.map, "")) {
      reader_.LoseFlow();
      return std::move(state_);
    }
    type_ = Type();
    if (type_.empty()) reader_.LoseFlow();
    CheckKeys();
    Description();
    if (type_ == "terminal") {
      RefuseOnwardKeys();
    } else {
      Settings();
      LoadOnward(reader_);
    }
    Body();
    WarnOfIdleKeys();
    return std::move(state_);
  }

 private:
  // The type, or "" when it is missing, unknown or not built.
  std::string Type() {
    const YamlNode* node = reader_.Find("type");
    if (node == nullptr) {
      reader_.Missing("type", "no type", "one of step, agent, parallel, for_each, operation, terminal");
      return {};
    }
    if (node->kind == YamlNode::Kind::kScalar && IsPlannedType(node->text)) {
      yaml_.Invalid(*node, "type '" + node->text + "' is not supported yet", "type");
      return {};
    }
    std::string type = yaml_.Word(*node, "type", StateTypes()).value_or("");
    if (type != "command" && type != "step") return type;
    return IsOperation() ? "operation" : "step";
  }

  // A step that names an operation and nothing else to do, as in files of older tools.
  bool IsOperation() {
    const YamlEntry* operation = YamlReader::Find(reader_.map, "operation");
    if (operation == nullptr || reader_.Find("command") != nullptr || reader_.Find("script_file") != nullptr)
      return false;
    yaml_.Report(*operation->key, "WORKFLOW.PARSE.UNKNOWN_FIELD",
                 "'operation' makes this a state of type operation, not step", "operation", "write 'type: operation'",
                 Severity::kWarning);
    return true;
  }

  void CheckKeys() {
    const StateKeys keys = KeysOfType(type_);
    const std::vector<std::string> meant = yaml_.CheckKeys(reader_.map, {keys.known, keys.planned, keys.hints}, "");
    const auto lost = [&](std::string_view key) { return reader_.Find(key) != nullptr; };
    // These say where the run goes on, or what the state does, in a way that is not understood.
    if (std::ranges::any_of(meant, IsFlowKey) || lost("next") || lost("goto") || lost("use_template")) {
      reader_.LoseFlow();
    }
    if (type_ != "agent") RefuseProxy();
  }

  void RefuseProxy() {
    if (const YamlEntry* entry = YamlReader::Find(reader_.map, "mcp_proxy")) {
      yaml_.Invalid(*entry->key, "mcp_proxy belongs to a state of type agent", "mcp_proxy", "remove the block");
    }
  }

  void Description() {
    if (const YamlNode* node = reader_.Find("description")) {
      state_.description = yaml_.String(*node, "description").value_or("");
    }
  }

  void RefuseOnwardKeys() {
    for (const std::string_view key : {"on_success", "on_failure", "transitions", "continue_on_error"}) {
      if (const YamlEntry* entry = YamlReader::Find(reader_.map, key)) {
        yaml_.Report(*entry->key, "WORKFLOW.VALIDATION.INVALID_TRANSITION",
                     "a terminal state ends the run, so '" + std::string(key) + "' has no effect", std::string(key),
                     "remove the key");
      }
    }
  }

  void Settings() {
    if (const YamlNode* node = reader_.Find("dir")) state_.dir = reader_.NonEmptyText(*node, "dir");
    if (const YamlNode* node = reader_.Find("timeout")) state_.timeout = LoadTimeout(*node, reader_);
    if (const YamlNode* node = reader_.Find("retry")) state_.retry = LoadRetry(*node, yaml_);
    if (const YamlNode* node = reader_.Find("hooks")) state_.hooks = LoadHooks(*node, reader_);
    if (const YamlNode* node = reader_.Find("capture")) state_.capture = LoadCapture(*node, yaml_);
  }

  void Body() {
    if (type_ == "step") state_.body = LoadCommand(reader_);
    if (type_ == "agent") state_.body = LoadAgent(reader_);
    if (type_ == "parallel") state_.body = LoadParallel(reader_);
    if (type_ == "for_each") state_.body = LoadForEach(reader_);
    if (type_ == "operation") state_.body = LoadOperation(reader_);
    if (type_ != "terminal") return;
    state_.body = LoadTerminal(reader_);
    state_.partial = false;  // it leads nowhere, whatever else is wrong with it
  }

  // Keys that every state may have, but that change nothing in one of this type.
  void WarnOfIdleKeys() {
    if (type_ == "terminal") {
      for (const std::string_view key : {"timeout", "dir", "retry", "hooks", "capture"}) {
        WarnOfIdle(key, "a terminal state does no work");
      }
    } else if (type_ == "parallel" || type_ == "for_each") {
      const std::string why = "a state of type " + type_ + " runs nothing itself";
      for (const std::string_view key : {"dir", "capture"}) WarnOfIdle(key, why);
    } else if (type_ == "operation" && reader_.Find("hooks") == nullptr) {
      WarnOfIdle("dir", "an operation has no working directory");
    }
  }

  void WarnOfIdle(std::string_view key, const std::string& why) {
    const YamlEntry* entry = YamlReader::Find(reader_.map, key);
    if (entry == nullptr) return;
    yaml_.Report(*entry->key, "WORKFLOW.PARSE.INVALID_VALUE", why + ", so '" + std::string(key) + "' has no effect",
                 std::string(key), "remove the key", Severity::kWarning);
  }

  State state_;
  StateReader reader_;
  YamlReader& yaml_;
  std::string type_;
};

}  // namespace

State LoadState(const YamlEntry& entry, YamlReader& reader) {
  reader.EnterStep(entry.key->text.size() <= kMaxName ? entry.key->text : "");
  State state = StateLoader(entry, reader).Load();
  reader.EnterStep("");
  return state;
}

}  // namespace awf

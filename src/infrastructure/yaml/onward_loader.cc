#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "infrastructure/yaml/setting_loaders.h"

namespace awf {
namespace {

using Hint = std::pair<std::string_view, std::string_view>;

constexpr std::string_view kMissing = "WORKFLOW.PARSE.MISSING_FIELD";
constexpr std::array<std::string_view, 2> kInlineFailureKeys = {"message", "status"};
constexpr std::array<std::string_view, 2> kTransitionKeys = {"when", "goto"};
constexpr std::array<Hint, 5> kTransitionHints = {{{"if", "use 'when'"},
                                                   {"condition", "use 'when'"},
                                                   {"to", "use 'goto'"},
                                                   {"target", "use 'goto'"},
                                                   {"next", "use 'goto'"}}};

class OnwardLoader {
 public:
  explicit OnwardLoader(StateReader& reader) : reader_(reader), yaml_(reader.yaml), state_(reader.state) {}

  void Load() {
    if (const YamlNode* node = reader_.Find("on_success")) state_.on_success = reader_.Target(*node, "on_success");
    OnComplete();
    if (const YamlNode* node = reader_.Find("on_failure")) OnFailure(*node);
    if (const YamlNode* node = reader_.Find("transitions")) Transitions(*node);
    if (const YamlNode* node = reader_.Find("continue_on_error")) {
      const std::optional<bool> value = yaml_.Bool(*node, "continue_on_error");
      if (!value) reader_.LoseFlow();
      state_.continue_on_error = value.value_or(false);
    }
  }

 private:
  // Of loops; on other types it is an unknown key, but what it was meant to say is known all the same.
  void OnComplete() {
    const YamlNode* node = reader_.Find("on_complete");
    if (node == nullptr) return;
    if (reader_.Find("on_success") == nullptr) {
      state_.on_success = reader_.Target(*node, "on_complete");
    } else if (const YamlNode* type = reader_.Find("type"); type != nullptr && type->text == "for_each") {
      yaml_.Invalid(*node, "on_complete is another name of on_success: give one of the two", "on_complete",
                    "remove on_complete");
    }
  }

  void OnFailure(const YamlNode& node) {
    if (node.kind == YamlNode::Kind::kScalar) {
      if (auto target = reader_.Target(node, "on_failure")) state_.on_failure = std::move(*target);
      return;
    }
    if (node.kind == YamlNode::Kind::kSequence) {
      yaml_.Invalid(node, "must be the name of a state, or a map with message and status", "on_failure");
      reader_.LoseFlow();
      return;
    }
    yaml_.CheckKeys(node, {kInlineFailureKeys, {}, {}}, "on_failure");
    InlineFailure failure;
    failure.position = yaml_.PositionOf(node);
    if (const YamlEntry* message = YamlReader::Find(node, "message")) {
      failure.message = reader_.NonEmptyText(*message->value, "on_failure.message");
    } else {
      yaml_.Report(node, kMissing, "on_failure needs a message", "on_failure.message");
    }
    if (const YamlEntry* status = YamlReader::Find(node, "status")) {
      failure.status = static_cast<int>(yaml_.Integer(*status->value, "on_failure.status", 1, 255).value_or(1));
    }
    state_.on_failure = std::move(failure);
  }

  void Transitions(const YamlNode& list) {
    if (list.kind != YamlNode::Kind::kSequence) {
      yaml_.Invalid(list, "must be a list, but is " + DescriptionOf(list), "transitions",
                    "write each entry as '- {when: …, goto: …}'");
      reader_.LoseFlow();
      return;
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string field = "transitions[" + std::to_string(i) + "]";
      if (auto transition = Entry(*list.items[i], field)) {
        state_.transitions.push_back(std::move(*transition));
      } else {
        reader_.LoseFlow();
      }
    }
  }

  // Nothing when it is not known under which condition the run goes where.
  std::optional<Transition> Entry(const YamlNode& node, const std::string& field) {
    if (!yaml_.IsMap(node, field)) return std::nullopt;
    const std::size_t unknown = node.entries.size() - (Has(node, "when") ? 1 : 0) - (Has(node, "goto") ? 1 : 0);
    yaml_.CheckKeys(node, {kTransitionKeys, {}, kTransitionHints}, field);
    Transition transition;
    transition.position = yaml_.PositionOf(node);
    bool understood = unknown == 0;
    if (const YamlEntry* when = YamlReader::Find(node, "when")) {
      transition.when = reader_.NonEmptyExpression(*when->value, JoinPath(field, "when"));
      understood = understood && !transition.when.empty();
    }
    std::optional<StateTarget> target;
    if (const YamlEntry* entry = YamlReader::Find(node, "goto")) {
      target = reader_.Target(*entry->value, JoinPath(field, "goto"));
    } else if (unknown == 0) {
      yaml_.Report(node, kMissing, "the transition has no goto", JoinPath(field, "goto"), "name the next state");
    }
    if (!understood || !target) return std::nullopt;
    transition.target = std::move(*target);
    return transition;
  }

  static bool Has(const YamlNode& map, std::string_view key) { return YamlReader::Find(map, key) != nullptr; }

  StateReader& reader_;
  YamlReader& yaml_;
  State& state_;
};

}  // namespace

void LoadOnward(StateReader& reader) { OnwardLoader(reader).Load(); }

}  // namespace awf

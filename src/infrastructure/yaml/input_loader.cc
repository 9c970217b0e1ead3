#include "infrastructure/yaml/input_loader.h"

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace awf {
namespace {

constexpr std::string_view kMissing = "WORKFLOW.PARSE.MISSING_FIELD";
constexpr std::array<std::string_view, 7> kKeys = {"name",    "type",   "description", "required",
                                                   "default", "secret", "validation"};
constexpr std::array<std::string_view, 3> kTypes = {"string", "integer", "boolean"};
constexpr std::array<std::string_view, 6> kRuleKeys = {"pattern", "enum",        "min",
                                                       "max",     "file_exists", "file_extension"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kHints = {
    {{"pattern", "it belongs into 'validation'"},
     {"enum", "it belongs into 'validation'"},
     {"min", "it belongs into 'validation'"},
     {"max", "it belongs into 'validation'"},
     {"file_exists", "it belongs into 'validation'"},
     {"file_extension", "it belongs into 'validation'"}}};

// One input. `sound_` turns false with the first thing that is wrong with its type or rules: a default is then not
// checked against them.
class InputLoader {
 public:
  InputLoader(const YamlNode& node, std::string field, YamlReader& reader, const InputContext& context)
      : node_(node), field_(std::move(field)), reader_(reader), context_(context) {}

  WorkflowInput Load() {
    reader_.CheckKeys(node_, {kKeys, {}, kHints}, field_);
    input_.position = reader_.PositionOf(node_);
    if (const YamlNode* type = YamlReader::FindValue(node_, "type")) {
      const std::optional<std::string> word = reader_.Word(*type, Path("type"), kTypes);
      sound_ = type_known_ = word.has_value();
      input_.type = word.value_or("string");
    }
    if (const YamlNode* text = YamlReader::FindValue(node_, "description")) {
      input_.description = reader_.String(*text, Path("description")).value_or("");
    }
    if (const YamlNode* required = YamlReader::FindValue(node_, "required")) {
      input_.required = reader_.Bool(*required, Path("required")).value_or(false);
    }
    if (const YamlNode* secret = YamlReader::FindValue(node_, "secret")) {
      input_.secret = reader_.Bool(*secret, Path("secret")).value_or(false);
    }
    if (const YamlNode* rules = YamlReader::FindValue(node_, "validation")) Rules(*rules);
    if (const YamlNode* value = YamlReader::FindValue(node_, "default")) Default(*value);
    return std::move(input_);
  }

 private:
  std::string Path(std::string_view key) const { return JoinPath(field_, key); }
  std::string RulePath(std::string_view key) const { return Path("validation.") + std::string(key); }
  void Invalid(const YamlNode& at, std::string message, const std::string& field, std::string hint = {}) {
    reader_.Invalid(at, std::move(message), field, std::move(hint));
    sound_ = false;
  }

  void Rules(const YamlNode& map) {
    if (!reader_.IsMap(map, Path("validation"))) {
      sound_ = false;
      return;
    }
    reader_.CheckKeys(map, {kRuleKeys, {}, {}}, Path("validation"));
    input_.validation.position = reader_.PositionOf(map);
    if (const YamlNode* node = YamlReader::FindValue(map, "pattern")) Pattern(*node);
    if (const YamlNode* node = YamlReader::FindValue(map, "enum")) Enum(*node);
    const YamlNode* min = YamlReader::FindValue(map, "min");
    const YamlNode* max = YamlReader::FindValue(map, "max");
    if (min != nullptr) Bound(*min, "min", input_.validation.min);
    if (max != nullptr) Bound(*max, "max", input_.validation.max);
    if (input_.validation.min > input_.validation.max && input_.validation.max) {
      Invalid(*max, "max is less than min", RulePath("max"));
    }
    if (const YamlNode* node = YamlReader::FindValue(map, "file_exists")) {
      const std::optional<bool> value = reader_.Bool(*node, RulePath("file_exists"));
      sound_ = sound_ && value;
      input_.validation.file_exists = value.value_or(false);
    }
    if (const YamlNode* node = YamlReader::FindValue(map, "file_extension")) Extensions(*node);
  }

  void Pattern(const YamlNode& node) {
    std::optional<std::string> pattern = reader_.NonEmpty(node, RulePath("pattern"));
    if (!pattern) {
      sound_ = false;
      return;
    }
    if (context_.regexes != nullptr) {
      if (const auto regex = context_.regexes->Compile(*pattern, {}); !regex) {
        const RegexFault& fault = regex.error();
        Invalid(node,
                "the pattern is not valid: " + fault.message +
                    (fault.fragment.empty() ? "" : ", at '" + fault.fragment + "'"),
                RulePath("pattern"), "patterns are those of RE2");
        return;
      }
    }
    input_.validation.pattern = std::move(*pattern);
  }

  void Enum(const YamlNode& list) {
    const std::string field = RulePath("enum");
    if (!reader_.IsList(list, field)) {
      sound_ = false;
      return;
    }
    if (list.items.empty()) Invalid(list, "must name at least one value", field);
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const YamlNode& item = *list.items[i];
      const std::string item_field = field + "[" + std::to_string(i) + "]";
      std::optional<std::string> text = reader_.String(item, item_field);
      sound_ = sound_ && text;
      if (!text) continue;
      if (const auto value = CoerceInput(input_, *text); !value && type_known_) {
        Invalid(item, "the value " + value.error(), item_field);
      } else {
        input_.validation.values.push_back(std::move(*text));
      }
    }
  }

  void Bound(const YamlNode& node, std::string_view key, std::optional<std::int64_t>& bound) {
    if (input_.type != "integer") {
      if (type_known_) {
        Invalid(node, "only inputs of type integer have " + std::string(key), RulePath(key), "add 'type: integer'");
      }
      return;
    }
    bound = reader_.Integer(node, RulePath(key), std::numeric_limits<std::int64_t>::min(),
                            std::numeric_limits<std::int64_t>::max());
    sound_ = sound_ && bound;
  }

  void Extensions(const YamlNode& list) {
    const std::string field = RulePath("file_extension");
    if (!reader_.IsList(list, field)) {
      sound_ = false;
      return;
    }
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const YamlNode& item = *list.items[i];
      const std::string item_field = field + "[" + std::to_string(i) + "]";
      std::optional<std::string> text = reader_.NonEmpty(item, item_field);
      sound_ = sound_ && text;
      if (!text) continue;
      if (text->size() < 2 || text->front() != '.') {
        Invalid(item, "'" + *text + "' is no file extension", item_field, "write it with its dot, as '.md'");
      } else {
        input_.validation.file_extensions.push_back(std::move(*text));
      }
    }
  }

  void Default(const YamlNode& node) {
    std::optional<std::string> text = reader_.String(node, Path("default"));
    if (!text) return;
    if (type_known_) {
      const auto value = CoerceInput(input_, *text);
      if (!value) return Invalid(node, "the default " + value.error(), Path("default"));
      if (sound_) {
        const auto checked = CheckInput(input_, *value, context_);
        if (!checked) return Invalid(node, "the default " + checked.error(), Path("default"));
      }
    }
    input_.default_value = std::move(*text);
  }

  const YamlNode& node_;
  std::string field_;
  YamlReader& reader_;
  const InputContext& context_;
  WorkflowInput input_;
  bool type_known_ = true, sound_ = true;
};

class InputsLoader {
 public:
  InputsLoader(YamlReader& reader, const InputContext& context) : reader_(reader), context_(context) {}

  std::vector<WorkflowInput> Load(const YamlNode& list) {
    if (list.kind == YamlNode::Kind::kMapping) {
      reader_.Invalid(list, "must be a list, but is a map", "inputs", "write each input as '- name: …'");
      return {};
    }
    if (!reader_.IsList(list, "inputs")) return {};
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::string field = "inputs[" + std::to_string(i) + "]";
      const YamlNode& node = *list.items[i];
      if (!reader_.IsMap(node, field)) continue;
      WorkflowInput input = InputLoader(node, field, reader_, context_).Load();
      if (Name(node, field, input)) inputs_.push_back(std::move(input));
    }
    return std::move(inputs_);
  }

 private:
  bool Name(const YamlNode& node, const std::string& field, WorkflowInput& input) {
    const YamlNode* name = YamlReader::FindValue(node, "name");
    if (name == nullptr) {
      reader_.Report(node, kMissing, "the input has no name", JoinPath(field, "name"));
      return false;
    }
    const std::optional<std::string> text = reader_.NonEmpty(*name, JoinPath(field, "name"));
    if (!text) return false;
    if (!IsIdentifier(*text)) {
      reader_.Invalid(*name, "'" + *text + "' is no name for an input", JoinPath(field, "name"),
                      "names are letters, digits and '_', and begin with a letter or '_'");
      return false;
    }
    // Commands see AWF_INPUT_NAME, which cannot tell names that differ in case only.
    const auto [first, added] = names_.emplace(InputVariable(*text), *text);
    if (!added) {
      reader_.Invalid(*name,
                      first->second == *text ? "input '" + *text + "' is declared twice"
                                             : "inputs '" + first->second + "' and '" + *text + "' differ in case only",
                      JoinPath(field, "name"));
      return false;
    }
    input.name = *text;
    return true;
  }

  YamlReader& reader_;
  const InputContext& context_;
  std::vector<WorkflowInput> inputs_;
  std::map<std::string, std::string> names_;  // variable → name
};

}  // namespace

std::vector<WorkflowInput> LoadInputs(const YamlNode& list, YamlReader& reader, const InputContext& context) {
  return InputsLoader(reader, context).Load(list);
}

}  // namespace awf

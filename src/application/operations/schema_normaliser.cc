#include "application/operations/schema_normaliser.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "application/language/template_values.h"
#include "application/operations/input_type.h"
#include "application/operations/schema_view.h"
#include "domain/fault_list.h"
#include "domain/joined.h"
#include "domain/result_text.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kLongestDescription = 2047;  // bytes
constexpr std::size_t kLongestNote = 300;          // bytes of a value in a description
constexpr std::size_t kBytesPerPart = 1000;        // of such a value, as the budget counts it
constexpr std::size_t kMostWarnings = 100;

// Rules that are told in the description.
constexpr std::string_view kTold[] = {"format",
                                      "pattern",
                                      "minLength",
                                      "maxLength",
                                      "minItems",
                                      "maxItems",
                                      "uniqueItems",
                                      "multipleOf",
                                      "prefixItems",
                                      "contains",
                                      "exclusiveMinimum",
                                      "exclusiveMaximum",
                                      "minProperties",
                                      "maxProperties",
                                      "propertyNames",
                                      "dependentSchemas",
                                      "dependentRequired",
                                      "patternProperties",
                                      "dependencies",
                                      "not",
                                      "if",
                                      "then",
                                      "else"};

bool IsStringEnum(const std::vector<const json::value*>& values) {
  // An empty word is none for some models.
  return !values.empty() && std::ranges::all_of(values, [](const json::value* value) {
    return value->is_string() && !value->get_string().empty();
  });
}

class Normaliser {
 public:
  explicit Normaliser(const json::object& root) : root_(root) {}

  std::expected<NormalisedSchema, std::string> Run() {
    json::object made = Node(json::value(root_), "", {});
    const json::value* type = made.if_contains("type");
    if (type == nullptr || *type != "object") Fault("", "must be of type object");
    if (fault_) return std::unexpected(std::move(*fault_));
    return NormalisedSchema{std::move(made), std::move(warnings_)};
  }

 private:
  // One place, while it is put together.
  struct Place {
    std::string path;
    SchemaView view;
    std::vector<std::string> notes;
    json::object made;
  };

  static std::string Shown(const std::string& path) { return path.empty() ? "the schema" : schema::Quoted(path); }

  void Fault(const std::string& path, std::string_view what) {
    if (!fault_) fault_ = Shown(path) + " " + std::string(what);
  }

  void Dropped(const Place& place, std::string_view keyword) {
    if (warnings_.size() < kMostWarnings) {
      warnings_.push_back(Shown(place.path) + ": '" + std::string(keyword) + "' was dropped");
    }
  }

  std::optional<SchemaView> View(const json::value& schema, const std::string& path, SchemaDepth depth) {
    if (fault_) return std::nullopt;
    auto view = SchemaView::Of(schema, root_, depth, budget_);
    if (view) return std::move(*view);
    Fault(path, view.error());
    return std::nullopt;
  }

  // False after a fault.
  bool Spend(const Place& place, std::size_t parts) {
    if (!budget_.Take(parts)) Fault(place.path, "is too large");
    return !fault_;
  }

  json::object Node(const json::value& schema, const std::string& path, SchemaDepth depth) {
    auto view = View(schema, path, depth);
    if (!view) return {};
    Place place{path, std::move(*view), {}, {}};
    if (place.view.forbids_all()) Dropped(place, "false");
    std::vector<SchemaView> alternatives = Alternatives(place);
    std::optional<InputType> type = Type(place);
    if (fault_) return {};
    Values(place, type);
    if (type == InputType::kObject) {
      Properties(place, alternatives);
    } else if (type == InputType::kArray) {
      Items(place);
    } else if (!alternatives.empty()) {
      AnyOf(place);
    }
    if (type == InputType::kInteger || type == InputType::kNumber) Bounds(place);
    if (fault_) return {};
    return Finished(place, type);
  }

  // The views of the branches of anyOf or oneOf, `null` left out. A single one is no alternative: it joins the place.
  std::vector<SchemaView> Alternatives(Place& place) {
    std::vector<SchemaView> views;
    const json::array* branches = Branches(place);
    if (branches == nullptr) return views;
    SchemaDepth below = place.view.depth();
    ++below.levels;
    for (const json::value& branch : *branches) {
      auto view = View(branch, place.path, below);
      if (!view) return {};
      if (!IsNull(*view)) views.push_back(std::move(*view));
    }
    if (views.size() != 1) return views;
    place.view.Join(views.front());
    return {};
  }

  // anyOf wins over oneOf.
  static const json::array* Branches(const Place& place) {
    const json::value* any = place.view.Find("anyOf");
    const json::value* branches = any == nullptr ? place.view.Find("oneOf") : any;
    return branches == nullptr ? nullptr : branches->if_array();
  }

  static bool IsNull(const SchemaView& view) {
    const json::value* type = view.Find("type");
    return type != nullptr && *type == "null";
  }

  // A value for a description.
  std::string Note(const Place& place, const json::value& value) {
    const std::string text = TextOf(value);
    if (!Spend(place, text.size() / kBytesPerPart)) return {};
    const std::string_view shown = Utf8Prefix(text, kLongestNote);
    return CleanText(shown) + (shown.size() < text.size() ? "…" : "");
  }

  // Nothing, and a note where it can be several; kAny is never given.
  std::optional<InputType> Type(Place& place) {
    const json::value* written = place.view.Find("type");
    if (written == nullptr) return ImpliedType(place);
    json::array words;
    if (const json::array* list = written->if_array()) {
      if (!Spend(place, list->size())) return std::nullopt;
      words = *list;
    } else {
      words.push_back(*written);
    }
    std::vector<InputType> types;
    for (const json::value& word : words) {
      if (!word.is_string()) return Fault(place.path, "has a type that is no word"), std::nullopt;
      if (word.get_string() == "null") continue;
      const auto type = word.get_string().empty() ? std::nullopt : InputTypeOf(word.get_string());
      if (!type) return Fault(place.path, "has the unknown type " + schema::Shown(word)), std::nullopt;
      if (std::ranges::find(types, *type) == types.end()) types.push_back(*type);
    }
    if (types.size() == 1) return types.front();
    if (types.size() == 2 && std::ranges::all_of(types, [](InputType type) {
          return type == InputType::kInteger || type == InputType::kNumber;
        }))
      return InputType::kNumber;
    Dropped(place, "type");
    std::vector<std::string_view> names;
    names.reserve(types.size());
    for (const InputType type : types) names.push_back(SchemaTypeOf(type));
    if (!names.empty()) place.notes.push_back("type: " + Joined(names, " or "));
    return std::nullopt;
  }

  static std::optional<InputType> ImpliedType(const Place& place) {
    if (const json::value* value = place.view.Find("properties"); value != nullptr && value->is_object()) {
      return InputType::kObject;
    }
    if (place.view.Find("items") != nullptr) return InputType::kArray;
    return place.path.empty() ? std::optional(InputType::kObject) : std::nullopt;
  }

  // enum and const. Only words that a model may choose from can be sent.
  void Values(Place& place, std::optional<InputType>& type) {
    std::vector<const json::value*> values;
    if (const json::value* only = place.view.Find("const")) {
      if (!Spend(place, 1)) return;
      values.push_back(only);
    } else if (const json::value* list = place.view.Find("enum"); list != nullptr && list->is_array()) {
      if (!Spend(place, list->get_array().size())) return;
      for (const json::value& value : list->get_array()) values.push_back(&value);
    } else {
      return;
    }
    if (values.size() > 1) std::erase_if(values, [](const json::value* value) { return value->is_null(); });
    if (IsStringEnum(values) && type.value_or(InputType::kString) == InputType::kString) {
      type = InputType::kString;
      json::array kept;
      std::set<std::string_view> seen;
      for (const json::value* value : values) {
        if (seen.insert(value->get_string()).second) kept.emplace_back(CleanText(value->get_string()));
      }
      place.made["enum"] = std::move(kept);
      return;
    }
    Dropped(place, "enum");
    if (values.empty()) return;
    std::string text;
    for (const json::value* value : values) {
      text += (text.empty() ? "" : ", ") + CompactJson(*value);
      if (text.size() > kLongestDescription) break;
    }
    place.notes.push_back((values.size() == 1 ? "always " : "one of: ") + Note(place, json::value(text)));
  }

  void Properties(Place& place, const std::vector<SchemaView>& alternatives) {
    json::object properties;
    AddProperties(place, place.view, properties);
    for (const SchemaView& alternative : alternatives) AddProperties(place, alternative, properties);
    if (!alternatives.empty()) Rule(place, alternatives);
    if (fault_) return;
    const std::set<std::string> required = Required(place, place.view);
    for (const std::string& name : required) {
      if (!properties.contains(name)) Fault(place.path, "requires " + schema::Quoted(name) + ", which it lacks");
    }
    place.made["properties"] = std::move(properties);
    if (!required.empty()) place.made["required"] = json::array(required.begin(), required.end());
  }

  void AddProperties(const Place& place, const SchemaView& view, json::object& properties) {
    SchemaDepth below = view.depth();
    ++below.levels;
    for (const json::object* layer : view.layers()) {
      const json::value* declared = layer->if_contains("properties");
      if (declared == nullptr) continue;
      if (!declared->is_object()) return Fault(place.path, "has properties that are no object");
      for (const auto& [name, property] : declared->get_object()) {
        if (fault_ || properties.contains(name)) continue;
        const std::string path = (place.path.empty() ? "" : place.path + ".") + std::string(name);
        properties[name] = Node(property, path, below);
      }
    }
  }

  // Sorted, each once.
  std::set<std::string> Required(const Place& place, const SchemaView& view) {
    std::set<std::string> names;
    for (const json::object* layer : view.layers()) {
      const json::value* required = layer->if_contains("required");
      if (required == nullptr) continue;
      const json::array* list = required->if_array();
      if (list == nullptr) {
        Fault(place.path, "has a 'required' that is no list of names");
        return names;
      }
      if (!Spend(place, list->size())) return names;
      for (const json::value& name : *list) {
        if (!name.is_string()) Fault(place.path, "has a 'required' that is no list of names");
        if (name.is_string()) names.emplace(name.get_string());
      }
    }
    return names;
  }

  // What anyOf or oneOf of an object asks for, in words.
  void Rule(Place& place, const std::vector<SchemaView>& alternatives) {
    const bool any = place.view.Find("anyOf") != nullptr;
    Dropped(place, any ? "anyOf" : "oneOf");
    std::string sets;
    for (const SchemaView& alternative : alternatives) {
      const std::set<std::string> names = Required(place, alternative);
      sets += (sets.empty() ? "" : ", or ") + (names.empty() ? std::string("none") : Joined(names, " and "));
      if (sets.size() > kLongestDescription) break;
    }
    place.notes.push_back(std::string(any ? "at least one" : "exactly one") +
                          " of these is needed: " + Note(place, json::value(sets)));
  }

  void Items(Place& place) {
    const json::value* items = place.view.Find("items");
    json::object made;
    if (items != nullptr && items->is_array()) {
      Dropped(place, "items");
      place.notes.push_back("items: " + Note(place, *items));
    } else if (items != nullptr) {
      SchemaDepth below = place.view.depth();
      ++below.levels;
      made = Node(*items, place.path + "[]", below);
    }
    // Without a type there are no items for some models.
    if (!made.contains("type") && !made.contains("anyOf")) {
      Spend(place, 1);
      made["type"] = "string";
    }
    place.made["items"] = std::move(made);
  }

  void AnyOf(Place& place) {
    SchemaDepth below = place.view.depth();
    ++below.levels;
    json::array kept;
    const json::array* branches = Branches(place);
    for (std::size_t i = 0; i < branches->size() && !fault_; ++i) {
      const auto view = View((*branches)[i], place.path, below);
      if (!view || IsNull(*view)) continue;
      json::object branch = Node((*branches)[i], place.path + ".anyOf[" + std::to_string(i) + "]", below);
      if (branch.empty()) return;  // of which anything is one
      kept.emplace_back(std::move(branch));
    }
    place.made["anyOf"] = std::move(kept);
  }

  void Bounds(Place& place) {
    for (const std::string_view bound : {"minimum", "maximum"}) {
      const json::value* value = place.view.Find(bound);
      if (value == nullptr) continue;
      if (value->is_number()) {
        place.made[bound] = *value;
      } else {
        Dropped(place, bound);
      }
    }
  }

  // What is told in words, and the words.
  json::object Finished(Place& place, std::optional<InputType> type) {
    for (const std::string_view keyword : kTold) {
      const json::value* value = place.view.Find(keyword);
      if (value == nullptr) continue;
      Dropped(place, keyword);
      place.notes.push_back(std::string(keyword) + ": " + Note(place, *value));
    }
    if (const json::value* value = place.view.Find("default")) {
      place.notes.push_back("default: " + Note(place, json::value(CompactJson(*value))));
    }
    json::object made;
    if (type) made["type"] = SchemaTypeOf(*type);
    if (const std::string text = Description(place); !text.empty()) made["description"] = text;
    for (auto& [key, value] : place.made) made[key] = std::move(value);
    return made;
  }

  static std::string Description(const Place& place) {
    std::string text;
    for (const std::string_view keyword : {"description", "title"}) {
      const json::value* value = place.view.Find(keyword);
      if (text.empty() && value != nullptr && value->is_string()) {
        text = CleanText(Utf8Prefix(value->get_string(), kLongestDescription));
      }
    }
    const std::string notes = Joined(place.notes, "; ");
    if (!text.empty() && !notes.empty()) {
      text += " (" + notes + ")";
    } else {
      text += notes;
    }
    return std::string(Utf8Prefix(text, kLongestDescription));
  }

  const json::object& root_;
  SchemaBudget budget_;
  std::vector<std::string> warnings_;
  std::optional<std::string> fault_;
};

}  // namespace

std::expected<NormalisedSchema, std::string> NormaliseSchema(const json::object& schema) {
  return Normaliser(schema).Run();
}

}  // namespace awf

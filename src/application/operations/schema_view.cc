#include "application/operations/schema_view.h"

#include <algorithm>
#include <charconv>

#include "domain/fault_list.h"

namespace awf {
namespace {

constexpr std::size_t kMostReferences = 16;
constexpr std::size_t kMostLevels = 32;  // as many as the MCP library takes

constexpr const char* kTooLarge = "is too large, or refers to too much";

// "a~1b" of a JSON pointer is "a/b".
std::string Unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape = token[i] == '~' && i + 1 < token.size();
    if (escape && token[i + 1] == '1') {
      text.push_back('/');
    } else if (escape && token[i + 1] == '0') {
      text.push_back('~');
    } else {
      text.push_back(token[i]);
      continue;
    }
    ++i;
  }
  return text;
}

const json::value* Member(const json::value& value, std::string_view token) {
  if (const json::object* map = value.if_object()) return map->if_contains(Unescaped(token));
  const json::array* list = value.if_array();
  if (list == nullptr) return nullptr;
  std::size_t index = 0;
  const auto [end, fault] = std::from_chars(token.data(), token.data() + token.size(), index);
  if (fault != std::errc() || end != token.data() + token.size() || index >= list->size()) return nullptr;
  return &(*list)[index];
}

// "#/$defs/x"; null when there is nothing. Not for "#", the root.
const json::value* Resolve(const json::object& root, std::string_view pointer) {
  if (!pointer.starts_with('/')) return nullptr;
  const json::value* at = nullptr;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    at = at == nullptr ? root.if_contains(Unescaped(token)) : Member(*at, token);
    if (at == nullptr) return nullptr;
    pointer.remove_prefix(token.size());
  }
  return at;
}

}  // namespace

std::expected<SchemaView, std::string> SchemaView::Of(const json::value& schema, const json::object& root,
                                                      SchemaDepth depth, SchemaBudget& budget) {
  SchemaView view;
  view.depth_ = depth;
  if (auto collected = view.Collect(schema, root, depth, budget); !collected) {
    return std::unexpected(std::move(collected.error()));
  }
  return view;
}

const json::value* SchemaView::Find(std::string_view keyword) const {
  for (const json::object* layer : layers_) {
    if (const json::value* value = layer->if_contains(keyword)) return value;
  }
  return nullptr;
}

void SchemaView::Join(const SchemaView& other) {
  layers_.insert(layers_.end(), other.layers_.begin(), other.layers_.end());
  depth_.references = std::max(depth_.references, other.depth_.references);
  forbids_all_ = forbids_all_ || other.forbids_all_;
}

std::expected<void, std::string> SchemaView::Collect(const json::value& schema, const json::object& root,
                                                     SchemaDepth depth, SchemaBudget& budget) {
  if (!budget.Take()) return std::unexpected(kTooLarge);
  if (depth.levels > kMostLevels) return std::unexpected("nests deeper than " + std::to_string(kMostLevels));
  if (const bool* allows = schema.if_bool()) {
    forbids_all_ = forbids_all_ || !*allows;
    return {};
  }
  const json::object* object = schema.if_object();
  if (object == nullptr) return std::unexpected("is no schema, but " + schema::Shown(schema));
  return CollectObject(*object, root, depth, budget);
}

std::expected<void, std::string> SchemaView::CollectObject(const json::object& object, const json::object& root,
                                                           SchemaDepth depth, SchemaBudget& budget) {
  layers_.push_back(&object);
  if (const json::value* reference = object.if_contains("$ref")) {
    if (++depth.references > kMostReferences) {
      return std::unexpected("has references deeper than " + std::to_string(kMostReferences) + ", or to themselves");
    }
    if (auto collected = CollectReferred(*reference, root, depth, budget); !collected) return collected;
  }
  depth_.references = std::max(depth_.references, depth.references);
  const json::value* all = object.if_contains("allOf");
  const json::array* members = all == nullptr ? nullptr : all->if_array();
  if (members == nullptr) return {};
  ++depth.levels;
  for (const json::value& member : *members) {
    if (auto collected = Collect(member, root, depth, budget); !collected) return collected;
  }
  return {};
}

std::expected<void, std::string> SchemaView::CollectReferred(const json::value& reference, const json::object& root,
                                                             SchemaDepth depth, SchemaBudget& budget) {
  const json::string* text = reference.if_string();
  const std::string shown = schema::Shown(reference);
  if (text == nullptr || !text->starts_with('#')) return std::unexpected("refers to " + shown + ", out of the schema");
  if (!budget.Take()) return std::unexpected(kTooLarge);
  if (*text == "#") return CollectObject(root, root, depth, budget);
  const json::value* target = Resolve(root, std::string_view(*text).substr(1));
  if (target == nullptr) return std::unexpected("refers to " + shown + ", which is not there");
  return Collect(*target, root, depth, budget);
}

}  // namespace awf

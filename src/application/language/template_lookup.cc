// How an evaluator finds the values that names stand for.
#include <span>

#include "application/language/template_evaluator.h"
#include "application/language/vocabulary.h"

namespace awf {
namespace {

constexpr std::string_view kDefaultHint = "give a value for that case with default";

std::string Dotted(const std::vector<std::string>& path, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) text += (i == begin ? "" : ".") + path[i];
  return text;
}

// The keys that are spelled with care: an object's own, and those that it could have at this place.
std::vector<std::string_view> KeysAt(const std::vector<std::string>& path, std::size_t at, const json::object& object) {
  std::vector<std::string_view> keys;
  for (const json::key_value_pair& pair : object) keys.emplace_back(pair.key());
  const auto add = [&](std::span<const std::string_view> more) { keys.insert(keys.end(), more.begin(), more.end()); };
  if (at == 1) add(KeysOf(path[0]));
  if (at == 2 && path[0] == "states") {
    add(CommonResultFields());
    add(AgentResultFields());
  }
  return keys;
}

}  // namespace

std::unexpected<TemplateEvaluator::Failure> TemplateEvaluator::Missing(std::size_t offset, std::string message,
                                                                       std::string hint) {
  if (hint.empty()) hint = kDefaultHint;
  return std::unexpected(Failure{Undefined(offset, std::move(message), std::move(hint)).error(), true});
}

std::unexpected<TemplateEvaluator::Failure> TemplateEvaluator::Wrong(std::size_t offset, std::string message,
                                                                     std::string hint) {
  return std::unexpected(Failure{Undefined(offset, std::move(message), std::move(hint)).error(), false});
}

TemplateEvaluator::Value TemplateEvaluator::Of(const TemplateExpression& expression) {
  return std::visit([&](const auto& form) { return Form(expression.offset, form); }, expression.form);
}

TemplateEvaluator::Value TemplateEvaluator::Form(std::size_t, const LiteralExpression& literal) {
  return BorrowedValue(literal.value);
}

TemplateEvaluator::Value TemplateEvaluator::Form(std::size_t offset, const ReferenceExpression& reference) {
  const std::vector<std::string>& path = reference.path;
  if (path.size() > 1 && path[0] == "env") return Environment(offset, path);
  if (path.size() > 1 && path[0] == "states") return State(offset, path);
  return Namespace(offset, path);
}

TemplateEvaluator::Value TemplateEvaluator::Form(std::size_t offset, const DotExpression& dot) {
  Value value = Walk(dot_, {offset, ".", dot.path, 0});
  const bool is_root = !value && IsNamespace(dot.path[0]);
  if (is_root) value.error().fault.hint = "inside range and with the dot is another value; write $." + dot.path[0];
  return value;
}

TemplateEvaluator::Value TemplateEvaluator::Form(std::size_t offset, const VariableExpression& variable) {
  const TemplateValue* value = FindVariable(variable.name);
  if (value == nullptr) return Wrong(offset, "there is no variable '$" + variable.name + "' here");
  return Walk(*value, {offset, "$" + variable.name + ".", variable.path, 0});
}

TemplateEvaluator::Value TemplateEvaluator::Form(std::size_t offset, const SelectExpression& select) {
  Value base = Of(select.base[0]);
  if (!base) return base;
  return Walk(std::move(*base), {offset, "(…).", select.path, 0});
}

TemplateEvaluator::Value TemplateEvaluator::Environment(std::size_t offset, const std::vector<std::string>& path) {
  if (path.size() > 2) return Wrong(offset, "'env." + path[1] + "' is text and has no '" + path[2] + "'");
  const auto text = scope_.environment ? scope_.environment(path[1]) : std::nullopt;
  if (!text) return Missing(offset, "environment variable '" + path[1] + "' is not set");
  return TextValue(*text);
}

TemplateEvaluator::Value TemplateEvaluator::State(std::size_t offset, const std::vector<std::string>& path) {
  const json::object* fields = scope_.State(path[1]);
  if (fields == nullptr) return Missing(offset, "state '" + path[1] + "' has not run");
  if (path.size() == 2) return Whole(Dotted(path, 0, 2), *fields);
  return WalkObject(*fields, nullptr, {offset, "", path, 2});
}

TemplateEvaluator::Value TemplateEvaluator::Namespace(std::size_t offset, const std::vector<std::string>& path) {
  const std::string& root = path[0];
  const json::object* object = scope_.Namespace(root);
  if (object == nullptr) {
    const std::string message = "'" + root + "' is not there";
    if (root == "loop") return Missing(offset, message + ": it is in the bodies of loops only");
    if (root == "error") return Missing(offset, message + ": it is in messages and hooks of failures only");
    if (IsNamespace(root)) return Missing(offset, message);
    const std::string_view right = SameButCase(root, Namespaces());
    return Wrong(offset, message + (right.empty() ? "" : ": it is written '" + std::string(right) + "'"));
  }
  if (path.size() == 1) return Whole(root, *object);
  return WalkObject(*object, nullptr, {offset, "", path, 1});
}

// The object as a value: a copy, made once.
TemplateValue TemplateEvaluator::Whole(const std::string& name, const json::object& object) {
  TemplateValue& value = wholes_[name];
  if (value == nullptr) value = OwnedValue(json::value(object));
  return value;
}

TemplateEvaluator::Value TemplateEvaluator::WalkObject(const json::object& object, const TemplateValue& owner,
                                                       const Way& way) {
  const json::value* value = object.if_contains(way.path[way.first]);
  if (value == nullptr) return NotFound(way, way.first, object);
  return Walk(PartOf(owner, *value), {way.offset, way.prefix, way.path, way.first + 1});
}

TemplateEvaluator::Value TemplateEvaluator::Walk(TemplateValue value, const Way& way) {
  for (std::size_t i = way.first; i < way.path.size(); ++i) {
    const json::object* object = value->if_object();
    if (object == nullptr) {
      const std::string before = way.prefix + Dotted(way.path, 0, i);
      const std::string holder =
          before.ends_with('.') && before.size() > 1 ? before.substr(0, before.size() - 1) : before;
      return Missing(way.offset, "'" + way.prefix + Dotted(way.path, 0, way.path.size()) + "' has no value: '" +
                                     holder + "' is " + std::string(KindName(*value)));
    }
    const json::value* part = object->if_contains(way.path[i]);
    if (part == nullptr) return NotFound(way, i, *object);
    value = PartOf(value, *part);
  }
  return value;
}

std::unexpected<TemplateEvaluator::Failure> TemplateEvaluator::NotFound(const Way& way, std::size_t at,
                                                                        const json::object& object) {
  std::string message = "'" + way.prefix + Dotted(way.path, 0, way.path.size()) + "' has no value";
  const std::string_view right = SameButCase(way.path[at], KeysAt(way.path, at, object));
  if (!right.empty()) {
    return Missing(way.offset, message + ": '" + way.path[at] + "' is written '" + std::string(right) + "'",
                   "names are taken letter by letter, upper and lower case differ");
  }
  if (at + 1 < way.path.size()) message += ": there is no '" + way.prefix + Dotted(way.path, 0, at + 1) + "'";
  return Missing(way.offset, std::move(message));
}

}  // namespace awf

#include "application/running/loop_items.h"

#include <cstddef>
#include <string>
#include <utility>

#include "application/language/expression.h"
#include "application/language/template.h"
#include "application/language/template_functions.h"
#include "application/running/rendered_json.h"
#include "domain/parse_json.h"
#include "domain/utf8.h"

namespace awf {
namespace {

using Value = std::expected<json::value, Error>;

constexpr std::size_t kCharactersShown = 100;

std::unexpected<Error> Wrong(const State& state, std::string message, const std::string& field, Position position,
                             std::string hint = {}, std::string code = "EXECUTION.EXPRESSION.FAILED") {
  return std::unexpected(
      Error{std::move(code), std::move(message), std::move(hint), std::move(position), state.name, field});
}

std::string Shown(const json::value& value) {
  const std::string text = RepairUtf8(TextOf(value));
  const std::string_view shown = FirstCharacters(text, kCharactersShown);
  return std::string(shown) + (shown.size() < text.size() ? " …" : "");
}

// A template that is one single action keeps the type of its value.
Value Rendered(const State& state, const TemplateText& text, const std::string& field, const Scope& scope) {
  const auto parsed = Template::Parse(text.text);
  auto value = parsed ? parsed->Evaluate(scope) : std::unexpected(parsed.error());
  if (value) return std::move(*value);
  const TemplateFault& fault = value.error();
  return Wrong(state, fault.message, field, text.At(fault.offset), fault.hint, fault.code);
}

Value Evaluated(const State& state, const TemplateText& text, const std::string& field, const Scope& scope) {
  auto value = EvaluateExpressionText(text.text, scope);
  if (value) return std::move(*value);
  const TemplateFault& fault = value.error();
  return Wrong(state, fault.message, field, text.At(fault.offset), fault.hint, fault.code);
}

Value ItemsOfList(const State& state, const ForEachState& loop, const json::array& list, const Scope& scope) {
  return RenderedJson(list, loop.item_templates, "", [&](const TemplateText& text, const std::string& path) {
    return Rendered(state, text, "items" + path, scope);
  });
}

Value ItemsOfText(const State& state, const TemplateText& text, const Scope& scope) {
  if (!HasTemplate(text.text)) return Evaluated(state, text, "items", scope);
  auto value = Rendered(state, text, "items", scope);
  if (!value || !value->is_string()) return value;
  // Text that came out of a template is data: it is read as JSON, never evaluated.
  auto parsed = ParseJson(std::string_view(value->get_string()));
  return parsed && parsed->is_array() ? Value(std::move(*parsed)) : value;
}

std::expected<std::size_t, Error> Limit(const State& state, const ForEachState& loop, const Scope& scope) {
  json::value limit;
  Position position = state.position;
  if (const int* number = std::get_if<int>(&loop.max_iterations)) {
    limit = *number;
  } else {
    const auto& text = std::get<TemplateText>(loop.max_iterations);
    position = text.position;
    auto value = Evaluated(state, text, "max_iterations", scope);
    if (!value) return std::unexpected(std::move(value.error()));
    limit = std::move(*value);
  }
  json::error_code fault;
  const int number = limit.is_number() ? limit.to_number<int>(fault) : 0;
  if (!fault && number >= 1 && number <= kMaxPasses) return static_cast<std::size_t>(number);
  return Wrong(state, "max_iterations is " + Shown(limit) + "; it must be a whole number from 1 to 10000",
               "max_iterations", position);
}

}  // namespace

std::expected<json::array, Error> LoopItems(const State& state, const ForEachState& loop, const Scope& scope) {
  const auto limit = Limit(state, loop, scope);
  if (!limit) return std::unexpected(limit.error());
  const auto* list = std::get_if<json::array>(&loop.items);
  const auto* text = std::get_if<TemplateText>(&loop.items);
  Value items = list != nullptr ? ItemsOfList(state, loop, *list, scope) : ItemsOfText(state, *text, scope);
  if (!items) return std::unexpected(std::move(items.error()));
  const Position& position = list != nullptr ? loop.items_position : text->position;
  if (!items->is_array()) {
    return Wrong(state, "items is no list: " + Shown(*items), "items", position,
                 "give a list, or a text that is a JSON array");
  }
  json::array result = std::move(items->get_array());
  if (result.size() <= *limit) return result;
  return Wrong(state,
               "the loop has " + std::to_string(result.size()) + " items and may make at most " +
                   std::to_string(*limit) + " passes",
               "items", position, "raise max_iterations (at most 10000)", "EXECUTION.LOOP.LIMIT");
}

}  // namespace awf

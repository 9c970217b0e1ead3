#include "application/operations/operation_schema.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "application/language/template_values.h"
#include "application/operations/input_type.h"
#include "application/operations/schema_normaliser.h"
#include "domain/fault_list.h"
#include "domain/parse_json.h"
#include "domain/result_text.h"
#include "domain/trimmed.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kLongestDescription = 2047;  // bytes: under 2 KiB
constexpr std::size_t kLongestName = 64;           // of a property, as the APIs of models take it
constexpr std::string_view kTypes = "string, integer, number, boolean, array, object";

bool IsPropertyName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  });
}

template <typename Number>
std::optional<json::value> NumberIn(std::string_view text) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return json::value(number);
}

// A default is text on the wire, whatever the type.
std::optional<json::value> DefaultOf(const std::string& text, InputType type) {
  switch (type) {
    case InputType::kString:
    case InputType::kAny:
      return json::value(text);
    case InputType::kInteger:
      if (auto number = NumberIn<std::int64_t>(text)) return number;
      return NumberIn<std::uint64_t>(text);
    case InputType::kNumber: {
      auto number = NumberIn<double>(text);
      if (!number || !std::isfinite(number->get_double())) return std::nullopt;
      return number;
    }
    case InputType::kBoolean:
      if (text == "true") return json::value(true);
      if (text == "false") return json::value(false);
      return std::nullopt;
    case InputType::kArray:
    case InputType::kObject: {
      auto value = ParseJson(text);
      if (!value || (type == InputType::kArray ? !value->is_array() : !value->is_object())) return std::nullopt;
      return value;
    }
  }
  return std::nullopt;
}

class SchemaBuilder {
 public:
  explicit SchemaBuilder(const Operation& operation) : operation_(operation) {}

  std::expected<OperationSchema, std::string> Build() {
    std::set<std::string_view> names;
    for (const OperationInput& input : operation_.inputs) {
      if (!IsPropertyName(input.name)) {
        return Refused(input, "has no name that models take: 1 to 64 letters, digits, '_', '-' and '.'");
      }
      if (!names.insert(input.name).second) return Refused(input, "is declared twice");
      const std::optional<InputType> type = InputTypeOf(input.type);
      if (!type) {
        return Refused(input, "has the type " + schema::Quoted(input.type) + "; types are " + std::string(kTypes));
      }
      Add(input, *type);
    }
    json::object raw{{"type", "object"}, {"properties", std::move(properties_)}};
    if (!required_.empty()) raw["required"] = std::move(required_);
    auto normalised = NormaliseSchema(raw);
    if (!normalised) return std::unexpected("operation " + schema::Quoted(operation_.name) + ": " + normalised.error());
    made_.sent = std::move(normalised->schema);
    return std::move(made_);
  }

 private:
  std::string Named(const OperationInput& input) const {
    return "input " + schema::Quoted(input.name) + " of operation " + schema::Quoted(operation_.name);
  }

  std::unexpected<std::string> Refused(const OperationInput& input, std::string_view why) const {
    return std::unexpected(Named(input) + " " + std::string(why));
  }

  void Warn(const OperationInput& input, std::string_view what) {
    made_.warnings.push_back(Named(input) + " " + std::string(what));
  }

  void Add(const OperationInput& input, InputType type) {
    json::object property;
    if (type == InputType::kAny) {
      Warn(input, "has no type");
    } else {
      property["type"] = SchemaTypeOf(type);
    }
    if (const std::string text = Description(input, type); !text.empty()) property["description"] = text;
    properties_[input.name] = std::move(property);
    if (input.required) required_.emplace_back(input.name);
    if (type == InputType::kArray || type == InputType::kObject) {
      made_.checked[input.name] = json::object{{"type", SchemaTypeOf(type)}};
    } else if (type == InputType::kInteger) {
      made_.checked[input.name] =
          json::object{{"type", "integer"}, {"maximum", std::numeric_limits<std::uint64_t>::max()}};
    }
  }

  // "Where to look (a URL; default: "https://x")"
  std::string Description(const OperationInput& input, InputType type) {
    std::string notes;
    const auto note = [&](const std::string& text) { notes += (notes.empty() ? "" : "; ") + text; };
    if (input.validation == "url") {
      note("a URL");
    } else if (input.validation == "email") {
      note("an e-mail address");
    } else if (!input.validation.empty()) {
      Warn(input, "asks for the validation " + schema::Quoted(input.validation) + ", which is not made");
    }
    if (!input.default_value.empty()) {
      if (const auto value = DefaultOf(input.default_value, type)) {
        note("default: " + CompactJson(*value));
      } else {
        Warn(input, "has a default that is not " + std::string(DescriptionOf(type)) + ": " +
                        schema::Shown(json::value(input.default_value)));
      }
    }
    const std::string text = CleanText(Trimmed(input.description));
    if (notes.empty() || text.empty()) return text + notes;
    return text + " (" + notes + ")";
  }

  const Operation& operation_;
  json::object properties_;
  json::array required_;
  OperationSchema made_;
};

std::string OutputsOf(const Operation& operation) {
  std::string text;
  for (const OperationOutput& output : operation.outputs) {
    text += text.empty() ? "Returns a JSON object with fields: " : "; ";
    text += output.name;
    if (!output.type.empty()) text += " (" + output.type + ")";
    if (!output.description.empty()) text += ": " + output.description;
  }
  return text;
}

}  // namespace

std::expected<OperationSchema, std::string> SchemaOf(const Operation& operation) {
  return SchemaBuilder(operation).Build();
}

std::string DescriptionOf(const Operation& operation, std::string_view plugin) {
  std::string text(Trimmed(operation.description));
  if (text.empty()) text = operation.name + " operation of plugin " + std::string(plugin);
  if (const std::string outputs = OutputsOf(operation); !outputs.empty()) {
    text += (text.ends_with('.') ? " " : ". ") + outputs;
  }
  text = CleanText(text);
  if (text.size() <= kLongestDescription) return text;
  constexpr std::string_view kMark = "…";
  return std::string(Utf8Prefix(text, kLongestDescription - kMark.size())).append(kMark);
}

}  // namespace awf

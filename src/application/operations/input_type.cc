#include "application/operations/input_type.h"

#include <algorithm>
#include <iterator>

namespace awf {
namespace {

struct Word {
  std::string_view word;
  InputType type;
};

constexpr Word kWords[] = {
    {"string", InputType::kString}, {"integer", InputType::kInteger}, {"int", InputType::kInteger},
    {"int64", InputType::kInteger}, {"number", InputType::kNumber},   {"float", InputType::kNumber},
    {"double", InputType::kNumber}, {"boolean", InputType::kBoolean}, {"bool", InputType::kBoolean},
    {"array", InputType::kArray},   {"object", InputType::kObject},   {"", InputType::kAny},
};

}  // namespace

std::optional<InputType> InputTypeOf(std::string_view written) {
  const auto* found = std::ranges::find(kWords, written, &Word::word);
  if (found == std::end(kWords)) return std::nullopt;
  return found->type;
}

// The first word of each type is that of JSON Schema.
std::string_view SchemaTypeOf(InputType type) { return std::ranges::find(kWords, type, &Word::type)->word; }

std::string_view DescriptionOf(InputType type) {
  switch (type) {
    case InputType::kString:
      return "a string";
    case InputType::kInteger:
      return "an integer";
    case InputType::kNumber:
      return "a number";
    case InputType::kBoolean:
      return "true or false";
    case InputType::kArray:
      return "an array";
    case InputType::kObject:
      return "an object";
    case InputType::kAny:
      return "any value";
  }
  return "any value";
}

}  // namespace awf

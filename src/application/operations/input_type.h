// What kind of value an input of an operation takes, by the word that its plugin wrote.
#pragma once

#include <optional>
#include <string_view>

namespace awf {

enum class InputType { kString, kInteger, kNumber, kBoolean, kArray, kObject, kAny };

// The types of JSON Schema, the words that plugins write in their place (int, int64, float, double, bool), and no word
// for any value. Nothing: a word that is none of these.
std::optional<InputType> InputTypeOf(std::string_view written);

// "string", as JSON Schema has it; empty for kAny.
std::string_view SchemaTypeOf(InputType type);

// "a string", "an integer", …
std::string_view DescriptionOf(InputType type);

}  // namespace awf

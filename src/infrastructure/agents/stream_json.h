// One line of a CLI's event stream as a JSON object, and members of it without exceptions.
//
// Node programs write lone surrogates as \ud800 escapes when they cut text inside a character, and may pass bad UTF-8
// through. Only when the strict reader refuses a line are these repaired (U+FFFD) and the same reader runs again.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf::agents {

// Nothing when the line is no JSON object.
std::optional<json::object> ParseStreamLine(std::string_view line);

// Any JSON text, repaired as above.
std::optional<json::value> ParseRepairedJson(std::string_view text);
// The same; nothing when it is no object.
std::optional<json::object> ParseRepairedObject(std::string_view text);

// Members that are absent or of another type read as empty, null or zero.
std::string_view TextAt(const json::object& object, std::string_view key);
const json::object* ObjectAt(const json::object& object, std::string_view key);
const json::array* ArrayAt(const json::object& object, std::string_view key);
std::int64_t IntegerAt(const json::object& object, std::string_view key);
std::optional<double> NumberAt(const json::object& object, std::string_view key);
bool BoolAt(const json::object& object, std::string_view key);
std::vector<std::string> TextsAt(const json::object& object, std::string_view key);

// An option of a step as text, whether it was written as string, number or boolean; "" when absent.
std::string OptionText(const json::object& options, std::string_view key);

}  // namespace awf::agents

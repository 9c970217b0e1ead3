// Values while a template runs, and their forms as text. Pure functions, thread-safe.
//
// Numbers are JSON's: an integer and a float of the same value are equal, and a float without a fraction does where a
// whole number is needed. Text lengths and offsets are bytes, as in Go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/json.h"

namespace awf {

inline constexpr std::size_t kMaxTemplateOutput = 64U << 20;

// Shared and constant, so that parts of big values are handed around without copies. Never a null pointer; JSON's null
// is a value as any other.
using TemplateValue = std::shared_ptr<const json::value>;

inline TemplateValue OwnedValue(json::value value) { return std::make_shared<const json::value>(std::move(value)); }
inline TemplateValue TextValue(std::string_view text) { return OwnedValue(json::value(text)); }
// For values that outlive the evaluation.
inline TemplateValue BorrowedValue(const json::value& value) { return {std::shared_ptr<void>(), &value}; }
// A part of `whole`, which stays alive with it.
inline TemplateValue PartOf(const TemplateValue& whole, const json::value& part) { return {whole, &part}; }

// As in Go: false, 0, null, and empty texts, lists and objects are not true.
bool IsTrue(const json::value& value);

// "text", "a number", "a boolean", "a list", "an object" or "null", for messages.
std::string_view KindName(const json::value& value);
// The same, but a number by its digits: what was given where a whole number was wanted.
std::string GivenName(const json::value& value);

// Numbers without a fraction that fit into 64 bits with sign.
std::optional<std::int64_t> WholeNumber(const json::value& value);

// As a template prints it: strings as they are, everything else as compact JSON.
std::string TextOf(const json::value& value);
// Compact JSON with the shortest numbers that read back the same: 1.1, not 1.1E0.
std::string CompactJson(const json::value& value);
// The shortest digits that read back the same; an exponent only below 1e-6 and from 1e21 on, as JavaScript has it.
std::string ShortestNumber(double number);

// A word that a POSIX shell reads back as `text`; quoted only when needed.
std::string ShellEscaped(std::string_view text);

}  // namespace awf

// What the operators of expressions do with values. Pure functions, thread-safe.
//
// Numbers are 64-bit integers or doubles; whole numbers beyond 64 bits, as JSON may hold them, count as doubles. An
// error is a phrase for a message: "'<' cannot compare text with a number".
#pragma once

#include <compare>
#include <expected>
#include <string>

#include "application/language/expression_ast.h"
#include "domain/json.h"

namespace awf {

// As `==` has it: numbers by value (1 == 1.0); a number or boolean and a text that spells one ("3", "-1.50", "1e3",
// "true") by value; lists and objects by their items, without regard to the order of keys, and there texts and numbers
// differ.
bool LooselyEqual(const json::value& left, const json::value& right);

// Of two numbers, or of two texts byte by byte.
std::expected<std::strong_ordering, std::string> Order(ExpressionOperator op, const json::value& left,
                                                       const json::value& right);

// + - * / %. Two integers give an integer: `/` drops the rest, `%` has the sign of the left operand; what does not fit
// into 64 bits is an error. With a double the result is a double, and must be finite. + also joins two texts or two
// lists; what would be longer than 64 MiB is an error.
std::expected<json::value, std::string> Calculate(ExpressionOperator op, const json::value& left,
                                                  const json::value& right);
std::expected<json::value, std::string> Negate(const json::value& value);

// `part in whole`, `whole contains part`: an item of a list (equal as `==` has it, or both null), a key of an object, a
// part of a text.
std::expected<bool, std::string> Holds(ExpressionOperator op, const json::value& whole, const json::value& part);

// Bytes of text and values inside, for limits.
std::size_t WeightOf(const json::value& value);

}  // namespace awf

#include "application/language/expression_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>
#include <utility>
#include <variant>

#include "application/language/template_values.h"

namespace awf {
namespace {

using Op = ExpressionOperator;
using Number = std::variant<std::int64_t, double>;
using Result = std::expected<json::value, std::string>;

std::unexpected<std::string> Fault(Op op, std::string_view what) {
  return std::unexpected("'" + std::string(NameOf(op)) + "' " + std::string(what));
}

std::optional<Number> NumberOf(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_double()) return value.get_double();
  if (!value.is_uint64()) return std::nullopt;
  const std::uint64_t big = value.get_uint64();
  if (std::in_range<std::int64_t>(big)) return static_cast<std::int64_t>(big);
  return static_cast<double>(big);
}

std::optional<Number> NumberSpelt(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto [stop, fault] = std::from_chars(text.data(), end, whole); fault == std::errc() && stop == end) {
    return whole;
  }
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  double number = 0;
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return number;
}

double AsDouble(const Number& number) {
  return std::visit([](auto n) { return static_cast<double>(n); }, number);
}

// Exact, where a conversion of the integer to double would round.
std::strong_ordering OrderMixed(std::int64_t whole, double number) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (number >= kLimit) return std::strong_ordering::less;
  if (number < -kLimit) return std::strong_ordering::greater;
  const double floor = std::floor(number);
  const auto floored = static_cast<std::int64_t>(floor);
  if (whole != floored) return whole <=> floored;
  return number > floor ? std::strong_ordering::less : std::strong_ordering::equal;
}

std::strong_ordering Reversed(std::strong_ordering order) { return 0 <=> order; }

std::strong_ordering OrderNumbers(const Number& left, const Number& right) {
  const auto* left_whole = std::get_if<std::int64_t>(&left);
  const auto* right_whole = std::get_if<std::int64_t>(&right);
  if (left_whole != nullptr && right_whole != nullptr) return *left_whole <=> *right_whole;
  if (left_whole != nullptr) return OrderMixed(*left_whole, std::get<double>(right));
  if (right_whole != nullptr) return Reversed(OrderMixed(*right_whole, std::get<double>(left)));
  const double a = std::get<double>(left), b = std::get<double>(right);
  return a < b ? std::strong_ordering::less : a > b ? std::strong_ordering::greater : std::strong_ordering::equal;
}

bool EqualInside(const json::value& left, const json::value& right) {
  if (const auto number = NumberOf(left)) {
    const auto other = NumberOf(right);
    return other && OrderNumbers(*number, *other) == 0;
  }
  if (left.is_array() && right.is_array()) {
    return std::ranges::equal(left.get_array(), right.get_array(), EqualInside);
  }
  if (left.is_object() && right.is_object()) {
    const json::object& other = right.get_object();
    return left.get_object().size() == other.size() && std::ranges::all_of(left.get_object(), [&](const auto& entry) {
             const json::value* value = other.if_contains(entry.key());
             return value != nullptr && EqualInside(entry.value(), *value);
           });
  }
  return left == right;
}

bool EqualSpelt(const json::string& text, const json::value& other) {
  if (other.is_bool()) return text == (other.get_bool() ? "true" : "false");
  const auto number = NumberOf(other), spelt = NumberSpelt(text);
  return number && spelt && OrderNumbers(*number, *spelt) == 0;
}

Result Whole(Op op, std::int64_t left, std::int64_t right) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case Op::kAdd:
      overflow = __builtin_add_overflow(left, right, &result);
      break;
    case Op::kSubtract:
      overflow = __builtin_sub_overflow(left, right, &result);
      break;
    case Op::kMultiply:
      overflow = __builtin_mul_overflow(left, right, &result);
      break;
    default:
      if (right == 0) return Fault(op, "divides by zero");
      // The lowest number has no positive counterpart; its rest is 0 all the same.
      if (right == -1) return op == Op::kModulo ? Result(0) : Whole(Op::kSubtract, 0, left);
      result = op == Op::kDivide ? left / right : left % right;
  }
  if (overflow) return Fault(op, "has a result that does not fit into 64 bits");
  return result;
}

Result Fractional(Op op, double left, double right) {
  if ((op == Op::kDivide || op == Op::kModulo) && right == 0) return Fault(op, "divides by zero");
  const double result = op == Op::kAdd        ? left + right
                        : op == Op::kSubtract ? left - right
                        : op == Op::kMultiply ? left * right
                        : op == Op::kDivide   ? left / right
                                              : std::fmod(left, right);
  if (!std::isfinite(result)) return Fault(op, "has a result that is out of range");
  return result;
}

Result Concatenated(const json::value& left, const json::value& right) {
  if (WeightOf(left) + WeightOf(right) > kMaxTemplateOutput) return Fault(Op::kAdd, "makes more than 64 MiB");
  json::value joined = left;
  if (joined.is_string()) {
    joined.get_string().append(right.get_string());
  } else {
    joined.get_array().insert(joined.get_array().end(), right.get_array().begin(), right.get_array().end());
  }
  return joined;
}

}  // namespace

bool LooselyEqual(const json::value& left, const json::value& right) {
  if (left.is_string() && !right.is_string()) return EqualSpelt(left.get_string(), right);
  if (right.is_string() && !left.is_string()) return EqualSpelt(right.get_string(), left);
  return EqualInside(left, right);
}

std::expected<std::strong_ordering, std::string> Order(Op op, const json::value& left, const json::value& right) {
  if (left.is_string() && right.is_string()) {
    return std::string_view(left.get_string()) <=> std::string_view(right.get_string());
  }
  const auto a = NumberOf(left), b = NumberOf(right);
  if (a && b) return OrderNumbers(*a, *b);
  return Fault(op, "cannot compare " + std::string(KindName(left)) + " with " + std::string(KindName(right)));
}

Result Calculate(Op op, const json::value& left, const json::value& right) {
  const auto a = NumberOf(left), b = NumberOf(right);
  if (a && b) {
    const auto* whole_a = std::get_if<std::int64_t>(&*a);
    const auto* whole_b = std::get_if<std::int64_t>(&*b);
    if (whole_a != nullptr && whole_b != nullptr) return Whole(op, *whole_a, *whole_b);
    return Fractional(op, AsDouble(*a), AsDouble(*b));
  }
  const bool joins = (left.is_string() && right.is_string()) || (left.is_array() && right.is_array());
  if (op == Op::kAdd && joins) return Concatenated(left, right);
  return Fault(op, "does not work on " + std::string(KindName(left)) + " and " + std::string(KindName(right)));
}

Result Negate(const json::value& value) {
  const auto number = NumberOf(value);
  if (!number) return Fault(Op::kNegate, "needs a number, not " + std::string(KindName(value)));
  if (const auto* whole = std::get_if<std::int64_t>(&*number)) return Whole(Op::kSubtract, 0, *whole);
  return -std::get<double>(*number);
}

std::expected<bool, std::string> Holds(Op op, const json::value& whole, const json::value& part) {
  if (whole.is_array()) {
    return std::ranges::any_of(whole.get_array(), [&](const json::value& item) { return LooselyEqual(item, part); });
  }
  if (whole.is_null() || part.is_null()) return false;
  if (!whole.is_object() && !whole.is_string()) {
    return Fault(op, "looks into text, a list or an object, not into " + std::string(KindName(whole)));
  }
  if (!part.is_string()) {
    const std::string_view what = whole.is_object() ? "as a key of an object" : "in a text";
    return Fault(op, "looks for text " + std::string(what) + ", not for " + std::string(KindName(part)));
  }
  const std::string_view text = part.get_string();
  if (whole.is_object()) return whole.get_object().contains(text);
  return std::string_view(whole.get_string()).find(text) != std::string_view::npos;
}

std::size_t WeightOf(const json::value& value) {
  std::size_t weight = sizeof(json::value);
  if (value.is_string()) weight += value.get_string().size();
  if (value.is_array()) {
    for (const json::value& item : value.get_array()) weight += WeightOf(item);
  }
  if (value.is_object()) {
    for (const auto& [key, item] : value.get_object()) weight += key.size() + WeightOf(item);
  }
  return weight;
}

}  // namespace awf

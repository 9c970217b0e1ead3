#include "application/language/template_go_functions.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "domain/utf8.h"

namespace awf::go_functions {
namespace {

using Result = TemplateFunctionResult;

std::unexpected<TemplateFunctionFault> Fault(std::string message) {
  return std::unexpected(TemplateFunctionFault{std::move(message)});
}

std::unexpected<TemplateFunctionFault> Missing(std::string message) {
  return std::unexpected(TemplateFunctionFault{std::move(message), true});
}

Result Boolean(bool value) { return OwnedValue(json::value(value)); }

std::partial_ordering CompareNumbers(const json::value& a, const json::value& b) {
  const auto whole_a = WholeNumber(a), whole_b = WholeNumber(b);
  if (whole_a && whole_b) return *whole_a <=> *whole_b;
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() <=> b.get_uint64();
  return a.to_number<double>() <=> b.to_number<double>();
}

std::unexpected<TemplateFunctionFault> Incomparable(const json::value& a, const json::value& b) {
  return Fault("cannot compare " + std::string(KindName(a)) + " with " + std::string(KindName(b)));
}

std::expected<bool, TemplateFunctionFault> AreEqual(const json::value& a, const json::value& b) {
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  if (a.is_structured() || b.is_structured()) return Incomparable(a, b);
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b) == 0;
  if (a.kind() != b.kind()) return Incomparable(a, b);
  return a == b;
}

std::expected<std::partial_ordering, TemplateFunctionFault> Order(Arguments arguments) {
  const json::value &a = *arguments[0], &b = *arguments[1];
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (!a.is_string() || !b.is_string()) {
    return Fault("cannot order " + std::string(KindName(a)) + " and " + std::string(KindName(b)));
  }
  return std::string_view(a.get_string()) <=> std::string_view(b.get_string());
}

template <class Test>
Result Ordered(Arguments arguments, Test test) {
  auto order = Order(arguments);
  if (!order) return std::unexpected(std::move(order.error()));
  return Boolean(test(*order));
}

// An index into `size` elements; `end` allows the place behind the last.
std::expected<std::size_t, TemplateFunctionFault> Place(const json::value& index, std::size_t size, bool end) {
  const auto number = WholeNumber(index);
  if (!number) return Fault("needs a whole number as index, not " + GivenName(index));
  if (*number < 0) return Fault("got the negative index " + std::to_string(*number));
  const auto place = static_cast<std::size_t>(*number);
  if (place < size || (end && place == size)) return place;
  return Missing("found no element " + std::to_string(place) + ": there are " + std::to_string(size));
}

Result Element(const TemplateValue& item, const json::value& index) {
  if (item->is_object()) {
    if (!index.is_string()) return Fault("needs text as key of an object, not " + std::string(KindName(index)));
    const json::value* value = item->get_object().if_contains(index.get_string());
    if (value == nullptr) return Missing("found no key '" + TextOf(index) + "'");
    return PartOf(item, *value);
  }
  if (item->is_array()) {
    auto place = Place(index, item->get_array().size(), false);
    if (!place) return std::unexpected(std::move(place.error()));
    return PartOf(item, item->get_array()[*place]);
  }
  if (item->is_string()) {
    auto place = Place(index, item->get_string().size(), false);
    if (!place) return std::unexpected(std::move(place.error()));
    return OwnedValue(json::value(static_cast<std::int64_t>(static_cast<unsigned char>(item->get_string()[*place]))));
  }
  if (item->is_null()) return Missing("found nothing in null");
  return Fault("cannot look into " + std::string(KindName(*item)));
}

Result SliceText(const json::string& text, std::size_t begin, std::size_t end) {
  for (const std::size_t place : {begin, end}) {
    if (place < text.size() && IsUtf8Continuation(text[place])) {
      return Fault("would cut a character at byte " + std::to_string(place));
    }
  }
  return TextValue(std::string_view(text).substr(begin, end - begin));
}

Result Joined(Arguments arguments, bool lines) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool spaced = lines || (!arguments[i]->is_string() && i > 0 && !arguments[i - 1]->is_string());
    if (i > 0 && spaced) text.push_back(' ');
    text += TextOf(*arguments[i]);
    if (text.size() > kMaxTemplateOutput) return Fault("makes more than 64 MiB");
  }
  if (lines) text.push_back('\n');
  return TextValue(text);
}

}  // namespace

Result Equal(const Scope&, Arguments arguments) {
  for (const TemplateValue& other : arguments.subspan(1)) {
    auto equal = AreEqual(*arguments[0], *other);
    if (!equal) return std::unexpected(std::move(equal.error()));
    if (*equal) return Boolean(true);
  }
  return Boolean(false);
}

Result NotEqual(const Scope&, Arguments arguments) {
  auto equal = AreEqual(*arguments[0], *arguments[1]);
  if (!equal) return std::unexpected(std::move(equal.error()));
  return Boolean(!*equal);
}

Result Less(const Scope&, Arguments arguments) {
  return Ordered(arguments, [](std::partial_ordering order) { return order < 0; });
}
Result LessOrEqual(const Scope&, Arguments arguments) {
  return Ordered(arguments, [](std::partial_ordering order) { return order <= 0; });
}
Result Greater(const Scope&, Arguments arguments) {
  return Ordered(arguments, [](std::partial_ordering order) { return order > 0; });
}
Result GreaterOrEqual(const Scope&, Arguments arguments) {
  return Ordered(arguments, [](std::partial_ordering order) { return order >= 0; });
}

Result Not(const Scope&, Arguments arguments) { return Boolean(!IsTrue(*arguments[0])); }

Result Length(const Scope&, Arguments arguments) {
  const json::value& value = *arguments[0];
  std::size_t length = 0;
  if (value.is_string()) {
    length = value.get_string().size();
  } else if (value.is_array()) {
    length = value.get_array().size();
  } else if (value.is_object()) {
    length = value.get_object().size();
  } else {
    return Fault("needs text, a list or an object, not " + std::string(KindName(value)));
  }
  return OwnedValue(json::value(static_cast<std::int64_t>(length)));
}

Result Index(const Scope&, Arguments arguments) {
  TemplateValue item = arguments[0];
  for (const TemplateValue& index : arguments.subspan(1)) {
    Result element = Element(item, *index);
    if (!element) return element;
    item = std::move(*element);
  }
  return item;
}

Result Slice(const Scope&, Arguments arguments) {
  const TemplateValue& item = arguments[0];
  if (!item->is_string() && !item->is_array()) {
    return Fault("needs text or a list, not " + std::string(KindName(*item)));
  }
  if (arguments.size() == 4 && item->is_string()) return Fault("takes a third index for lists only");
  const std::size_t size = item->is_string() ? item->get_string().size() : item->get_array().size();
  std::size_t bounds[] = {0, size, size};
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    auto place = Place(*arguments[i], size, true);
    if (!place) return Fault(std::move(place.error().message));
    bounds[i - 1] = *place;
  }
  const auto [begin, end, limit] = bounds;
  if (begin > end || end > limit) return Fault("got indexes that go backwards");
  if (item->is_string()) return SliceText(item->get_string(), begin, end);
  if (begin == 0 && end == size) return item;
  json::array part;
  part.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) part.push_back(item->get_array()[i]);
  return OwnedValue(json::value(std::move(part)));
}

Result Print(const Scope&, Arguments arguments) { return Joined(arguments, false); }

Result PrintLine(const Scope&, Arguments arguments) { return Joined(arguments, true); }

}  // namespace awf::go_functions

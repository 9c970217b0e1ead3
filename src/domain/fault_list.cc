#include "domain/fault_list.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "domain/utf8.h"

namespace awf::schema {
namespace {

constexpr std::size_t kMaxFaults = 20;
constexpr std::size_t kMaxShown = 80;  // bytes of a name or value

std::string Cut(std::string_view text) {
  const std::string_view prefix = Utf8Prefix(text, kMaxShown);
  return std::string(prefix) + (prefix.size() < text.size() ? "…" : "");
}

// As a human writes it; the serializer would make 2.5E0 of 2.5.
std::string ShownNumber(double number) {
  std::array<char, 32> digits{};
  const auto [end, fault] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end};
}

}  // namespace

void FaultList::Add(std::string fault) {
  if (full()) {
    ++left_out_;
  } else {
    faults_.push_back(std::move(fault));
  }
}

bool FaultList::full() const { return faults_.size() >= kMaxFaults; }

std::string FaultList::Sentence() const {
  std::string sentence = "invalid arguments: ";
  for (std::size_t i = 0; i < faults_.size(); ++i) sentence += (i == 0 ? "" : "; ") + faults_[i];
  if (left_out_ > 0) sentence += "; and " + std::to_string(left_out_) + " more";
  return sentence;
}

std::string Quoted(std::string_view name) {
  std::string quoted = Cut(name);
  std::ranges::replace_if(quoted, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return "'" + quoted + "'";
}

std::string Shown(const json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (const json::string* text = value.if_string()) {
    return json::serialize(json::string(Cut({text->data(), text->size()})));
  }
  if (const double* number = value.if_double()) return ShownNumber(*number);
  return json::serialize(value);
}

std::string Alternatives(const json::array& texts) {
  std::string alternatives;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) alternatives += i + 1 == texts.size() ? " or " : ", ";
    const json::string* text = texts[i].if_string();
    alternatives += text == nullptr ? json::serialize(texts[i]) : std::string(text->data(), text->size());
  }
  return alternatives;
}

}  // namespace awf::schema

// Fields: one line of the step channel, or an object in it, read member by member.
//
// Faults are collected, not thrown: the first one is what Done() returns instead of the value that was read.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/json.h"

namespace awf::channel {

class Fields {
 public:
  explicit Fields(json::object object) : object_(std::move(object)) {}
  static std::expected<Fields, std::string> Parse(std::string_view line);

  bool Has(std::string_view key) const { return object_.contains(key); }
  std::string Text(std::string_view key);                                            // required
  std::string OptionalText(std::string_view key);                                    // "" when absent
  bool OptionalBool(std::string_view key);                                           // false when absent
  std::int64_t Number(std::string_view key, std::int64_t least, std::int64_t most);  // required, within the bounds
  std::vector<std::string> Texts(std::string_view key);                              // required array of strings
  std::string CallIdentifier(std::string_view key);                                  // required, 16 hex digits
  json::object Object(std::string_view key);                                         // required; taken out
  json::array Array(std::string_view key);                                           // required; taken out
  void Fault(std::string_view key);

  template <typename T>
  std::expected<T, std::string> Done(T value) const {
    if (!fault_.empty()) return std::unexpected(fault_);
    return value;
  }

 private:
  json::object object_;
  std::string fault_;
};

}  // namespace awf::channel

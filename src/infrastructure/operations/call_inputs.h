// CallInputs: reads the inputs of one call and keeps the first thing that is wrong with them. Calls of tools and steps
// come checked against the declaration; those inside github.batch do not. Belongs to one thread; `inputs` outlives it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf::operations {

class CallInputs {
 public:
  enum class Need { kOptional, kRequired };
  static constexpr Need kOptional = Need::kOptional, kRequired = Need::kRequired;

  explicit CallInputs(const json::object& inputs) : inputs_(inputs) {}

  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // Of one that is required and not a text, or empty: "" and a fault. null is as absent, for all of these.
  std::string Text(std::string_view name, Need need = kOptional);
  std::string Word(std::string_view name, std::span<const std::string_view> words, std::string_view otherwise);
  // A whole number, 2.0 included.
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t min, std::int64_t max, Need need = kOptional);
  std::optional<double> Number(std::string_view name);
  bool Flag(std::string_view name);
  std::vector<std::string> Texts(std::string_view name, Need need = kOptional);
  const json::array* Array(std::string_view name, Need need = kOptional);
  const json::object* Object(std::string_view name);

  // "number is required"; empty: none so far.
  const std::string& fault() const { return fault_; }
  void Fault(std::string_view name, std::string_view what);

 private:
  const json::value* Find(std::string_view name) const;
  const json::value* Find(std::string_view name, Need need);

  const json::object& inputs_;
  std::string fault_;
};

// A whole number within a double or an integer of any kind.
std::optional<std::int64_t> WholeNumber(const json::value& value);

// Of JSON from elsewhere: the value of a key, or an empty one of that kind.
const json::value& Member(const json::value& object, std::string_view key);  // null when there is none
std::string TextOf(const json::value& object, std::string_view key);

}  // namespace awf::operations

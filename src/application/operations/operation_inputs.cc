#include "application/operations/operation_inputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "application/operations/input_type.h"
#include "domain/fault_list.h"
#include "domain/nearest_name.h"

namespace awf {
namespace {

constexpr std::size_t kMostHints = 20;  // a call full of wrong names would take long

bool IsWhole(const json::value& value) {
  if (value.is_int64() || value.is_uint64()) return true;
  const double* number = value.if_double();
  return number != nullptr && std::isfinite(*number) && std::trunc(*number) == *number;
}

bool Fits(const json::value& value, InputType type) {
  switch (type) {
    case InputType::kString:
      return value.is_string();
    case InputType::kInteger:
      return IsWhole(value);
    case InputType::kNumber:
      return value.is_number();
    case InputType::kBoolean:
      return value.is_bool();
    case InputType::kArray:
      return value.is_array();
    case InputType::kObject:
      return value.is_object();
    case InputType::kAny:
      return true;
  }
  return true;
}

bool IsSpaceOrControl(char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; }

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Absolute: a scheme, "://", and a host.
bool IsUrl(std::string_view text) {
  const std::size_t scheme = text.find("://");
  if (scheme == std::string_view::npos || scheme == 0 || !IsLetter(text[0])) return false;
  const auto in_scheme = [](char c) {
    return IsLetter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  if (!std::ranges::all_of(text.substr(0, scheme), in_scheme)) return false;
  const std::string_view rest = text.substr(scheme + 3);
  return rest.find_first_of("/?#") != 0 && !rest.empty() && std::ranges::none_of(text, IsSpaceOrControl);
}

bool IsEmail(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return false;
  return text.substr(0, at).find('@') == std::string_view::npos && std::ranges::none_of(text, IsSpaceOrControl);
}

// The path of a number that is none, below `value`.
std::optional<std::string> OutOfRange(const json::value& value) {
  if (const double* number = value.if_double()) {
    if (!std::isfinite(*number)) return "";
  } else if (const json::array* list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (const auto path = OutOfRange((*list)[i])) return "[" + std::to_string(i) + "]" + *path;
    }
  } else if (const json::object* map = value.if_object()) {
    for (const auto& [key, item] : *map) {
      if (const auto path = OutOfRange(item)) return "." + std::string(key) + *path;
    }
  }
  return std::nullopt;
}

class Checking {
 public:
  Checking(const Operation& operation, const json::object& inputs) : operation_(operation), inputs_(inputs) {}

  std::vector<InputFault> Run() {
    for (const OperationInput& input : operation_.inputs) Declared(input);
    for (const auto& [name, value] : inputs_) {
      if (!value.is_null()) Given(name, value);
    }
    return std::move(faults_);
  }

 private:
  void Add(std::string path, std::string_view what, std::string hint = {}) {
    std::string message = schema::Quoted(path) + " " + std::string(what);
    faults_.push_back({std::move(path), std::move(message), std::move(hint)});
  }

  void Declared(const OperationInput& input) {
    const json::value* value = inputs_.if_contains(input.name);
    if (value == nullptr || value->is_null()) {
      if (input.required) Add(input.name, "is required");
      return;
    }
    const std::optional<InputType> type = InputTypeOf(input.type);
    if (!type) return Add(input.name, "is declared with the unknown type " + schema::Quoted(input.type));
    if (!Fits(*value, *type)) {
      return Add(input.name, "must be " + std::string(DescriptionOf(*type)) + ", got " + schema::Shown(*value));
    }
    const json::string* text = value->if_string();
    if (text == nullptr) return;
    // A URL can be a secret: of a webhook it mostly is. So what was given is not shown.
    if (input.validation == "url" && !IsUrl(*text)) Add(input.name, "must be a URL, scheme://host/path");
    if (input.validation == "email" && !IsEmail(*text)) {
      Add(input.name, "must be an e-mail address, got " + schema::Shown(*value));
    }
  }

  void Given(std::string_view name, const json::value& value) {
    if (operation_.inputs.empty() ||
        std::ranges::find(operation_.inputs, name, &OperationInput::name) != operation_.inputs.end()) {
      if (const auto bad = OutOfRange(value)) Add(std::string(name) + *bad, "is out of the range of numbers");
      return;
    }
    const bool hint = faults_.size() < kMostHints;
    std::vector<std::string> names;
    names.reserve(operation_.inputs.size());
    for (const OperationInput& input : operation_.inputs) names.push_back(input.name);
    faults_.push_back(
        {std::string(name), "unknown argument " + schema::Quoted(name), hint ? DidYouMean(name, names) : ""});
  }

  const Operation& operation_;
  const json::object& inputs_;
  std::vector<InputFault> faults_;
};

}  // namespace

std::vector<InputFault> FaultsOfInputs(const Operation& operation, const json::object& inputs) {
  return Checking(operation, inputs).Run();
}

std::expected<void, std::string> CheckOperationInputs(const Operation& operation, const json::object& inputs) {
  schema::FaultList faults;
  for (InputFault& fault : FaultsOfInputs(operation, inputs)) {
    faults.Add(std::move(fault.message) + (fault.hint.empty() ? "" : " (" + fault.hint + ")"));
  }
  if (faults.empty()) return {};
  return std::unexpected(faults.Sentence());
}

}  // namespace awf

#include "application/inputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <system_error>

#include "application/template_functions.h"
#include "domain/nearest_name.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::size_t kMaxFileBytes = 1U << 20;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return lower;
}

std::expected<std::string, std::string> FileText(const std::string& path) {
  std::error_code fault;
  // Devices and pipes may never end, and opening one may wait for ever.
  if (!std::filesystem::is_regular_file(path, fault)) return std::unexpected("file " + path + " does not exist");
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected("file " + path + " cannot be read");
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::unexpected("file " + path + " cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) return std::unexpected("file " + path + " is larger than 1 MiB");
  if (!IsValidUtf8(text)) return std::unexpected("file " + path + " is not UTF-8");
  return text;
}

std::expected<std::string, std::string> GivenText(const std::string& text) {
  if (text.starts_with("@@")) return text.substr(1);
  if (text.starts_with("@")) return FileText(text.substr(1));
  if (!IsValidUtf8(text)) return std::unexpected("is not UTF-8");
  return text;
}

class Resolver {
 public:
  Resolver(const Workflow& workflow, const GivenInputs& given) : workflow_(workflow) {
    for (const auto& [name, text] : given) given_[name] = text;
  }

  std::expected<json::object, Error> Run() {
    RefuseUnknown();
    for (const WorkflowInput& input : workflow_.inputs) Resolve(input);
    if (problems_.empty()) return std::move(values_);
    return Fail("USER.INPUT.VALIDATION_FAILED", problems_, Example());
  }

 private:
  void Problem(const std::string& text) { problems_ += (problems_.empty() ? "" : "\n") + text; }

  void RefuseUnknown() {
    std::vector<std::string> names;
    names.reserve(workflow_.inputs.size());
    for (const WorkflowInput& input : workflow_.inputs) names.push_back(input.name);
    for (const auto& [name, text] : given_) {
      if (std::ranges::find(names, name) != names.end()) continue;
      const std::string nearest = NearestName(name, names);
      Problem("there is no input '" + name + "'" + (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
  }

  void Resolve(const WorkflowInput& input) {
    std::optional<std::string> text = input.default_value;
    if (const auto given = given_.find(input.name); given != given_.end()) {
      auto read = GivenText(given->second);
      if (!read) return Problem("input '" + input.name + "': " + read.error());
      text = std::move(*read);
    }
    if (!text) {
      if (input.required) return Problem("input '" + input.name + "' is required");
      values_[input.name] = input.type == "string" ? json::value("") : json::value();
      return;
    }
    auto value = CoerceInput(input, *text);
    if (!value) return Problem("input '" + input.name + "' " + value.error());
    values_[input.name] = std::move(*value);
  }

  std::string Example() const {
    std::string example = "awf run " + ShellEscaped(workflow_.file);
    for (const WorkflowInput& input : workflow_.inputs) {
      if (input.required && !input.default_value) example += " -i " + input.name + "=…";
    }
    return "as in: " + example;
  }

  const Workflow& workflow_;
  std::map<std::string, std::string> given_;
  json::object values_;
  std::string problems_;
};

}  // namespace

bool IsIdentifier(std::string_view name) {
  return !name.empty() && IsLetter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return IsLetter(c) || (c >= '0' && c <= '9'); });
}

std::string InputVariable(std::string_view name) {
  std::string variable = "AWF_INPUT_";
  for (const char c : name) variable.push_back(static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
  return variable;
}

std::expected<json::value, std::string> CoerceInput(const WorkflowInput& input, std::string_view text) {
  // The value of a secret must not appear in a message.
  const std::string shown = input.secret ? "is" : "'" + std::string(text.substr(0, 100)) + "' is";
  if (input.type == "integer") {
    std::string_view digits = text;
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (fault == std::errc() && end == digits.data() + digits.size()) return json::value(value);
    return std::unexpected(shown + " no integer");
  }
  if (input.type == "boolean") {
    const std::string lower = Lower(text);
    if (lower == "true" || lower == "yes" || lower == "1") return json::value(true);
    if (lower == "false" || lower == "no" || lower == "0") return json::value(false);
    return std::unexpected(shown + " no boolean: write true or false");
  }
  if (input.required && text.empty()) return std::unexpected("must not be empty");
  // Commands get inputs in their environment, which would cut the value there.
  if (text.find('\0') != std::string_view::npos) return std::unexpected("holds a NUL byte");
  return json::value(text);
}

std::expected<json::object, Error> ResolveInputs(const Workflow& workflow, const GivenInputs& given) {
  return Resolver(workflow, given).Run();
}

}  // namespace awf

#include "application/language/inputs.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>

#include "application/language/characters.h"
#include "application/language/template_values.h"
#include "domain/joined.h"
#include "domain/masker.h"
#include "domain/nearest_name.h"
#include "domain/terminal_text.h"
#include "domain/text_files.h"
#include "domain/utf8.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), ToLower);
  return lower;
}

bool IsSecret(const WorkflowInput& input) { return input.secret || IsSecretName(input.name); }

// Safe for a terminal; unlike PrintableLine with the blanks at the ends, as these can be what is wrong.
std::string Quoted(std::string_view text) {
  TerminalFilter filter;
  std::string safe = filter.Feed(text) + filter.Flush();
  std::ranges::replace_if(safe, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return "'" + safe + "'";
}

// The value in quotes with the verb behind, or the verb alone: the value of a secret must not appear in a message.
std::string Shown(const WorkflowInput& input, std::string_view text, std::string_view verb) {
  constexpr std::size_t kLongest = 100;
  if (IsSecret(input)) return std::string(verb);
  const std::string_view prefix = Utf8Prefix(text, kLongest);
  return Quoted(std::string(prefix) + (prefix.size() < text.size() ? "…" : "")) + " " + std::string(verb);
}

// Relative to the first prompt folder that has it, else to the working directory.
fs::path FindFile(const std::string& written, const InputContext& context) {
  fs::path path = written;
  if (path.is_absolute()) return path;
  // One that leads out of a prompt folder is not meant to be in it.
  const bool leaves = std::ranges::find(path, fs::path("..")) != path.end();
  for (const fs::path& folder : context.folders) {
    std::error_code fault;
    if (!leaves && fs::is_regular_file(folder / path, fault)) return folder / path;
  }
  return context.working_dir / path;
}

std::expected<std::string, std::string> FileText(const fs::path& path) {
  std::error_code fault;
  // Devices and pipes may never end, and opening one may wait for ever.
  if (!fs::is_regular_file(path, fault)) {
    return std::unexpected(fs::exists(path, fault) ? "is no regular file" : "does not exist");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected("cannot be read");
  std::string text(kMaxTextFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::unexpected("cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxTextFileBytes) return std::unexpected("is larger than 1 MiB");
  if (!IsValidUtf8(text)) return std::unexpected("is not UTF-8");
  return text;
}

// What the value must be, each failure as the end of a sentence that begins with Shown.
class Checker {
 public:
  Checker(const WorkflowInput& input, const json::value& value, const InputContext& context)
      : input_(input), rules_(input.validation), value_(value), text_(TextOf(value)), context_(context) {}

  std::expected<void, std::string> Run() {
    Pattern();
    Values();
    Bounds();
    Extension();
    Existence();
    if (problems_.empty()) return {};
    return std::unexpected(Shown(input_, text_, Joined(problems_, " and ")));
  }

 private:
  void Pattern() {
    if (!rules_.pattern || context_.regexes == nullptr) return;
    // ^ and $ are the ends of the whole value: a second line must not slip past.
    const auto regex = context_.regexes->Compile(*rules_.pattern, {.multi_line = false});
    if (!regex) return problems_.push_back("cannot be checked: the pattern is malformed: " + regex.error().message);
    if (!(*regex)->Contains(text_)) problems_.push_back("does not match the pattern " + *rules_.pattern);
  }

  void Values() {
    if (rules_.values.empty()) return;
    const bool found = std::ranges::any_of(rules_.values, [this](const std::string& allowed) {
      const auto coerced = CoerceInput(input_, allowed);
      return coerced && *coerced == value_;
    });
    if (found) return;
    std::string problem = "is none of " + Joined(rules_.values, ", ");
    const std::string nearest = NearestName(text_, rules_.values);
    if (!nearest.empty() && !IsSecret(input_)) problem += " (did you mean '" + nearest + "'?)";
    problems_.push_back(std::move(problem));
  }

  void Bounds() {
    if (!value_.is_int64()) return;
    const std::int64_t number = value_.get_int64();
    if (rules_.min && number < *rules_.min) problems_.push_back("is less than " + std::to_string(*rules_.min));
    if (rules_.max && number > *rules_.max) problems_.push_back("is more than " + std::to_string(*rules_.max));
  }

  void Extension() {
    if (rules_.file_extensions.empty()) return;
    const std::string name = Lower(fs::path(text_).filename().native());
    const auto fits = [&](const std::string& extension) { return name.ends_with(Lower(extension)); };
    if (std::ranges::any_of(rules_.file_extensions, fits)) return;
    problems_.push_back("does not end with " + Joined(rules_.file_extensions, " or "));
  }

  void Existence() {
    if (!rules_.file_exists) return;
    std::error_code fault;
    const fs::path path = context_.working_dir / text_;
    if (text_.empty() || !fs::exists(path, fault)) {
      problems_.emplace_back("is no file that exists");
    } else if (fs::is_directory(path, fault)) {
      problems_.emplace_back("is a folder, not a file");
    }
  }

  const WorkflowInput& input_;
  const InputValidation& rules_;
  const json::value& value_;
  const std::string text_;
  const InputContext& context_;
  std::vector<std::string> problems_;
};

class Resolver {
 public:
  Resolver(const Workflow& workflow, const GivenInputs& given, const InputContext& context)
      : workflow_(workflow), context_(context) {
    for (const GivenInput& input : given) {
      const auto [place, added] = given_.try_emplace(input.name, &input);
      if (!added && input.source >= place->second->source) place->second = &input;
    }
    names_.reserve(workflow.inputs.size());
    for (const WorkflowInput& input : workflow.inputs) names_.push_back(input.name);
  }

  std::expected<ResolvedInputs, Error> Run() {
    RefuseUnknown();
    for (const WorkflowInput& input : workflow_.inputs) {
      if (auto resolved = Resolve(input); !resolved) {
        Problem(resolved.error());
        faulty_.push_back(input.name);
      }
    }
    if (problems_.empty()) return std::move(resolved_);
    return Fail("USER.INPUT.VALIDATION_FAILED", problems_, Example());
  }

 private:
  void Problem(const std::string& text) { problems_ += (problems_.empty() ? "" : "\n") + text; }

  void RefuseUnknown() {
    for (const auto& [name, input] : given_) {
      if (input->source == InputSource::kConfig || std::ranges::find(names_, name) != names_.end()) continue;
      const std::string nearest = NearestName(name, names_);
      if (!nearest.empty()) faulty_.push_back(nearest);
      Problem("there is no input " + Quoted(name) + Origin(input->source) +
              (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
  }

  static std::string Origin(InputSource source) {
    if (source == InputSource::kConfig) return " (from the configuration)";
    if (source == InputSource::kFile) return " (from the input file)";
    return "";
  }

  // The error is a whole message.
  std::expected<void, std::string> Resolve(const WorkflowInput& input) {
    const auto found = given_.find(input.name);
    const GivenInput* given = found == given_.end() ? nullptr : found->second;
    const InputSource source = given == nullptr ? InputSource::kDefault : given->source;
    const auto refused = [&](const std::string& phrase) {
      return std::unexpected("input '" + input.name + "' " + phrase + Origin(source));
    };
    resolved_.sources[input.name] = source;
    std::optional<std::string> text = input.default_value;
    if (given != nullptr) {
      auto read = GivenText(input, *given);
      if (!read) return refused(read.error());
      text = std::move(*read);
    }
    if (!text) {
      if (input.required) return refused("is required");
      resolved_.values[input.name] = input.type == "string" ? json::value("") : json::value();
      return {};
    }
    auto value = CoerceInput(input, *text);
    if (!value) return refused(value.error());
    if (auto checked = CheckInput(input, *value, context_); !checked) return refused(checked.error());
    resolved_.values[input.name] = std::move(*value);
    return {};
  }

  std::expected<std::string, std::string> GivenText(const WorkflowInput& input, const GivenInput& given) const {
    const bool flag = given.source == InputSource::kFlag;
    if (flag && given.text.starts_with("@@")) return given.text.substr(1);
    if (!flag || !given.text.starts_with("@")) return given.text;
    const fs::path path = FindFile(given.text.substr(1), context_);
    auto text = FileText(path);
    if (text) return text;
    // What was taken for a path may be a secret that begins with @.
    const std::string shown = IsSecret(input) ? "" : " " + PrintableLine(path.native());
    return std::unexpected("cannot be read from a file: the file" + shown + " " + text.error() +
                           "; @@ stands for a literal @");
  }

  std::string Example() const {
    std::string example;
    for (const WorkflowInput& input : workflow_.inputs) {
      const bool faulty = std::ranges::find(faulty_, input.name) != faulty_.end();
      if (!faulty && (!input.required || input.default_value)) continue;
      const std::vector<std::string>& values = input.validation.values;
      example += " -i " + input.name + "=" + (values.empty() || IsSecret(input) ? "…" : ShellEscaped(values.front()));
    }
    if (!example.empty()) return "as in: awf run " + ShellEscaped(workflow_.file) + example;
    if (names_.empty()) return "the workflow has no inputs";
    return "the workflow's inputs are: " + Joined(names_, ", ");
  }

  const Workflow& workflow_;
  const InputContext& context_;
  std::map<std::string, const GivenInput*> given_;  // the strongest of each name
  std::vector<std::string> names_;
  std::vector<std::string> faulty_;
  ResolvedInputs resolved_;
  std::string problems_;
};

std::expected<json::value, std::string> CoerceInteger(const WorkflowInput& input, std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end == digits.data() + digits.size()) {
    if (fault == std::errc()) return json::value(value);
    if (fault == std::errc::result_out_of_range) {
      return std::unexpected(Shown(input, text, "does not fit into 64 bits"));
    }
  }
  return std::unexpected(Shown(input, text, "is no integer"));
}

}  // namespace

bool IsIdentifier(std::string_view name) {
  return !name.empty() && StartsName(name.front()) && std::ranges::all_of(name, ContinuesName);
}

std::string InputVariable(std::string_view name) {
  std::string variable = "AWF_INPUT_";
  std::ranges::transform(name, std::back_inserter(variable), ToUpper);
  return variable;
}

std::expected<json::value, std::string> CoerceInput(const WorkflowInput& input, std::string_view text) {
  if (!IsValidUtf8(text)) return std::unexpected("is not UTF-8");
  if (input.type == "integer") return CoerceInteger(input, text);
  if (input.type == "boolean") {
    const std::string lower = Lower(text);
    if (lower == "true" || lower == "yes" || lower == "1") return json::value(true);
    if (lower == "false" || lower == "no" || lower == "0") return json::value(false);
    return std::unexpected(Shown(input, text, "is no boolean: write true or false"));
  }
  if (input.required && text.empty()) return std::unexpected("must not be empty");
  // Commands get inputs in their environment, which would cut the value there.
  if (text.find('\0') != std::string_view::npos) return std::unexpected("holds a NUL byte");
  return json::value(text);
}

std::expected<void, std::string> CheckInput(const WorkflowInput& input, const json::value& value,
                                            const InputContext& context) {
  if (value.is_null()) return {};
  return Checker(input, value, context).Run();
}

std::expected<ResolvedInputs, Error> ResolveInputs(const Workflow& workflow, const GivenInputs& given,
                                                   const InputContext& context) {
  return Resolver(workflow, given, context).Run();
}

std::vector<const WorkflowInput*> MissingInputs(const Workflow& workflow, const GivenInputs& given) {
  std::vector<const WorkflowInput*> missing;
  for (const WorkflowInput& input : workflow.inputs) {
    if (!input.required || input.default_value) continue;
    if (std::ranges::find(given, input.name, &GivenInput::name) == given.end()) missing.push_back(&input);
  }
  return missing;
}

}  // namespace awf

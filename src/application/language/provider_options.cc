#include "application/language/provider_options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <span>
#include <utility>

#include "application/language/characters.h"
#include "application/language/provider_schemas.h"
#include "application/language/template.h"
#include "domain/joined.h"
#include "domain/nearest_name.h"
#include "domain/trimmed.h"

namespace awf {
namespace {

constexpr std::string_view kInvalid = "WORKFLOW.PARSE.INVALID_VALUE";
constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
    {"openai-compatible", "openai_compatible"}, {"copilot", "github_copilot"}, {"github-copilot", "github_copilot"},
    {"mistral-vibe", "mistral_vibe"},           {"vibe", "mistral_vibe"},
};

// maxTurns → max_turns
std::string SnakeCase(std::string_view key) {
  std::string snake;
  for (const char c : key) {
    if (IsUpper(c)) snake.push_back('_');
    snake.push_back(ToLower(c));
  }
  return snake;
}

// These go into arguments of their own, where a dash would make another flag of them.
constexpr std::string_view kArguments[] = {"model", "effort", "agent_profile"};

// Integers without a fraction, as people write them.
std::string Shown(double number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed).ptr;
  return {digits.data(), end};
}

std::optional<double> NumberFrom(std::string_view text) {
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

class OptionChecker {
 public:
  OptionChecker(const OptionsRequest& request, const EnvironmentLookup& environment)
      : request_(request), environment_(environment), schema_(FindProviderSchema(request.provider)->options) {}

  CheckedOptions Run() {
    for (const auto& [key, value] : request_.written) Option(std::string(key), value);
    if (request_.defaults != nullptr) FillIn(*request_.defaults);
    if (request_.provider == "openai_compatible") CheckEndpoint();
    return std::move(checked_);
  }

 private:
  void Report(Severity severity, std::string_view code, std::string field, std::string message, std::string hint = {}) {
    checked_.findings.push_back(
        {severity, {std::string(code), std::move(message), std::move(hint), {}, {}, std::move(field)}});
  }
  void Invalid(const std::string& field, std::string message, std::string hint = {}) {
    Report(Severity::kError, kInvalid, field, std::move(message), std::move(hint));
  }

  const OptionSchema* Find(std::string_view key) const {
    const auto found = std::ranges::find(schema_, key, &OptionSchema::key);
    return found == schema_.end() ? nullptr : &*found;
  }

  void Option(const std::string& key, const json::value& value) {
    const OptionSchema* option = Find(key);
    if (option == nullptr && Find(SnakeCase(key)) != nullptr) {
      option = Find(SnakeCase(key));
      if (request_.written.contains(option->key)) {
        Invalid(key, "option '" + key + "' is '" + std::string(option->key) + "', which is given too", "keep one");
        return;
      }
      Report(Severity::kWarning, "WORKFLOW.PARSE.UNKNOWN_FIELD", key,
             "option '" + key + "' is taken as '" + std::string(option->key) + "'",
             "options are written in snake_case");
    }
    if (option == nullptr) {
      Unknown(key);
    } else if (option->type == OptionType::kIgnored) {
      Report(Severity::kWarning, "WORKFLOW.PARSE.UNKNOWN_FIELD", key,
             "option '" + key + "' has no effect: awf sets this itself", "remove it");
    } else if (auto checked = Checked(*option, key, value)) {
      checked_.options[option->key] = std::move(*checked);
    }
  }

  void FillIn(const json::object& defaults) {
    const json::object own = checked_.options;
    for (const auto& [key, value] : defaults) {
      if (!own.contains(key) && !own.contains(OtherName(key))) checked_.options[key] = value;
    }
  }

  // Of options that exclude each other, as two names of one thing.
  static std::string_view OtherName(std::string_view key) {
    if (key == "max_tokens") return "max_completion_tokens";
    return key == "max_completion_tokens" ? "max_tokens" : key;
  }

  void Unknown(const std::string& key) {
    std::vector<std::string> names;
    for (const OptionSchema& option : schema_) names.emplace_back(option.key);
    std::string hint = DidYouMean(key, names);
    if (hint.empty() && Find("extra_args") != nullptr) {
      hint = "flags of the CLI that awf does not know go into extra_args";
    }
    Report(Severity::kError, "WORKFLOW.PARSE.UNKNOWN_FIELD", key,
           "provider " + std::string(request_.provider) + " has no option '" + key + "'", hint);
  }

  // A template's value is not known yet.
  bool IsOpen(const json::value& value) const {
    return !request_.rendered && value.is_string() && HasTemplate(value.get_string());
  }

  std::optional<json::value> Checked(const OptionSchema& option, const std::string& path, const json::value& value) {
    if (IsOpen(value)) return value;
    switch (option.type) {
      case OptionType::kString:
        return Argument(option, path, String(path, value));
      case OptionType::kInteger:
      case OptionType::kNumber:
        return Number(option, path, value);
      case OptionType::kBool:
        return Bool(path, value);
      case OptionType::kChoice:
        return Choice(option, path, value);
      case OptionType::kProviderModel:
        return ProviderModel(path, value);
      case OptionType::kMap:
        if (value.is_object()) return value;
        Invalid(path, "option '" + path + "' must be a map");
        return std::nullopt;
      case OptionType::kWords:
        return value.is_string() ? Words(value.get_string()) : StringList(path, value);
      case OptionType::kStringList:
        return StringList(path, value);
      case OptionType::kStringMap:
        return StringMap(path, value);
      case OptionType::kIgnored:
        break;
    }
    return std::nullopt;
  }

  // Numbers and booleans are taken as they were spelt in the file.
  std::optional<json::value> String(const std::string& path, const json::value& value) {
    if (value.is_string()) return value;
    const auto source = request_.sources.find(path);
    if (!value.is_null() && source != request_.sources.end()) return json::value(source->second);
    Invalid(path, "option '" + path + "' must be a string");
    return std::nullopt;
  }

  // An empty model, as an input without a value may leave it, is none.
  std::optional<json::value> Argument(const OptionSchema& option, const std::string& path,
                                      std::optional<json::value> value) {
    if (!value || std::ranges::find(kArguments, option.key) == std::end(kArguments)) return value;
    const std::string_view text = value->get_string();
    if (option.key == "model" && Trimmed(text).empty()) return std::nullopt;
    if (!text.starts_with('-')) return value;
    Invalid(path, "option '" + path + "' must not begin with '-'");
    return std::nullopt;
  }

  std::optional<json::value> Choice(const OptionSchema& option, const std::string& path, const json::value& value) {
    if (value.is_string() &&
        std::ranges::find(option.choices, std::string_view(value.get_string())) != option.choices.end())
      return value;
    std::vector<std::string> names(option.choices.begin(), option.choices.end());
    Invalid(path, "option '" + path + "' must be one of " + Joined(names, ", "),
            value.is_string() ? DidYouMean(value.get_string(), names) : "");
    return std::nullopt;
  }

  // The rest of the name may hold more slashes.
  std::optional<json::value> ProviderModel(const std::string& path, const json::value& value) {
    const std::string_view name = value.is_string() ? std::string_view(value.get_string()) : std::string_view();
    const std::size_t slash = name.find('/');
    const bool whole = slash != std::string_view::npos && slash > 0 && slash + 1 < name.size();
    if (whole && !name.starts_with('-') && name.find_first_of(" \t\r\n") == std::string_view::npos) return value;
    Invalid(path, "option '" + path + "' must be PROVIDER/MODEL, as anthropic/claude-sonnet-4-5",
            "opencode models lists what there is");
    return std::nullopt;
  }

  std::optional<json::value> Number(const OptionSchema& option, const std::string& path, const json::value& value) {
    std::optional<double> number;
    if (value.is_number()) number = value.to_number<double>();
    if (request_.rendered && value.is_string()) number = NumberFrom(value.get_string());
    const bool integer = option.type == OptionType::kInteger;
    const bool in_range = number && *number >= option.min && *number <= option.max;  // false for NaN
    if (!in_range || (integer && *number != static_cast<double>(static_cast<std::int64_t>(*number)))) {
      Invalid(path, "option '" + path + "' must be " + (integer ? "an integer" : "a number") + RangeOf(option));
      return std::nullopt;
    }
    if (integer) return json::value(static_cast<std::int64_t>(*number));
    return json::value(*number);
  }

  static std::string RangeOf(const OptionSchema& option) {
    if (option.max == std::numeric_limits<double>::max()) return " of at least " + Shown(option.min);
    return " from " + Shown(option.min) + " to " + Shown(option.max);
  }

  std::optional<json::value> Bool(const std::string& path, const json::value& value) {
    if (value.is_bool()) return value;
    if (request_.rendered && value.is_string() && (value.get_string() == "true" || value.get_string() == "false")) {
      return json::value(value.get_string() == "true");
    }
    Invalid(path, "option '" + path + "' must be true or false");
    return std::nullopt;
  }

  static json::value Words(std::string_view text) {
    json::array words;
    while (!text.empty()) {
      const std::size_t comma = text.find(',');
      const std::string_view word = Trimmed(text.substr(0, comma), " ");
      text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
      if (!word.empty()) words.push_back(json::value(word));
    }
    return words;
  }

  std::optional<json::value> StringList(const std::string& path, const json::value& value) {
    if (!value.is_array()) {
      Invalid(path, "option '" + path + "' must be a list of strings");
      return std::nullopt;
    }
    json::array list;
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
      if (auto item = String(path + "[" + std::to_string(i) + "]", value.get_array()[i]))
        list.push_back(std::move(*item));
    }
    return list;
  }

  std::optional<json::value> StringMap(const std::string& path, const json::value& value) {
    if (!value.is_object()) {
      Invalid(path, "option '" + path + "' must be a map of strings");
      return std::nullopt;
    }
    json::object map;
    for (const auto& [name, item] : value.get_object()) {
      const std::string item_path = path + "." + std::string(name);
      if (name.empty() || name.contains('=') || name.contains('\0')) {
        Invalid(item_path, "'" + std::string(name) + "' is no name for an environment variable");
      } else if (auto text = String(item_path, item)) {
        map[name] = std::move(*text);
      }
    }
    return map;
  }

  void CheckEndpoint() {
    Required("base_url", "OPENAI_BASE_URL");
    Required("model", "OPENAI_MODEL");
    if (checked_.options.contains("max_tokens") && checked_.options.contains("max_completion_tokens")) {
      Invalid("max_tokens", "give either max_completion_tokens or max_tokens, not both");
    }
    const json::value* url = checked_.options.if_contains("base_url");
    if (url == nullptr || IsOpen(*url)) return;
    if (auto fault = BaseUrlFault(url->get_string(), "base_url")) {
      Invalid("base_url", std::move(fault->message), std::move(fault->hint));
    }
  }

  void Required(const std::string& key, const std::string& variable) {
    const json::value* value = checked_.options.if_contains(key);
    const bool empty = value != nullptr && value->is_string() && value->get_string().empty();
    if (value != nullptr && !empty) return;
    if (empty) checked_.options.erase(key);
    // Given, but refused: that has been told.
    if (!empty && std::ranges::any_of(checked_.findings,
                                      [&](const Finding& finding) { return SnakeCase(finding.error.field) == key; })) {
      return;
    }
    if (!environment_(variable).value_or("").empty()) return;
    Report(Severity::kError, "WORKFLOW.PARSE.MISSING_FIELD", "",
           "provider openai_compatible needs the option '" + key + "'",
           "set options." + key + ", or " + variable + " in the environment");
  }

  const OptionsRequest& request_;
  const EnvironmentLookup& environment_;
  std::span<const OptionSchema> schema_;
  CheckedOptions checked_;
};

}  // namespace

std::optional<std::string> ProcessEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::expected<std::string, Error> ResolveProvider(std::string_view written) {
  std::string_view name = written;
  for (const auto& [alias, canonical] : kAliases) {
    if (name == alias) name = canonical;
  }
  if (FindProviderSchema(name) != nullptr) return std::string(name);
  const std::string quoted = "provider '" + std::string(written) + "'";
  if (name == "custom") {
    return Fail("USER.PROVIDER.UNKNOWN", quoted + " does not exist",
                "run a program of your own in a state of type: step");
  }
  std::vector<std::string> names;
  for (const ProviderSchema& provider : ProviderSchemas()) names.emplace_back(provider.name);
  return Fail("USER.PROVIDER.UNKNOWN", quoted + " does not exist; there are " + Joined(names, ", "),
              DidYouMean(name, names));
}

std::string CanonicalOption(std::string_view provider, std::string_view key) {
  const ProviderSchema* schema = FindProviderSchema(provider);
  const auto has = [schema](std::string_view name) {
    return schema != nullptr && std::ranges::find(schema->options, name, &OptionSchema::key) != schema->options.end();
  };
  const std::string snake = SnakeCase(key);
  return !has(key) && has(snake) ? snake : std::string(key);
}

std::optional<Error> BaseUrlFault(std::string_view url, const std::string& name) {
  const auto fault = [&name](const char* message, const char* hint) {
    return Fail(std::string(kInvalid), name + message, hint).error();
  };
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return fault(" must begin with http:// or https://", "");
  }
  if (url.find_first_of("?#") != std::string_view::npos) {
    return fault(" must have no query (?) and no fragment (#)", "awf adds /chat/completions at its end");
  }
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with("/chat/completions")) {
    return fault(" must not end in /chat/completions", "awf adds that itself: leave it out");
  }
  return std::nullopt;
}

CheckedOptions CheckProviderOptions(const OptionsRequest& request, const EnvironmentLookup& environment) {
  return OptionChecker(request, environment).Run();
}

}  // namespace awf

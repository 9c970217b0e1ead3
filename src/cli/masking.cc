#include "cli/masking.h"

#include <unistd.h>

#include <string>
#include <utility>

#include "cli/run_setup.h"
#include "infrastructure/operations/variable_text.h"
#include "infrastructure/regex/re2_regex.h"

namespace awf::cli {
namespace {

constexpr const char* kKeys = "masking.keys";
constexpr const char* kPatterns = "masking.patterns";

Error Invalid(const Config& config, const char* field, std::string message, std::string hint) {
  const auto found = config.positions.find(field);
  return {"USER.CONFIG.INVALID",
          std::move(message),
          std::move(hint),
          found == config.positions.end() ? Position{} : found->second,
          {},
          field};
}

// Some texts that a pattern which matches nothing matches at once.
bool MatchesNothing(const Regex& regex) {
  std::vector<RegexGroup> groups;
  for (const std::string_view text : {"", "a", " ", "a b\n1"}) {
    if (regex.Find(text, 0, groups) && groups[0].end == groups[0].begin) return true;
  }
  return false;
}

std::expected<std::shared_ptr<const Regex>, Error> Compiled(const Config& config, const std::string& pattern) {
  const std::string shown = "the pattern '" + pattern + "' ";
  auto regex = Re2Compiler().Compile(pattern, {});
  if (!regex) {
    return std::unexpected(Invalid(config, kPatterns, shown + "does not compile: " + regex.error().message,
                                   "patterns are those of RE2: no back references, no look-around"));
  }
  if (MatchesNothing(**regex)) {
    return std::unexpected(Invalid(config, kPatterns, shown + "matches where there is nothing to mask",
                                   "write a pattern that takes at least one character: + in place of *"));
  }
  return std::shared_ptr<const Regex>(std::move(*regex));
}

Masker Configured(const Config& config, std::vector<Error>& errors) {
  Masker masker;
  for (const std::string& word : config.masking_keys) {
    if (masker.AddName(word)) continue;
    errors.push_back(
        Invalid(config, kKeys, "'" + word + "' is no part of a name", "write a word, like pin or license_key"));
  }
  for (const std::string& pattern : config.masking_patterns) {
    auto regex = Compiled(config, pattern);
    if (regex) {
      masker.AddPattern(std::move(*regex));
    } else {
      errors.push_back(std::move(regex.error()));
    }
  }
  return masker;
}

}  // namespace

SecretNames ConfiguredNames(const Config& config) {
  SecretNames names;
  for (const std::string& word : config.masking_keys) names.Add(word);
  return names;
}

std::expected<Masker, std::vector<Error>> ConfiguredMasker(const Config& config) {
  std::vector<Error> errors;
  Masker masker = Configured(config, errors);
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return masker;
}

std::shared_ptr<const Masker> MaskerOfErrors(const Config& config) {
  std::vector<Error> ignored;
  auto masker = std::make_shared<Masker>(Configured(config, ignored));
  masker->AddEnvironment(environ);
  for (const auto& [name, provider] : config.providers) LearnOptionSecrets(provider.options, *masker);
  LearnNotifyUrls(config, *masker);
  return masker;
}

void LearnNotifyUrls(const Config& config, Masker& masker) {
  const auto variable = [](std::string_view name) { return NonEmptyVariable(std::string(name)); };
  for (const std::string* url :
       {&config.notify.webhook_url, &config.notify.slack_webhook_url, &config.notify.smtp_url}) {
    const auto filled = operations::WithVariables(*url, variable);
    if (!filled || filled->empty()) continue;
    masker.AddSecret(*filled);
    masker.AddUrlPasswords(*filled);
  }
}

void LearnPluginSecrets(const plugins::PluginLaunch& launch, Masker& masker) {
  LearnOptionSecrets(launch.config, masker);
  json::object variables;
  for (const auto& [name, value] : launch.env) variables[name] = value;
  LearnOptionSecrets(variables, masker);
}

Error MaskedError(Error error, const Masker& masker) {
  error.message = masker.MaskText(error.message);
  error.hint = masker.MaskText(error.hint);
  error.step = masker.MaskText(error.step);
  error.field = masker.MaskText(error.field);
  error.position.file = masker.MaskText(error.position.file);
  return error;
}

std::vector<Error> MaskedErrors(std::vector<Error> errors, const GlobalOptions& global) {
  const auto masker = global.masker ? global.masker : MaskerOfErrors({});
  for (Error& error : errors) error = MaskedError(std::move(error), *masker);
  return errors;
}

}  // namespace awf::cli

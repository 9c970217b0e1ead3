// Names of the providers and the options that each of them takes.
//
// One table for `validate` and for the start of a step, where templates have been rendered. Options are checked against
// the schema of the provider: unknown keys, wrong types and values out of range are errors; camelCase spellings are
// taken with a warning.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/scope.h"
#include "domain/error.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

// The canonical name (claude, openai_compatible), aliases resolved. `written` must be rendered. USER.PROVIDER.UNKNOWN
// for names that do not exist.
std::expected<std::string, Error> ResolveProvider(std::string_view written);

struct OptionsRequest {
  std::string_view provider;  // canonical
  const json::object& written;
  const std::map<std::string, std::string>& sources;  // AgentState::option_sources
  bool rendered = false;  // no templates are left, and text may stand for a number or boolean
  // Options of the configuration, as CheckProviderOptions gave them: they stand where nothing is written. May be null.
  const json::object* defaults = nullptr;
};

struct CheckedOptions {
  json::object options;  // canonical keys, proper types; lacks what is wrong
  // Errors and warnings without position; `field` is the path as written, as "max_turns" or "env.NAME"; empty when
  // something is missing.
  std::vector<Finding> findings;
};

// The option's own key for one that is written in camelCase; a key that the provider has not, as it is.
std::string CanonicalOption(std::string_view provider, std::string_view key);

// Why requests cannot be made below that base URL of openai_compatible; `name` is what the user knows it by. The error
// has WORKFLOW.PARSE.INVALID_VALUE.
std::optional<Error> BaseUrlFault(std::string_view url, const std::string& name);

CheckedOptions CheckProviderOptions(const OptionsRequest& request, const EnvironmentLookup& environment);

}  // namespace awf

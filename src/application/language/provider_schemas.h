// The providers by name, and the options that each of them takes: plain data.
#pragma once

#include <limits>
#include <span>
#include <string_view>

namespace awf {

enum class OptionType {
  kString,
  kInteger,
  kNumber,
  kBool,
  kChoice,      // one of OptionSchema::choices
  kStringList,  // a list of strings
  kWords,       // the same, or a comma-separated string
  kStringMap,
  kMap,            // any JSON object; the adapter looks into it
  kProviderModel,  // PROVIDER/MODEL
  kIgnored,        // of an earlier implementation: awf sets it itself
};

struct OptionSchema {
  std::string_view key;
  OptionType type = OptionType::kString;
  double min = std::numeric_limits<double>::lowest();
  double max = std::numeric_limits<double>::max();
  std::span<const std::string_view> choices{};
};

struct ProviderSchema {
  std::string_view name;  // canonical
  std::span<const OptionSchema> options;
  // Only a probe can prove that it offers its model no tools but ours: it neither announces them nor runs in-process.
  bool needs_probe = true;
};

std::span<const ProviderSchema> ProviderSchemas();

// Null when no provider has that canonical name.
const ProviderSchema* FindProviderSchema(std::string_view name);

}  // namespace awf

// The functions that templates may call. Pure: text and JSON in, text and JSON out.
//
// The value worked on is always the last argument, so that it can be piped in: {{.inputs.names | split "," | join "
// "}}.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf {

inline constexpr std::size_t kMaxTemplateOutput = 64U << 20;

struct TemplateFunction {
  std::string_view name;
  std::size_t min_arguments, max_arguments;
  std::string_view usage;
  // The error is a phrase for a message.
  std::expected<json::value, std::string> (*call)(std::span<const json::value> arguments);
};

const TemplateFunction* FindTemplateFunction(std::string_view name);
const std::vector<std::string>& TemplateFunctionNames();

// As a template prints it: strings as they are, everything else as compact JSON.
std::string TextOf(const json::value& value);
// Compact JSON with the shortest numbers that read back the same: 1.1, not 1.1E0.
std::string CompactJson(const json::value& value);
// A word that a POSIX shell reads back as `text`; quoted only when needed.
std::string ShellEscaped(std::string_view text);

}  // namespace awf

#include "cli/short_options.h"

#include <algorithm>

#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

std::string Unknown(const std::string& name, std::vector<std::string> names) {
  names.emplace_back("help");
  const std::string nearest = NearestName(name, names);
  return "unknown option --" + name + (nearest.empty() ? "" : " (did you mean --" + nearest + "?)");
}

}  // namespace

std::expected<ShortOptions, std::string> ParseShortOptions(const std::vector<std::string>& arguments,
                                                           const std::vector<std::string>& names) {
  ShortOptions options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (word == "--help" || word == "-h") {
      options["help"];
      continue;
    }
    if (!word.starts_with("--")) return std::unexpected("unexpected argument " + word);
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? equals : equals - 2);
    if (std::ranges::find(names, name) == names.end()) return std::unexpected(Unknown(name, names));
    if (equals == std::string::npos && i + 1 == arguments.size())
      return std::unexpected("--" + name + " needs a value");
    std::string value = equals == std::string::npos ? arguments[++i] : word.substr(equals + 1);
    if (value.empty()) return std::unexpected("--" + name + " needs a value");
    if (!options.emplace(name, std::move(value)).second) return std::unexpected("--" + name + " stands twice");
  }
  return options;
}

}  // namespace awf::cli

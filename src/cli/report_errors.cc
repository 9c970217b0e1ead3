// Errors that end a command, printed the way awf prints errors everywhere.
#include <algorithm>
#include <cstdio>
#include <utility>

#include "cli/commands.h"
#include "cli/finding_text.h"
#include "cli/masking.h"
#include "cli/print_result.h"
#include "domain/error_catalogue.h"

namespace awf::cli {
namespace {

std::string Json(const std::vector<Error>& errors, std::size_t first, int exit_code, bool hints) {
  json::object error = ErrorJson(errors[first], hints);
  json::array others;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (i != first) others.push_back(FindingJson(errors[i]));
  }
  if (!others.empty()) error["details"].get_object()["others"] = std::move(others);
  return JsonLine(json::object{{"success", false}, {"error", std::move(error)}, {"exit_code", exit_code}});
}

}  // namespace

int ReportErrors(const std::vector<Error>& given, const GlobalOptions& global, int exit_code) {
  if (given.empty()) return 0;
  const std::vector<Error> errors = MaskedErrors(given, global);
  const auto by_class = [](const Error& error) { return ExitCodeOf(error.code); };
  const auto first = static_cast<std::size_t>(std::ranges::min_element(errors, {}, by_class) - errors.begin());
  if (exit_code == 0) exit_code = by_class(errors[first]);
  if (global.format == OutputFormat::kJson) {
    return PrintResult(Json(errors, first, exit_code, !global.no_hints), global, exit_code);
  }
  if (global.json_log) {
    std::fputs(Json(errors, first, exit_code, !global.no_hints).c_str(), stderr);
    return exit_code;
  }
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const std::string block = ErrorBlock(errors[i], Severity::kError, !global.no_hints);
    std::fputs(((i == 0 ? "" : "\n") + block).c_str(), stderr);
  }
  return exit_code;
}

}  // namespace awf::cli

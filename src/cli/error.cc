// awf error [CODE|PREFIX]: what a code means and what to do about it.
#include "cli/commands.h"
#include "cli/finding_text.h"
#include "cli/print_result.h"
#include "domain/error_catalogue.h"
#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return upper;
}

std::string TextOf(const CatalogueEntry& entry) {
  std::string text(entry.code);
  text.append("\n  ").append(entry.description).append("\n  ").append(entry.resolution).append("\n");
  if (!entry.related.empty()) text.append("  Related: ").append(entry.related).append("\n");
  return text;
}

json::object JsonOf(const CatalogueEntry& entry) {
  json::array related;
  for (std::string_view rest = entry.related; !rest.empty();) {
    const std::size_t space = rest.find(' ');
    related.push_back(json::value(rest.substr(0, space)));
    rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  }
  return {{"code", entry.code},
          {"class", entry.code.substr(0, entry.code.find('.'))},
          {"exit_code", ExitCodeOf(entry.code)},
          {"description", entry.description},
          {"resolution", entry.resolution},
          {"related", std::move(related)}};
}

// The code nearest to what was asked for; its last part alone will do.
std::string HintFor(const std::string& wanted) {
  std::vector<std::string> codes;
  for (const CatalogueEntry& entry : ErrorCatalogue()) {
    if (entry.code.ends_with("." + wanted)) return "did you mean " + std::string(entry.code) + "?";
    codes.emplace_back(entry.code);
  }
  const std::string nearest = NearestName(wanted, codes);
  return nearest.empty() ? "awf error lists all codes" : "did you mean " + nearest + "?";
}

}  // namespace

int ErrorCommand(const GlobalOptions& global, const std::string& code_or_prefix) {
  const std::string wanted = Upper(code_or_prefix);
  std::vector<const CatalogueEntry*> found;
  if (const CatalogueEntry* exact = FindErrorCode(wanted)) {
    found.push_back(exact);
  } else {
    for (const CatalogueEntry& entry : ErrorCatalogue()) {
      if (entry.code.starts_with(wanted)) found.push_back(&entry);
    }
  }
  if (found.empty()) {
    return ReportErrors({Error{"USER.INPUT.INVALID_FORMAT",
                               "there is no error code '" + code_or_prefix + "'",
                               HintFor(wanted),
                               {},
                               {},
                               {}}},
                        global);
  }
  std::string text, codes;
  json::array list;
  for (const CatalogueEntry* entry : found) {
    codes.append(entry->code).append("\n");
    text += (text.empty() ? "" : "\n") + TextOf(*entry);
    list.push_back(JsonOf(*entry));
  }
  if (global.format == OutputFormat::kJson) text = JsonLine(list);
  if (global.format == OutputFormat::kQuiet) text = codes;
  return PrintResult(text, global);
}

}  // namespace awf::cli

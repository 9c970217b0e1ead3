// Every error code that this build can raise, with what it means and what to do about it. `awf error` prints it.
#pragma once

#include <span>
#include <string_view>

namespace awf {

struct CatalogueEntry {
  std::string_view code;
  std::string_view description;
  std::string_view resolution;
  std::string_view related;  // space-separated codes; may be empty
};

// Sorted by class (USER, WORKFLOW, EXECUTION, SYSTEM), then by code.
std::span<const CatalogueEntry> ErrorCatalogue();
const CatalogueEntry* FindErrorCode(std::string_view code);

// 1 USER, 2 WORKFLOW, 3 EXECUTION, 4 SYSTEM and anything else.
int ExitCodeOf(std::string_view code);

}  // namespace awf

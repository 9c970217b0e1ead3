// Semantic checks of a workflow: what no single value shows.
//
// Targets, containment, reachability, cycles, templates, expressions and their references, providers and their options,
// files that it names, empty proxies, operations of plugins. Offline: no network; a program is started by the catalogue
// alone, where that is allowed to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "application/language/folders.h"
#include "application/language/scope.h"
#include "domain/config.h"
#include "domain/operation.h"
#include "domain/regex.h"
#include "domain/text_files.h"
#include "domain/workflow.h"

namespace awf {

// What the checks may ask of the surroundings. Pointers are not owned; a null one leaves its checks out.
struct ValidationContext {
  EnvironmentLookup environment = ProcessEnvironment;
  const RegexCompiler* regexes = nullptr;  // patterns of inputs and of `matches`
  TextFiles* files = nullptr;              // prompt_file, script_file: they exist, and their templates are right
  Folders folders;
  const std::map<std::string, ProviderConfig>* providers = nullptr;  // of the configuration
  OperationCatalogue* operations = nullptr;                          // of plugins, and of awf itself
};

// Appends to `findings`, in no order.
void ValidateWorkflow(const Workflow& workflow, const ValidationContext& context, std::vector<Finding>& findings);

}  // namespace awf

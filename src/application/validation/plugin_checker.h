// Checks what a workflow wants of plugins: that they exist, have the operations, that the operations can be tools with
// names of their own, and that steps of type operation give them the inputs that they declare.
//
// Asks the catalogue once per plugin. Used by one thread.
#pragma once

#include <expected>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "application/operations/exposed_names.h"
#include "application/validation/name_hints.h"
#include "domain/error.h"
#include "domain/operation.h"
#include "domain/workflow.h"

namespace awf {

class PluginChecker {
 public:
  // Both outlive the checker.
  PluginChecker(OperationCatalogue& catalogue, std::vector<Finding>& findings)
      : catalogue_(catalogue), findings_(findings) {}

  void Check(const State& state, const AgentState& agent);
  void Check(const State& state, const OperationState& operation);

 private:
  // Where a plugin or an operation is named.
  struct Place {
    const State& state;
    Position position;
    std::string field;
  };
  void Report(Severity severity, Error error, const Place& place);
  // The operations, or null, and why not has been told: an error at each place, that nothing is known once per plugin.
  const std::vector<Operation>* Operations(const std::string& plugin, const Place& place);
  // The operation, or null, and that there is none has been told.
  const Operation* Find(const std::string& plugin, const std::string& name, const std::vector<Operation>& operations,
                        const Place& place);
  // What a tool of it cannot tell or keep; once per operation.
  void WarnOfSchema(const std::string& plugin, const Operation& operation, const Place& place);
  void Exposed(const PluginToolsEntry& entry, const State& state, const std::string& field, ExposedNames& names);
  void Inputs(const State& state, const OperationState& step, const Operation& operation);

  OperationCatalogue& catalogue_;
  std::vector<Finding>& findings_;
  std::map<std::string, std::expected<KnownOperations, Error>> known_;
  std::set<std::string> told_unknown_;
  std::set<std::pair<std::string, std::string>> told_schemas_;  // plugin, operation
  NameHints hints_;
};

}  // namespace awf

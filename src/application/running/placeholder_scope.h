// A scope for --dry-run: what only a run can know stands in it as "<states.x.Output>", in the shape in which the
// workflow's templates ask for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "application/language/scope.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

class PlaceholderScope {
 public:
  // `base` holds what is known: inputs, awf, context, environment, files, and results of states (mocks). `texts` are
  // templates of files that the workflow names.
  PlaceholderScope(const Workflow& workflow, Scope base, const std::vector<std::string>& texts);

  // As the state with that name sees it.
  Scope For(const std::string& state) const;
  // The same in a loop whose first pass has these items; null: they are not known.
  Scope For(const std::string& state, const json::array* items) const;

 private:
  const Workflow& workflow_;
  Scope base_;
  json::object asked_;  // namespace → … → placeholder, for every reference of the workflow
};

// Adds to `asked` each reference to states, captures, loop, error and workflow that the template makes.
void CollectReferences(std::string_view text, json::object& asked);

}  // namespace awf

// Test support: contexts of states as a run tells them.
#pragma once

#include <string>

#include "domain/run_observer.h"

namespace awf::cli {

// The state at that path; its span is named after the path, and so is its holder's.
inline StepContext StepAt(const std::string& path, StepKind kind = StepKind::kCommand, const std::string& holder = {}) {
  StepContext step;
  step.run_id = "r";
  step.step = path.substr(path.rfind('/') + 1);
  step.kind = kind;
  step.trace_id = "t";
  step.span_id = path;
  step.parent_span_id = holder;
  step.path = path;
  return step;
}

}  // namespace awf::cli

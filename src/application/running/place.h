// Place: where a state is entered: at the top of the workflow, in a loop's body or as a branch, and what bounds it
// there. A cheap copy, made anew for each state.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "domain/json.h"
#include "domain/run_observer.h"
#include "domain/time.h"

namespace awf {

enum class Flow {
  kTop,     // its onward keys count
  kBody,    // they count, and without one the next body state follows
  kBranch,  // they do nothing
  kAlone,   // RunRequest::only_state: they do nothing
};

struct Place {
  Flow flow = Flow::kTop;
  std::string within;     // what its path begins with: "", "fix_all:2/", "checks/"
  std::string following;  // kBody: what follows in the order of the list; after the last the loop's own name
  SpanId parent_span_id;  // of the loop or parallel state around it
  std::optional<int> loop_index;
  std::string branch;
  std::shared_ptr<const json::object> loop;  // the `loop` namespace; null outside loops
  int loop_depth = 0;                        // loops around it
  Deadline deadline;                         // of what is around it; none: unlimited
  std::stop_token cancelled;
  std::function<std::string()> why_cancelled;  // when it was not the run; may be empty
  bool taken_up = false;                       // the run goes on here: progress of the run before counts
};

}  // namespace awf

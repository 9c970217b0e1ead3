// RunState: how far a run has come: what every state yielded, where the run stands, in which pass of which loop, which
// branches are done. Grows by records; the same records, replayed, give the same state, which is how a run is resumed.
//
// A record is one JSON object, made by the functions below and nowhere else. They go to RunJournal in the order in
// which they happened. Plain data with a few rules; not thread-safe.
//
// What a run that is taken up repeats: the state that was running or has stopped the run, from scratch; of a loop the
// body state that was running in the pass that was running; of a parallel state the branches that had not succeeded.
// Progress of loops and parallel states outlives their failure for that reason, until another state is entered in their
// place, and counts only where a run is taken up: a loop that is entered again begins anew.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "application/language/scope.h"
#include "domain/agent.h"
#include "domain/error.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

// A loop that has begun and not succeeded, by the path of its state ("fix_all", "outer:3/inner").
struct LoopProgress {
  json::array items;     // as evaluated when the loop began
  std::size_t pass = 0;  // the one that is running
  // The body state that runs or comes next in the pass; empty: the first. The loop's own name: the pass is over. A name
  // that is not in the body: the loop is left for it.
  std::string cursor;
  std::string last;     // the body state that ended last in the pass; empty: none has
  json::array results;  // of the passes that ended
  bool over = false;    // no pass follows
};

// A parallel state that has begun and not succeeded: the branches that have.
struct ParallelProgress {
  std::vector<std::string> succeeded;
};

struct RunState {
  json::object inputs;             // resolved, unmasked
  StateResults results;            // last result of each state
  std::vector<std::string> order;  // names of the states that have results, as they first ended
  std::map<std::string, std::shared_ptr<const AgentSession>> sessions;  // of the agent steps whose last end left one
  json::object captures;
  int entered = 0;  // top-level states entered since the run was started or taken up, for the step limit
  // The top-level state that runs or comes next; after a state that stopped the run, that state; after a terminal state
  // that failed, the last one that worked; after one that succeeded, the terminal state itself, since nothing is left
  // to repeat. Empty: the initial one.
  std::string cursor;
  std::vector<std::string> trail;  // working top-level states, as they were entered; the last is the newest
  std::map<std::string, LoopProgress> loops;
  std::map<std::string, ParallelProgress> parallels;
  std::map<std::string, bool> open;  // paths of the states that were entered and have not ended → do they work
  bool begun = false;

  // Errors are phrases for a message: a record that does not belong here. Then the state is as it was.
  std::expected<void, std::string> Apply(const json::object& record);

  // Drops the progress of the loop or parallel state at `path` and of all beneath it.
  void ForgetProgress(std::string_view path);
};

// The first record of a run.
json::object BegunRecord(const json::object& inputs);
// The run goes on from `prepared`, as PrepareResume gave it; what was running is running no longer.
json::object ResumedRecord(const RunState& prepared);
// A state of any depth was entered: `path` as StepContext::path. Terminal states do no work.
json::object EnteredRecord(const std::string& path, const std::string& state, bool works = true);
// An attempt of a loop or a parallel state begins; not written where one is taken up.
json::object LoopBegunRecord(const std::string& path, const json::array& items);
json::object ParallelBegunRecord(const std::string& path);
// `last`: no pass follows.
json::object PassEndedRecord(const std::string& path, std::size_t pass, const json::value& result, bool last);
// A state of any depth has ended. `next` is what follows in the flow that it belongs to (top level or loop body; the
// loop's own name: its next pass), or empty when the flow stops here; branches have none. `captures` are those that it
// set. A branch that was cancelled before it was entered has this record only. `session`: of an agent step that can be
// gone on with; may be null.
json::object EndedRecord(const std::string& path, const std::string& state, const json::object& fields,
                         const json::object& captures, const std::string& next, const AgentSession* session = nullptr);

// Makes the state of an interrupted run one to go on from. `from`: "current" (or empty): where it stands, loops and
// parallel states with their progress; "previous": the top-level state before that one; the name of a top-level state,
// which must have been entered before or be reachable: that one. The latter two start from scratch.
// USER.INPUT.INVALID_FORMAT: there is no such state; USER.RUN.NOT_RESUMABLE: the workflow no longer has a state that
// the run stands in.
std::expected<RunState, Error> PrepareResume(RunState state, const Workflow& workflow, const std::string& from);

}  // namespace awf

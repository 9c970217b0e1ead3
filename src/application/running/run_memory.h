// RunMemory: what a run knows of itself while it runs: the results and captures so far, and its progress. Everything
// that happens to it is a record, which is in the journal before it is in the memory.
//
// Thread-safe: branches read and record at the same time. Values are snapshots: whoever renders sees one consistent
// picture and holds no lock. A journal that fails ends the run: `halt` is asked to stop, and every later record fails
// with the same error.
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "application/language/scope.h"
#include "application/running/run_state.h"
#include "domain/error.h"
#include "domain/json.h"
#include "domain/run_journal.h"

namespace awf {

class RunMemory {
 public:
  // `base` holds what does not change during the run. `journal` may be null; it is not owned.
  RunMemory(RunState state, Scope base, RunJournal* journal, std::stop_source halt);

  std::expected<void, Error> Record(const json::object& record);
  // Of the journal, or of a record that did not belong: the run must end with it.
  std::optional<Error> Failure() const;

  // The base with the results and captures so far.
  Scope Values() const;
  std::shared_ptr<const json::object> ResultOf(const std::string& state) const;  // null: it has none

  // What the last end of that agent step left to go on with; null: nothing.
  std::shared_ptr<const AgentSession> SessionOf(const std::string& state) const;

  int Entered() const;
  std::string Cursor() const;
  bool HasBegun(const std::string& path) const;  // progress of the loop or parallel state is there
  LoopProgress Loop(const std::string& path) const;
  std::vector<std::string> Succeeded(const std::string& parallel) const;

  // Name → fields of the states that have ended in this run or the one that it goes on from.
  std::vector<std::pair<std::string, json::object>> Results() const;

 private:
  Error Broken(Error error);

  const Scope base_;
  RunJournal* const journal_;
  std::stop_source halt_;
  std::mutex order_;          // held while a record goes to journal and memory: both have the same order
  mutable std::mutex mutex_;  // guards what follows; never held while the journal writes
  RunState state_;
  std::shared_ptr<const json::object> captures_;
  std::optional<Error> failure_;
};

}  // namespace awf

// RunJournal: what makes a run durable. One record after each state, on disk when Append returns, so that a run that
// was killed can be taken up where it stood. What the records hold is application/running/run_state.h's business.
#pragma once

#include <expected>

#include "domain/error.h"
#include "domain/json.h"

namespace awf {

class RunJournal {
 public:
  virtual ~RunJournal() = default;
  // Thread-safe. A failure (SYSTEM.IO.WRITE_FAILED) must end the run: it could not be resumed truthfully.
  virtual std::expected<void, Error> Append(const json::object& record) = 0;
};

}  // namespace awf

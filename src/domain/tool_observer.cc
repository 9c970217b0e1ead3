#include "domain/tool_observer.h"

namespace awf {

std::optional<CallOutcome> ParseCallOutcome(std::string_view text) {
  for (const CallOutcome outcome : {CallOutcome::kOk, CallOutcome::kError, CallOutcome::kTimeout,
                                    CallOutcome::kCancelled, CallOutcome::kDenied, CallOutcome::kLost}) {
    if (text == ToString(outcome)) return outcome;
  }
  return std::nullopt;
}

}  // namespace awf

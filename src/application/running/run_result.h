// What a run came to: its end, and what every state that ran has yielded last.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf {

struct RunResult {
  RunEnd end;
  // Name → result fields (Output, Stderr, ExitCode, Status, …) as templates see them, unmasked; in the order in which
  // the states first ran. Terminal states have none.
  std::vector<std::pair<std::string, json::object>> states;
};

}  // namespace awf

#include "infrastructure/workspace/watched_commands.h"

#include "domain/random_id.h"

namespace awf::workspace {

StepResult WatchedCommands::Run(const CommandRequest& request, RunObserver& observer) {
  const std::string who = RandomHex(8);
  activity_.FreeHandBegins(who, WallClock::now());
  StepResult result = inner_.Run(request, observer);
  activity_.FreeHandEnds(who);
  return result;
}

}  // namespace awf::workspace

// Conversations: agent steps that go on with one another's session (conversation.continue_from). Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/workflow.h"

namespace awf {

// The name of the conversation that the step belongs to, the same for all its steps: that of the step that begins it,
// or, where steps go on from each other in a circle, of the first of the circle in the file. Empty when no other step,
// and no other pass, goes on with what this one leaves behind, and it goes on with none itself.
std::string ConversationOf(const Workflow& workflow, const State& state);
// The same of all states, in their order, at once.
std::vector<std::string> ConversationsOf(const Workflow& workflow);

// Whether a session stays what it was when a step goes on with it, so that several may, each from where it ended.
// Others keep one session, to which each step adds.
bool LeavesSessionsAsTheyAre(std::string_view provider);

}  // namespace awf

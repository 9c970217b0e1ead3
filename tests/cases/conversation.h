// What a case says to the server: one call, several, or scripted steps.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "case_file.h"
#include "session.h"

namespace awf::cases {

struct Conversation {
  std::vector<Answer> judged;         // the answers that the checks are about
  bool together = false;              // texts of all judged answers count as one (parallel)
  std::chrono::milliseconds time{0};  // longest call; parallel and steps: all of it
  std::vector<std::string> problems;  // a wait that was in vain, a line that could not be sent
};

// The handshake with 2025-06-18. False when it fails.
bool Handshake(Session& session);

Conversation Converse(const Case& test, const Folders& folders, Session& session);

// Sends a request with an id of the runner's own and waits for the answer; null when none came.
const Answer* Ask(Session& session, const std::string& id, const std::string& method, const std::string& params = "{}");

}  // namespace awf::cases

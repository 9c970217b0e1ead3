// What the scripted model of `awf demo` says: it searches, runs the test, reads, edits, and runs the test again.
#pragma once

#include <vector>

#include "infrastructure/model_server/scripted_model.h"

namespace awf::cli {

std::vector<model_server::ScriptedTurn> DemoScript();

}  // namespace awf::cli

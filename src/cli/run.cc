// awf run FILE.
#include "cli/commands.h"
#include "cli/run_session.h"

namespace awf::cli {

int RunCommand(const RunOptions& options) { return EndOf(ExecuteRun(options, nullptr)); }

}  // namespace awf::cli

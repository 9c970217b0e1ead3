// awf schema: the JSON Schema (draft 7) of the workflow language on stdout, for editors.
#include "cli/commands.h"
#include "cli/print_result.h"
#include "cli/schema_files.h"

namespace awf::cli {

int SchemaCommand(const GlobalOptions& global) { return PrintResult(kSchemaFiles[0].contents, global); }

}  // namespace awf::cli

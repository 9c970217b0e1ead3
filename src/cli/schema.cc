// awf schema: the JSON Schema (draft 7) of the workflow language on stdout, for editors.
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/schema_files.h"

namespace awf::cli {

int SchemaCommand(const GlobalOptions& global) {
  Console console(ConsoleOptions::Detect(global.no_color));
  console.Out(kSchemaFiles[0].contents);
  return 0;
}

}  // namespace awf::cli

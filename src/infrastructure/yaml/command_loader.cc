#include "infrastructure/yaml/body_loaders.h"

namespace awf {

CommandState LoadCommand(StateReader& reader) {
  CommandState command;
  // A step that names an operation of a plugin lacks no command; that it is not supported has been told.
  if (reader.Find("operation") != nullptr && reader.Find("command") == nullptr &&
      reader.Find("script_file") == nullptr) {
    reader.LoseFlow();
    return command;
  }
  reader.OneOf("command", command.command, "script_file", command.script_file);
  return command;
}

}  // namespace awf

#include "infrastructure/yaml/body_loaders.h"

namespace awf {

CommandState LoadCommand(StateReader& reader) {
  CommandState command;
  reader.OneOf("command", command.command, "script_file", command.script_file);
  return command;
}

}  // namespace awf

#include "infrastructure/builtins/write.h"

#include <utility>

#include "infrastructure/builtins/atomic_save.h"
#include "infrastructure/builtins/file_outcome.h"
#include "infrastructure/builtins/locked_target.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/tool_schema.h"

namespace awf::builtins {

WriteTool::WriteTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings,
                     std::shared_ptr<FileLocks> locks)
    : confinement_(std::move(confinement)), budget_(settings.budget), locks_(std::move(locks)) {}

ToolDefinition WriteTool::Definition() const {
  ToolDefinition definition;
  definition.name = "Write";
  definition.description =
      "Writes a file: exactly the bytes of content, nothing added, no line ends changed. Makes missing folders; "
      "replaces "
      "an existing file as a whole and keeps its mode. To change a part of a file use Edit. A relative path starts at "
      "the working directory; ~ and variables are not expanded.";
  definition.input_schema =
      ObjectSchema({{"path", "string", "File to write, relative to the working directory or absolute", true},
                    {"content", "string", "The whole new contents", true}});
  definition.annotations = {.read_only = false, .destructive = true, .idempotent = true, .open_world = false};
  definition.rules.aliases = PathAliases();
  definition.rules.ignored = IgnoredArguments();
  return definition;
}

ToolResult WriteTool::Call(const ToolCall& call) const {
  const std::string_view path = StringArgument(call.arguments, "path");
  const std::string_view content = StringArgument(call.arguments, "content");
  const auto locked = LockTarget(*confinement_, *locks_, path, true);
  if (!locked) return FileFailure(path, locked.error(), budget_);
  const WriteTarget& target = locked->target;
  const auto written = SaveFile(target, content);
  if (!written) return FileFailure(path, {ErrnoSentence(target.shown, written.error())}, budget_);
  ToolResult result = FileSuccess(target.shown,
                                  "Wrote " + Counted(content.size(), "byte", "bytes") + " to " + target.shown +
                                      (target.exists ? " (updated)." : " (created)."),
                                  budget_);
  result.fields.written = *written;
  return result;
}

}  // namespace awf::builtins

#include "infrastructure/builtins/edit.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <expected>
#include <string>
#include <utility>

#include "infrastructure/builtins/atomic_save.h"
#include "infrastructure/builtins/edit_text.h"
#include "infrastructure/builtins/file_outcome.h"
#include "infrastructure/builtins/locked_target.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/tool_schema.h"

namespace awf::builtins {
namespace {

struct Saved {
  std::string text;  // of success
  WrittenFile file;
};
using Outcome = std::expected<Saved, PathFault>;

std::unexpected<PathFault> Refuse(std::string text) { return std::unexpected(PathFault{std::move(text)}); }

// All bytes, or errno; EFBIG beyond the limit.
std::expected<std::string, int> ReadAll(const WriteTarget& target) {
  const Fd fd(
      ::openat(target.parent.get(), target.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd) return std::unexpected(errno);
  std::string bytes(static_cast<std::size_t>(target.status.st_size) + 1, '\0');  // + 1: a full read is not the end
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(bytes.size() * 2);
    const ssize_t got = ::read(fd.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > kEditLimit) return std::unexpected(EFBIG);
  }
  bytes.resize(filled);
  return bytes;
}

std::string TooLarge(const WriteTarget& target) {
  return target.shown + " has " + std::to_string(target.status.st_size) + " bytes; Edit works on files up to " +
         std::to_string(kEditLimit) + " bytes. Use Bash, for example sed.";
}

Outcome Save(const WriteTarget& target, std::string_view bytes, std::string text) {
  const auto written = SaveFile(target, bytes);
  if (!written) return Refuse(ErrnoSentence(target.shown, written.error()));
  return Saved{std::move(text), *written};
}

Outcome Create(const WriteTarget& target, std::string_view bytes) {
  return Save(target, bytes, "Edited " + target.shown + ": created (" + Counted(bytes.size(), "byte", "bytes") + ").");
}

Outcome EditFile(const WriteTarget& target, const EditRequest& request, const ToolCall& call,
                 const RegexCompiler& compiler) {
  if (target.status.st_size > static_cast<off_t>(kEditLimit)) return Refuse(TooLarge(target));
  const auto bytes = ReadAll(target);
  if (!bytes) return Refuse(bytes.error() == EFBIG ? TooLarge(target) : ErrnoSentence(target.shown, bytes.error()));
  if (request.old_string.empty()) {
    if (bytes->empty()) return Create(target, request.new_string);
    return Refuse("old_string is empty. Use Write to replace a whole file.");
  }
  const auto edited = EditText(*bytes, request, target.shown, compiler);
  if (!edited) return Refuse(edited.error());
  if (call.cancelled.stop_requested()) return Refuse("The call was cancelled. No change made.");
  return Save(target, edited->bytes, "Edited " + target.shown + ": " + edited->summary + ".");
}

}  // namespace

EditTool::EditTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings,
                   std::shared_ptr<FileLocks> locks, std::shared_ptr<const RegexCompiler> regex)
    : confinement_(std::move(confinement)),
      budget_(settings.budget),
      locks_(std::move(locks)),
      regex_(std::move(regex)) {}

ToolDefinition EditTool::Definition() const {
  ToolDefinition definition;
  definition.name = "Edit";
  definition.description =
      "Replaces old_string by new_string in a text file. old_string must be in the file exactly, white space and "
      "indentation included, without the line numbers that Read shows, and exactly once unless replace_all is true: "
      "add "
      "surrounding lines to make it unique. new_string is inserted as it is. Line ends, encoding and everything else "
      "in "
      "the file stay. With regex true, old_string is a regular expression (RE2 syntax; ^ and $ match at line borders) "
      "and \\1 to \\9 in new_string stand for its groups. An empty old_string creates a file that is missing or empty. "
      "To replace a whole file use Write.";
  definition.input_schema =
      ObjectSchema({{"path", "string", "File to edit, relative to the working directory or absolute", true},
                    {"old_string", "string", "The text to replace, exactly as in the file", true},
                    {"new_string", "string", "The text to put in its place", true},
                    {"replace_all", "boolean", "Replace every occurrence (default false)"},
                    {"regex", "boolean", "old_string is a regular expression (default false)"}});
  definition.annotations = {.read_only = false, .destructive = true, .idempotent = false, .open_world = false};
  definition.rules.aliases = PathAliases();
  for (const char* name : {"old", "oldString", "old_str", "oldText"})
    definition.rules.aliases.push_back({name, "old_string"});
  for (const char* name : {"new", "newString", "new_str", "newText"})
    definition.rules.aliases.push_back({name, "new_string"});
  for (const char* name : {"replaceAll", "allow_multiple"}) definition.rules.aliases.push_back({name, "replace_all"});
  definition.rules.ignored = IgnoredArguments();
  return definition;
}

ToolResult EditTool::Call(const ToolCall& call) const {
  const std::string_view path = StringArgument(call.arguments, "path");
  const EditRequest request{StringArgument(call.arguments, "old_string"), StringArgument(call.arguments, "new_string"),
                            BooleanArgument(call.arguments, "replace_all"), BooleanArgument(call.arguments, "regex")};
  if (request.old_string == request.new_string)
    return FileFailure(path, {"old_string and new_string are the same; nothing to change."}, budget_);

  const auto locked = LockTarget(*confinement_, *locks_, path, request.old_string.empty());
  if (!locked) return FileFailure(path, locked.error(), budget_);
  const WriteTarget& target = locked->target;
  if (!target.exists && !request.old_string.empty())
    return FileFailure(path, confinement_->NotFound(path, "File"), budget_);
  const Outcome outcome = target.exists ? EditFile(target, request, call, *regex_) : Create(target, request.new_string);
  if (!outcome) return FileFailure(path, outcome.error(), budget_);
  ToolResult result = FileSuccess(target.shown, outcome->text, budget_);
  result.fields.written = outcome->file;
  return result;
}

}  // namespace awf::builtins

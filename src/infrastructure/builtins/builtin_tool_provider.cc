#include "infrastructure/builtins/builtin_tool_provider.h"

#include <string>
#include <utility>

namespace awf::builtins {
namespace {

// The caller owns the compiler.
std::shared_ptr<const RegexCompiler> Borrowed(const RegexCompiler& compiler) {
  return {std::shared_ptr<const RegexCompiler>(), &compiler};
}

}  // namespace

BuiltinToolProvider::BuiltinToolProvider(const ToolSettings& settings, std::shared_ptr<CommandChild> child,
                                         const RegexCompiler& compiler)
    : BuiltinToolProvider(settings, std::move(child), compiler, std::make_shared<const Confinement>(settings),
                          std::make_shared<FileLocks>()) {}

BuiltinToolProvider::BuiltinToolProvider(const ToolSettings& settings, std::shared_ptr<CommandChild> child,
                                         const RegexCompiler& compiler,
                                         const std::shared_ptr<const Confinement>& confinement,
                                         const std::shared_ptr<FileLocks>& locks)
    : read_(confinement, settings),
      write_(confinement, settings, locks),
      edit_(confinement, settings, locks, Borrowed(compiler)),
      bash_(settings, std::move(child)),
      glob_(confinement, settings),
      grep_(confinement, settings, compiler) {}

std::vector<ToolDefinition> BuiltinToolProvider::Tools() const {
  return {read_.Definition(), write_.Definition(), edit_.Definition(),
          bash_.Definition(), glob_.Definition(),  grep_.Definition()};
}

ToolResult BuiltinToolProvider::Call(const ToolCall& call) {
  if (call.tool == "Read") return read_.Call(call);
  if (call.tool == "Write") return write_.Call(call);
  if (call.tool == "Edit") return edit_.Call(call);
  if (call.tool == "Bash") return bash_.Call(call);
  if (call.tool == "Glob") return glob_.Call(call);
  if (call.tool == "Grep") return grep_.Call(call);
  return ToolResult::Failure("Unknown tool " + std::string(call.tool) + ".");
}

}  // namespace awf::builtins

// awf mcp serve [--root DIR] [--sandbox MODE] [--log FILE]: the tools for any MCP client, without a
// workflow.
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "cli/commands.h"
#include "cli/run_setup.h"
#include "cli/server_process.h"
#include "domain/error_catalogue.h"
#include "domain/json.h"
#include "domain/masker.h"
#include "domain/run_observer.h"
#include "domain/timestamp.h"
#include "infrastructure/mcp/call_log.h"
#include "infrastructure/mcp/serve_config.h"

namespace awf::cli {
namespace {

// How the server was asked to work, in full.
struct PublicServe {
  ToolSettings tools;
  std::optional<std::filesystem::path> log;
  LogLevel log_level = LogLevel::kInfo;
};

// Once stdout belongs to the protocol.
int Complain(const Error& error) {
  Masker masker;
  masker.AddEnvironment(environ);
  mcp::LogToStderr("awf mcp serve: " + masker.MaskText(error.message));
  return ExitCodeOf(error.code);
}

std::unexpected<Error> Malformed(std::string message, std::string hint = "see awf mcp serve --help") {
  return Fail("USER.INPUT.INVALID_FORMAT", std::move(message), std::move(hint));
}

// Of all runs of this user: the file tools keep out of it.
std::filesystem::path RunsFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::filesystem::path(runtime) / "awf";
  return "/var/tmp/awf-" + std::to_string(::geteuid());
}

std::expected<std::filesystem::path, Error> RootFolder(const std::string& given) {
  std::error_code fault;
  std::filesystem::path current = std::filesystem::current_path(fault);
  if (fault) return Malformed("the working directory is gone: " + fault.message(), "start awf in a folder that exists");
  if (given.empty()) return current;
  std::filesystem::path root = current / given;
  if (!std::filesystem::is_directory(root, fault))
    return Malformed("--root " + given + ": " + (fault ? fault.message() : "not a directory"));
  return root;
}

// What is nearer wins: --log-level, -q (of stderr only), the environment.
std::expected<LogLevel, Error> LeastLevel(const McpServeOptions& options) {
  if (const auto level = ParseLogLevel(options.log_level)) return *level;
  if (options.global.quiet && options.log.empty()) return LogLevel::kWarn;
  const auto variable = NonEmptyVariable("AWF_LOG_LEVEL");
  if (!variable) return LogLevel::kInfo;
  if (const auto level = ParseLogLevel(*variable)) return *level;
  return Malformed("AWF_LOG_LEVEL is '" + *variable + "'", "use debug, info, warn or error");
}

// A flag of all commands that would have no effect is refused: who writes it expects one.
std::expected<void, Error> WithoutEffect(const McpServeOptions& options) {
  if (!options.global.config_file.empty())
    return Malformed("--config has no effect on mcp serve, which reads no configuration", "leave --config out");
  if (!options.global.storage.empty())
    return Malformed("--storage has no effect on mcp serve, which keeps no records of runs",
                     "leave --storage out; --log FILE keeps the calls");
  if (options.log_format == "text")
    return Malformed("--log-format text is not possible: the lines of mcp serve are JSON", "leave --log-format out");
  return {};
}

std::expected<PublicServe, Error> Understand(const McpServeOptions& options) {
  if (auto possible = WithoutEffect(options); !possible) return std::unexpected(std::move(possible).error());
  PublicServe serve;
  auto root = RootFolder(options.root);
  if (!root) return std::unexpected(std::move(root).error());
  serve.tools.root = std::move(*root);
  if (!options.sandbox.empty()) {
    const auto mode = ParseSandboxMode(options.sandbox);
    if (!mode) return Malformed("--sandbox: there is no mode '" + options.sandbox + "'");
    serve.tools.sandbox.mode = *mode;
    serve.tools.sandbox.explicit_mode = true;
  }
  const auto level = LeastLevel(options);
  if (!level) return std::unexpected(level.error());
  serve.log_level = *level;
  if (!options.log.empty()) serve.log = options.log;
  serve.tools.private_folder = RunsFolder();
  for (char** variable = environ; *variable != nullptr; ++variable) serve.tools.environment.emplace_back(*variable);
  return serve;
}

void SayThatTheSandboxIsWeak(LogLevel least) {
  if (least > LogLevel::kWarn) return;
  mcp::LogToStderr(json::serialize(json::object{{"level", "warn"},
                                                {"message", "sandbox degraded"},
                                                {"missing", "landlock"},
                                                {"timestamp", UtcMilliseconds(WallClock::now())}}));
}

std::expected<CallLog, Error> OpenLog(const PublicServe& serve) {
  Masker masker;
  masker.AddEnvironment(environ);
  if (serve.log) return CallLog::ToFile(std::move(masker), *serve.log, serve.log_level);
  return CallLog::ToStderr(std::move(masker), serve.log_level);
}

int ServeAnyone(const PublicServe& serve, CallLog& log) {
  const auto process = ServerProcess::Begin();
  if (!process) return Complain(process.error());
  if (!serve.tools.sandbox.explicit_mode) SayThatTheSandboxIsWeak(serve.log_level);
  if (auto started = (*process)->StartCommandChild(serve.tools); !started) return Complain(started.error());
  const auto end = (*process)->Serve({serve.tools, true, {}, log, -1});
  if (!end) return Complain(end.error());
  (*process)->EndCommands();
  return 0;
}

}  // namespace

int McpPublicServeCommand(const McpServeOptions& options) {
  const auto serve = Understand(options);
  if (!serve) return ReportErrors({serve.error()}, options.global);
  auto log = OpenLog(*serve);
  if (!log) return ReportErrors({log.error()}, options.global);
  return ServeAnyone(*serve, *log);
}

}  // namespace awf::cli

// awf mcp serve [--root DIR] [--sandbox MODE] [--log FILE] [--log-level LEVEL]: the tools for any MCP client, without a
// workflow.
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>

#include "cli/commands.h"
#include "cli/server_process.h"
#include "cli/short_options.h"
#include "domain/json.h"
#include "domain/masker.h"
#include "domain/run_observer.h"
#include "domain/timestamp.h"
#include "infrastructure/mcp/call_log.h"
#include "infrastructure/mcp/serve_config.h"

namespace awf::cli {
namespace {

constexpr int kBadArguments = 1;

constexpr std::string_view kHelp =
    R"(awf mcp serve [--root DIR] [--sandbox MODE] [--log FILE] [--log-level LEVEL]

Serves awf's tools (Read, Write, Edit, Bash, Glob, Grep) over MCP on stdin and stdout, for any MCP client:

    {"mcpServers": {"awf": {"command": "awf", "args": ["mcp", "serve", "--root", "/path/to/project"]}}}

  --root DIR      where relative paths start and commands run (default: the working directory)
  --sandbox MODE  workspace-write  read anywhere; write in the git work tree around DIR, temp and cache folders (default)
                  read-only        read anywhere, write nothing
                  strict           read and write in the workspace, temp and cache folders only
                  off              no restriction
                  A MODE that is written here must hold: as long as commands cannot be confined, Bash refuses to run
                  under any but off. Without --sandbox the file tools keep to workspace-write and commands are free.
  --log FILE      one JSON line per call is appended to FILE (default: stderr)
  --log-level LEVEL  least level of these lines: debug, info (default), warn (no calls that went well), error
                  (nor those that were cancelled or refused); AWF_LOG_LEVEL works too

Ends with exit code 0 when the client closes stdin, and on SIGTERM, SIGINT or SIGHUP; 1 means bad arguments.
)";

// How the server was asked to work, in full.
struct PublicServe {
  ToolSettings tools;
  std::optional<std::filesystem::path> log;
  LogLevel log_level = LogLevel::kInfo;
};

int Complain(const std::string& what) {
  Masker masker;
  masker.AddEnvironment(environ);
  mcp::LogToStderr("awf mcp serve: " + masker.MaskText(what));
  return kBadArguments;
}

// Of all runs of this user: the file tools keep out of it.
std::filesystem::path RunsFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') return std::filesystem::path(runtime) / "awf";
  return "/var/tmp/awf-" + std::to_string(::geteuid());
}

std::expected<std::filesystem::path, std::string> RootFolder(const ShortOptions& options) {
  std::error_code fault;
  const auto given = options.find("root");
  std::filesystem::path current = std::filesystem::current_path(fault);
  if (fault) return std::unexpected("the working directory is gone: " + fault.message());
  if (given == options.end()) return current;
  std::filesystem::path root = current / given->second;
  if (!std::filesystem::is_directory(root, fault)) {
    return std::unexpected("--root " + given->second + ": " + (fault ? fault.message() : "not a directory"));
  }
  return root;
}

std::expected<LogLevel, std::string> LeastLevel(const ShortOptions& options) {
  const auto flag = options.find("log-level");
  const char* variable = std::getenv("AWF_LOG_LEVEL");
  const std::string given = flag != options.end() ? flag->second : variable != nullptr ? variable : "";
  if (given.empty() && flag == options.end()) return LogLevel::kInfo;
  const auto level = ParseLogLevel(given);
  if (level) return *level;
  const std::string name = flag != options.end() ? "--log-level" : "AWF_LOG_LEVEL";
  return std::unexpected(name + " must be debug, info, warn or error, not " + given);
}

std::expected<PublicServe, std::string> Understand(const ShortOptions& options) {
  PublicServe serve;
  auto root = RootFolder(options);
  if (!root) return std::unexpected(std::move(root).error());
  serve.tools.root = std::move(*root);
  if (const auto mode = options.find("sandbox"); mode != options.end()) {
    const auto parsed = ParseSandboxMode(mode->second);
    if (!parsed) {
      return std::unexpected("--sandbox must be workspace-write, read-only, strict or off, not " + mode->second);
    }
    serve.tools.sandbox.mode = *parsed;
    serve.tools.sandbox.explicit_mode = true;
  }
  const auto level = LeastLevel(options);
  if (!level) return std::unexpected(level.error());
  serve.log_level = *level;
  if (const auto log = options.find("log"); log != options.end()) serve.log = log->second;
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

int ServeAnyone(const PublicServe& serve) {
  const auto process = ServerProcess::Begin();
  if (!process) return Complain(process.error().message);
  auto log = OpenLog(serve);
  if (!log) return Complain(log.error().message);
  if (!serve.tools.sandbox.explicit_mode) SayThatTheSandboxIsWeak(serve.log_level);
  if (auto started = (*process)->StartCommandChild(serve.tools); !started) return Complain(started.error().message);
  const auto end = (*process)->Serve({serve.tools, true, {}, *log, -1});
  if (!end) return Complain(end.error().message);
  (*process)->EndCommands();
  return 0;
}

}  // namespace

int McpPublicServeCommand(const std::vector<std::string>& arguments) {
  const auto options = ParseShortOptions(arguments, {"root", "sandbox", "log", "log-level"});
  if (!options) return Complain(options.error() + ". See --help.");
  if (options->contains("help")) {
    std::cout << kHelp;
    return 0;
  }
  const auto serve = Understand(*options);
  if (!serve) return Complain(serve.error());
  return ServeAnyone(*serve);
}

}  // namespace awf::cli

#include "infrastructure/builtins/bash.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "infrastructure/builtins/tool_schema.h"
#include "infrastructure/process/environment.h"
#include "infrastructure/process/exit_text.h"
#include "infrastructure/process/shell_command.h"

namespace awf::builtins {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::int64_t kDefaultTimeout = 120'000;
constexpr std::size_t kOwnLines = 12;  // kept free for what is said of the output
constexpr std::string_view kBlanks = " \t\r\n\v\f";
constexpr std::string_view kLost =
    "The process that runs commands was killed; the result of this call is lost. The next call gets a new one.";

bool IsExecutable(const fs::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(file.c_str(), X_OK) == 0;
}

// bash on the PATH of the commands, else where it usually is, else sh.
std::string FindShell(const std::vector<std::string>& environment) {
  std::string_view path = process::FindVariable(environment, "PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  while (!path.empty()) {
    const std::size_t colon = std::min(path.find(':'), path.size());
    const fs::path folder = path.substr(0, colon);
    if (folder.is_absolute() && IsExecutable(folder / "bash")) return folder / "bash";
    path.remove_prefix(std::min(colon + 1, path.size()));
  }
  for (const char* usual : {"/bin/bash", "/usr/bin/bash"})
    if (IsExecutable(usual)) return usual;
  return "/bin/sh";
}

// With its parents, for this user alone. What cannot be made shows when a program wants it.
void MakePrivateFolder(const fs::path& folder) {
  fs::path made;
  for (const fs::path& part : folder) {
    made /= part;
    ::mkdir(made.c_str(), S_IRWXU);
  }
}

std::size_t Scaled(std::size_t figure, std::size_t budget, std::size_t standard) {
  return budget >= standard ? figure : figure * budget / standard;
}

void AppendPart(std::string& text, std::string_view part) {
  if (part.empty()) return;
  if (!text.empty()) text += '\n';
  text += part;
}

std::string Milliseconds(milliseconds time) { return std::to_string(time.count()) + " ms"; }

// As the log has it: "timeout after 120 s".
std::string LogTimeout(milliseconds time) {
  constexpr std::int64_t kSecond = 1000;
  const bool whole = time.count() % kSecond == 0;
  return "timeout after " + (whole ? std::to_string(time.count() / kSecond) + " s" : Milliseconds(time));
}

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

BashTool::BashTool(const ToolSettings& settings, std::shared_ptr<CommandChild> child)
    : settings_(settings),
      environment_(MakeCommandEnvironment(settings)),
      shell_(FindShell(environment_.variables)),
      child_(std::move(child)) {}

ToolDefinition BashTool::Definition() const {
  ToolDefinition definition;
  definition.name = "Bash";
  definition.description =
      "Runs a command with bash and returns its stdout, its stderr and its exit code if that is not 0. Every call is a "
      "new shell that starts in the working directory or in working_dir: cd, variables and functions do not carry over "
      "to the next call, files do. There is no terminal and stdin is empty, so commands that ask questions fail. A "
      "process started with & lives on until the step ends. Long output is cut in the middle. Use Read, Grep, Glob, "
      "Edit and Write rather than cat, grep, find and sed.";
  definition.input_schema =
      ObjectSchema({{"command", "string", "The command, as in a bash script; may have several lines", true},
                    {"working_dir", "string", "Folder to run it in; default: the working directory"},
                    {"timeout", "integer", "Milliseconds after which the command is ended; default 120000"},
                    {"description", "string", "What the command does, in a few words"}});
  definition.input_schema["properties"].as_object()["timeout"].as_object()["minimum"] = 1;
  definition.annotations = {.read_only = false, .destructive = true, .idempotent = false, .open_world = true};
  using Transform = ArgumentAlias::Transform;
  definition.rules.aliases = {{"cmd", "command"},         {"cwd", "working_dir"},
                              {"workdir", "working_dir"}, {"dir_path", "working_dir"},
                              {"timeout_ms", "timeout"},  {"timeout_seconds", "timeout", Transform::kSecondsToMs}};
  definition.rules.hidden = {{"run_in_background", {{"type", "boolean"}}}};
  definition.rules.ignored = IgnoredArguments();
  std::erase(definition.rules.ignored, "run_in_background");
  return definition;
}

void BashTool::MakeCacheFolder() const {
  const SandboxMode mode = settings_.sandbox.mode;
  if (mode != SandboxMode::kWorkspaceWrite && mode != SandboxMode::kStrict) return;
  const fs::path cache = process::FindVariable(environment_.variables, "XDG_CACHE_HOME").value_or("");
  if (cache.is_absolute()) MakePrivateFolder(cache);
}

ToolResult BashTool::Failure(const std::string& text) const {
  return MakeResult(text, Notes(), settings_.budget, true);
}

// Commands are not confined yet. The default may degrade, and the step says so; what was asked for must hold.
ToolResult BashTool::Refused() const {
  ToolResult result =
      Failure("Blocked by the sandbox (" + std::string(ToString(settings_.sandbox.mode)) +
              "): commands cannot be confined by this build. To allow it, set mcp_proxy.sandbox to off.");
  result.fields.denied = "sandbox";
  return result;
}

std::string BashTool::FaultOf(const json::object& arguments) const {
  if (BooleanArgument(arguments, "run_in_background")) {
    return "run_in_background is not supported; end the command with &, it lives until the step ends.";
  }
  const std::string_view command = StringArgument(arguments, "command");
  if (command.find_first_not_of(kBlanks) == std::string_view::npos) return "command is empty.";
  if (command.find('\0') != std::string_view::npos) return "command contains a NUL character.";
  return {};
}

std::expected<fs::path, std::string> BashTool::WorkingFolder(const json::object& arguments) const {
  struct stat status{};
  if (::stat(settings_.root.c_str(), &status) != 0) return std::unexpected("The workspace root no longer exists.");
  if (!arguments.contains("working_dir")) return settings_.root;
  const std::string_view given = StringArgument(arguments, "working_dir");
  if (given.empty()) return std::unexpected("working_dir is empty.");
  if (given.find('\0') != std::string_view::npos) return std::unexpected("working_dir contains a NUL character.");
  const std::string shown = ShownName(given);
  fs::path folder = settings_.root / given;
  if (::stat(folder.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::unexpected("working_dir not found: " + shown + ".");
    return std::unexpected("working_dir " + ErrnoSentence(shown, errno));
  }
  if (!S_ISDIR(status.st_mode)) return std::unexpected("working_dir is not a directory: " + shown + ".");
  return folder;
}

BashTool::TimeLimit BashTool::LimitOf(const ToolCall& call) const {
  const Deadline deadline = Earlier(call.deadline, settings_.deadline);
  const std::int64_t ceiling = deadline ? std::max(RemainingMs(deadline), 1) : settings_.max_timeout_ms;
  const std::int64_t wanted = IntegerArgument(call.arguments, "timeout", kDefaultTimeout);
  const bool asked = call.arguments.contains("timeout");
  if (wanted <= ceiling) return {milliseconds{wanted}, asked, {}};
  return {milliseconds{ceiling}, asked,
          "timeout " + std::to_string(wanted) + " ms was cut to " + std::to_string(ceiling) + " ms"};
}

// The figures hold for the standard budget; a smaller one scales them down.
OutputLimits BashTool::LimitsFor(bool is_error) const {
  const ResultBudget standard;
  const ResultBudget& budget = settings_.budget;
  const std::size_t lines = LinesLeft(budget, kOwnLines);
  if (is_error) {
    return {Scaled(kErrorOutputLimits.head, budget.error, standard.error),
            Scaled(kErrorOutputLimits.tail, budget.error, standard.error), lines};
  }
  const std::size_t smaller = std::min(budget.characters, budget.bytes);
  return {Scaled(kOutputLimits.head, smaller, standard.characters),
          Scaled(kOutputLimits.tail, smaller, standard.characters), lines};
}

ToolResult BashTool::Call(const ToolCall& call) const {
  const SandboxSettings& sandbox = settings_.sandbox;
  const bool asked_for = (sandbox.explicit_mode && sandbox.mode != SandboxMode::kOff) || !sandbox.network;
  if (asked_for) return Refused();
  if (const std::string fault = FaultOf(call.arguments); !fault.empty()) return Failure(fault);
  const auto folder = WorkingFolder(call.arguments);
  if (!folder) return Failure(folder.error());
  return Run(call, StringArgument(call.arguments, "command"), *folder, LimitOf(call));
}

ToolResult BashTool::Run(const ToolCall& call, std::string_view command, const fs::path& folder,
                         const TimeLimit& limit) const {
  auto shell = process::MakeShellCommand(shell_, command);
  if (!shell) return Failure(ErrnoSentence("The command could not be handed to the shell", shell.error()));
  std::call_once(cache_made_, [this] { MakeCacheFolder(); });
  process::SpawnRequest request;
  request.argv = std::move(shell->argv);
  request.environment = EnvironmentOfCall(environment_, settings_, call.id);
  request.working_dir = folder;
  request.stdin_fd = shell->script.get();
  request.new_session = true;

  OutputText out, err;
  const CommandEnd end =
      child_->Run(std::move(request), SteadyClock::now() + limit.value, call.cancelled,
                  [&](bool is_stderr, std::string_view bytes) { (is_stderr ? err : out).Take(bytes); });
  out.Finish();
  err.Finish();
  const bool is_error = end.kind != CommandEnd::Kind::kExited || end.status.exit_code != 0;
  return Answer(end, command, ShowOutput(out, err, LimitsFor(is_error)), limit);
}

ToolResult BashTool::Answer(const CommandEnd& end, std::string_view command, const ShownOutput& shown,
                            const TimeLimit& limit) const {
  using Kind = CommandEnd::Kind;
  if (end.kind == Kind::kNotStarted) {
    return Failure(
        ErrnoSentence("The command could not be started (" + end.failure.stage + ")", end.failure.error_number));
  }
  if (end.kind == Kind::kLost) {
    ToolResult result = Failure(std::string(kLost));
    result.fields.lost = true;
    return result;
  }

  std::string text = shown.out;
  if (!shown.err.empty()) AppendPart(text, "stderr:\n" + shown.err);
  std::string log_error;
  const int code = end.status.exit_code;
  if (end.kind == Kind::kTimedOut) {
    AppendPart(text, "timed out after " + Milliseconds(limit.value) + "; the command and its children were ended");
    log_error = LogTimeout(limit.value);
  } else if (end.kind == Kind::kCancelled) {
    AppendPart(text, "cancelled; the command and its children were ended");
    log_error = "cancelled by client";
  } else if (code != 0) {
    const int signal = end.status.signal;
    AppendPart(text,
               "exit_code: " + std::to_string(code) + (signal == 0 ? "" : " (" + process::SignalName(signal) + ")"));
    log_error = process::DescribeExit(end.status, shown.err, shown.out);
  }

  const bool is_error = !log_error.empty();
  const bool asked_for_time = end.kind == Kind::kTimedOut || limit.asked;
  Notes notes;
  if (!limit.cut_note.empty() && asked_for_time) notes.Add(limit.cut_note);
  const std::vector<std::string> missed = NamesMentioned(environment_.dropped, {command, shown.out, shown.err});
  if (is_error && !missed.empty()) {
    notes.Add("not passed to commands: " + Join(missed) + "; mcp_proxy.env.pass allows it");
  }

  ToolResult result = MakeResult(text, notes, settings_.budget, is_error);
  result.fields.truncated = result.fields.truncated || shown.cut;
  result.fields.timed_out = end.kind == Kind::kTimedOut;
  result.fields.log_error = std::move(log_error);
  result.fields.structured = {{"stdout", shown.out}, {"stderr", shown.err}};
  if (end.kind == Kind::kExited) {
    result.fields.exit_code = code;
    result.fields.structured["exit_code"] = code;
  }
  return result;
}

}  // namespace awf::builtins

#include "infrastructure/mcp/serve_config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "domain/exact_json.h"
#include "domain/json.h"
#include "domain/positioned_json.h"
#include "infrastructure/mcp/strict_reader.h"
#include "infrastructure/process/fd.h"

namespace awf {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::size_t kMaxFile = std::size_t{16} << 20;

json::array Texts(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

json::array Paths(const std::vector<std::filesystem::path>& paths) {
  json::array array;
  for (const auto& path : paths) array.emplace_back(path.string());
  return array;
}

json::value DeadlineValue(const Deadline& deadline) {
  if (!deadline) return nullptr;
  return std::chrono::floor<std::chrono::milliseconds>(deadline->time_since_epoch()).count();
}

json::object ToolsValue(const ToolSettings& tools) {
  return {{"root", tools.root.string()},
          {"sandbox",
           {{"mode", ToString(tools.sandbox.mode)},
            {"explicit", tools.sandbox.explicit_mode},
            {"write", Paths(tools.sandbox.write)},
            {"read", Paths(tools.sandbox.read)},
            {"network", tools.sandbox.network}}},
          {"budget",
           {{"characters", tools.budget.characters},
            {"bytes", tools.budget.bytes},
            {"error", tools.budget.error},
            {"lines", tools.budget.lines}}},
          {"env", {{"pass", Texts(tools.env.pass)}, {"drop", Texts(tools.env.drop)}}},
          {"secret_names", Texts(tools.secret_names)},
          {"environment", Texts(tools.environment)},
          {"private_folder", tools.private_folder.string()},
          {"max_timeout_ms", tools.max_timeout_ms},
          {"deadline_ms", DeadlineValue(tools.deadline)}};
}

constexpr std::pair<std::string_view, ArgumentAlias::Transform> kTransforms[] = {
    {"copy", ArgumentAlias::Transform::kCopy},
    {"negate", ArgumentAlias::Transform::kNegate},
    {"seconds_to_ms", ArgumentAlias::Transform::kSecondsToMs},
    {"end_to_count", ArgumentAlias::Transform::kEndToCount}};

std::string_view ToString(ArgumentAlias::Transform transform) {
  for (const auto& [name, value] : kTransforms) {
    if (value == transform) return name;
  }
  return kTransforms[0].first;
}

std::optional<ArgumentAlias::Transform> ParseTransform(std::string_view text) {
  for (const auto& [name, value] : kTransforms) {
    if (name == text) return value;
  }
  return std::nullopt;
}

json::object RulesValue(const ArgumentRules& rules) {
  json::array aliases;
  for (const ArgumentAlias& alias : rules.aliases) {
    aliases.push_back({{"name", alias.name}, {"canonical", alias.canonical}, {"transform", ToString(alias.transform)}});
  }
  return {{"aliases", std::move(aliases)},
          {"hidden", rules.hidden},
          {"ignored", Texts(rules.ignored)},
          {"checked", rules.checked}};
}

json::array ForwardedValue(const std::vector<ForwardedTool>& tools) {
  json::array array;
  for (const ForwardedTool& tool : tools) {
    array.push_back({{"name", tool.definition.name},
                     {"description", tool.definition.description},
                     {"input_schema", tool.definition.input_schema},
                     {"source", tool.definition.source},
                     {"rules", RulesValue(tool.definition.rules)},
                     {"plugin", tool.plugin},
                     {"operation", tool.operation}});
  }
  return array;
}

SandboxSettings ReadSandbox(StrictReader reader) {
  SandboxSettings sandbox;
  if (const auto mode = ParseSandboxMode(reader.Text("mode"))) {
    sandbox.mode = *mode;
  } else {
    reader.Wrong("mode", "workspace-write, read-only, strict or off");
  }
  sandbox.explicit_mode = reader.Bool("explicit");
  sandbox.write = reader.PathList("write");
  sandbox.read = reader.PathList("read");
  sandbox.network = reader.Bool("network");
  reader.RefuseOthers();
  return sandbox;
}

ResultBudget ReadBudget(StrictReader reader) {
  ResultBudget budget;
  budget.characters = static_cast<std::size_t>(reader.Number("characters"));
  budget.bytes = static_cast<std::size_t>(reader.Number("bytes"));
  budget.error = static_cast<std::size_t>(reader.Number("error"));
  budget.lines = static_cast<std::size_t>(reader.Number("lines"));
  reader.RefuseOthers();
  return budget;
}

EnvironmentPolicy ReadEnvironmentPolicy(StrictReader reader) {
  EnvironmentPolicy policy;
  policy.pass = reader.TextList("pass");
  policy.drop = reader.TextList("drop");
  reader.RefuseOthers();
  return policy;
}

ToolSettings ReadTools(StrictReader reader) {
  ToolSettings tools;
  tools.root = reader.Text("root");
  if (!tools.root.is_absolute()) reader.Wrong("root", "an absolute path");
  tools.sandbox = ReadSandbox(reader.Object("sandbox"));
  tools.budget = ReadBudget(reader.Object("budget"));
  tools.env = ReadEnvironmentPolicy(reader.Object("env"));
  tools.secret_names = reader.TextList("secret_names");
  tools.environment = reader.TextList("environment");
  tools.private_folder = reader.Text("private_folder");
  tools.max_timeout_ms = reader.Number("max_timeout_ms");
  tools.deadline = reader.Time("deadline_ms");
  reader.RefuseOthers();
  return tools;
}

void ReadTrace(StrictReader reader, ServeConfig& config) {
  config.tools.trace.trace_id = reader.Text("trace_id");
  config.tools.trace.sampled = reader.Bool("sampled");
  config.tools.trace.trace_state = reader.Text("trace_state");
  config.step_span_id = reader.Text("step_span_id");
  reader.RefuseOthers();
}

ArgumentRules ReadRules(StrictReader reader) {
  ArgumentRules rules;
  for (StrictReader& item : reader.Objects("aliases")) {
    ArgumentAlias alias{item.Text("name"), item.Text("canonical")};
    if (const auto transform = ParseTransform(item.Text("transform"))) {
      alias.transform = *transform;
    } else {
      item.Wrong("transform", "copy, negate, seconds_to_ms or end_to_count");
    }
    item.RefuseOthers();
    rules.aliases.push_back(std::move(alias));
  }
  rules.hidden = reader.AnyObject("hidden");
  rules.ignored = reader.TextList("ignored");
  rules.checked = reader.AnyObject("checked");
  reader.RefuseOthers();
  return rules;
}

std::vector<ForwardedTool> ReadForwarded(std::vector<StrictReader> items) {
  std::vector<ForwardedTool> tools;
  for (StrictReader& item : items) {
    ForwardedTool& tool = tools.emplace_back();
    tool.definition.name = item.Text("name");
    tool.definition.description = item.Text("description");
    tool.definition.input_schema = item.AnyObject("input_schema");
    tool.definition.source = item.Text("source");
    tool.definition.rules = ReadRules(item.Object("rules"));
    tool.plugin = item.Text("plugin");
    tool.operation = item.Text("operation");
    item.RefuseOthers();
  }
  return tools;
}

ServeConfig ReadConfig(StrictReader reader) {
  ServeConfig config;
  if (reader.Number("version") != kVersion) reader.Wrong("version", std::to_string(kVersion));
  config.socket = reader.Text("socket");
  config.token = reader.Text("token");
  config.tools = ReadTools(reader.Object("tools"));
  config.intercept_builtins = reader.Bool("intercept_builtins");
  config.plugin_tools = ReadForwarded(reader.Objects("plugin_tools"));
  config.instructions = reader.Text("instructions");
  config.content = reader.Bool("content");
  ReadTrace(reader.Object("trace"), config);
  reader.RefuseOthers();
  return config;
}

Error ReadFailure(const std::filesystem::path& path, const std::string& why) {
  return Error{"SYSTEM.IO.READ_FAILED", "cannot use " + path.string() + ": " + why, {}, {}, {}, {}};
}

std::expected<std::string, Error> ReadPrivateFile(const std::filesystem::path& path) {
  const auto because_errno = [&] { return std::unexpected(ReadFailure(path, std::generic_category().message(errno))); };
  // O_NONBLOCK: a FIFO in its place must not make the start wait.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd) return because_errno();
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return because_errno();
  if (!S_ISREG(status.st_mode)) return std::unexpected(ReadFailure(path, "it is not a regular file"));
  if (status.st_uid != ::geteuid()) return std::unexpected(ReadFailure(path, "it belongs to another user"));
  if ((status.st_mode & 077) != 0) return std::unexpected(ReadFailure(path, "others may access it (want mode 0600)"));
  std::string text;
  std::array<char, 16384> buffer;
  while (text.size() <= kMaxFile) {
    const ssize_t length = ::read(fd.get(), buffer.data(), buffer.size());
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) return because_errno();
    if (length == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(length));
  }
  return std::unexpected(ReadFailure(path, "it is larger than 16 MiB"));
}

}  // namespace

std::optional<SandboxMode> ParseSandboxMode(std::string_view text) {
  for (const SandboxMode mode :
       {SandboxMode::kWorkspaceWrite, SandboxMode::kReadOnly, SandboxMode::kStrict, SandboxMode::kOff}) {
    if (text == ToString(mode)) return mode;
  }
  return std::nullopt;
}

std::string EncodeServeConfig(const ServeConfig& config) {
  const CommandTrace& trace = config.tools.trace;
  const json::object object{{"version", kVersion},
                            {"socket", config.socket.string()},
                            {"token", config.token},
                            {"tools", ToolsValue(config.tools)},
                            {"intercept_builtins", config.intercept_builtins},
                            {"plugin_tools", ForwardedValue(config.plugin_tools)},
                            {"instructions", config.instructions},
                            {"content", config.content},
                            {"trace",
                             {{"trace_id", trace.trace_id},
                              {"step_span_id", config.step_span_id},
                              {"sampled", trace.sampled},
                              {"trace_state", trace.trace_state}}}};
  return json::serialize(object) + "\n";
}

std::expected<ServeConfig, Error> DecodeServeConfig(std::string_view text, const std::string& file) {
  const auto value = ParseExactJson(text, {.any_bytes = true});
  if (!value) {
    return std::unexpected(Error{"USER.INPUT.INVALID_FORMAT",
                                 "not valid JSON: " + value.error().what,
                                 {},
                                 PositionAt(text, value.error().offset, file),
                                 {},
                                 {}});
  }
  std::optional<Error> fault;
  const json::object* object = value->if_object();
  if (object == nullptr) {
    return std::unexpected(
        Error{"USER.INPUT.INVALID_FORMAT", "the configuration must be an object", {}, {file, 1, 1}, {}, {}});
  }
  ServeConfig config = ReadConfig({*object, text, file, {}, fault});
  if (fault) return std::unexpected(std::move(*fault));
  return config;
}

std::expected<ServeConfig, Error> LoadServeConfig(const std::filesystem::path& path) {
  const auto text = ReadPrivateFile(path);
  if (!text) return std::unexpected(text.error());
  return DecodeServeConfig(*text, path.string());
}

}  // namespace awf

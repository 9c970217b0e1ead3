#include "infrastructure/mcp/serve_config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include "domain/json.h"
#include "domain/nearest_name.h"
#include "infrastructure/mcp/positioned_json.h"
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

// Reads the members of an object; the first fault is kept, with the path of the member that is at fault.
class Reader {
 public:
  Reader(const json::object& object, std::string_view text, const std::string& file, std::vector<std::string> path,
         std::optional<Error>& fault)
      : object_(object), text_(text), file_(file), path_(std::move(path)), fault_(fault) {}

  std::string Text(const char* key) {
    const json::value* value = Take(key);
    const json::string* text = value == nullptr ? nullptr : value->if_string();
    if (text == nullptr) return Wrong(key, "a string"), std::string();
    return {text->data(), text->size()};
  }

  bool Bool(const char* key) {
    const json::value* value = Take(key);
    const bool* flag = value == nullptr ? nullptr : value->if_bool();
    if (flag == nullptr) return Wrong(key, "true or false"), false;
    return *flag;
  }

  std::int64_t Number(const char* key) {
    const json::value* value = Take(key);
    const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
    if (number == nullptr || *number < 0) return Wrong(key, "an integer of 0 or more"), 0;
    return *number;
  }

  Deadline Time(const char* key) {
    const json::value* value = Take(key);
    if (value != nullptr && value->is_null()) return std::nullopt;
    const std::int64_t* number = value == nullptr ? nullptr : value->if_int64();
    constexpr std::int64_t kLast = INT64_MAX / 1'000'000;  // the clock counts nanoseconds
    if (number == nullptr || *number < 0 || *number > kLast) {
      return Wrong(key, "milliseconds of the monotonic clock, or null"), std::nullopt;
    }
    return SteadyClock::time_point(std::chrono::milliseconds(*number));
  }

  std::vector<std::string> TextList(const char* key) {
    std::vector<std::string> texts;
    const json::value* value = Take(key);
    const json::array* array = value == nullptr ? nullptr : value->if_array();
    if (array == nullptr) return Wrong(key, "a list of strings"), texts;
    for (const json::value& item : *array) {
      const json::string* text = item.if_string();
      if (text == nullptr) return Wrong(key, "a list of strings"), texts;
      texts.emplace_back(text->data(), text->size());
    }
    return texts;
  }

  std::vector<std::filesystem::path> PathList(const char* key) {
    const auto texts = TextList(key);
    return {texts.begin(), texts.end()};
  }

  Reader Object(const char* key) {
    static const json::object kEmpty;
    const json::value* value = Take(key);
    const json::object* object = value == nullptr ? nullptr : value->if_object();
    if (object == nullptr) Wrong(key, "an object");
    return {object == nullptr ? kEmpty : *object, text_, file_, PathTo(key), fault_};
  }

  void Wrong(const char* key, std::string_view wanted) {
    const bool missing = !object_.contains(key);
    Report(key, missing ? "missing key '" + Dotted(key) + "'" : "'" + Dotted(key) + "' must be " + std::string(wanted),
           {});
  }

  // To be called last: what was not asked for does not exist.
  void RefuseOthers() {
    for (const auto& member : object_) {
      const std::string key(member.key());
      if (std::ranges::find(known_, key) != known_.end()) continue;
      const std::string nearest = NearestName(key, known_);
      Report(key, "unknown key '" + Dotted(key) + "'", nearest.empty() ? "" : "Did you mean " + nearest + "?");
    }
  }

 private:
  const json::value* Take(const char* key) {
    known_.emplace_back(key);
    return object_.if_contains(key);
  }

  std::vector<std::string> PathTo(const std::string& key) const {
    auto path = path_;
    path.push_back(key);
    return path;
  }

  std::string Dotted(const std::string& key) const {
    std::string dotted;
    for (const std::string& part : path_) dotted += part + ".";
    return dotted + key;
  }

  void Report(const std::string& key, std::string message, std::string hint) {
    if (fault_) return;
    fault_ = Error{"USER.INPUT.INVALID_FORMAT",
                   std::move(message),
                   std::move(hint),
                   PositionAt(text_, OffsetOfMember(text_, PathTo(key)), file_),
                   {},
                   Dotted(key)};
  }

  const json::object& object_;
  std::string_view text_;
  const std::string& file_;
  std::vector<std::string> path_;
  std::optional<Error>& fault_;
  std::vector<std::string> known_;
};

SandboxSettings ReadSandbox(Reader reader) {
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

ResultBudget ReadBudget(Reader reader) {
  ResultBudget budget;
  budget.characters = static_cast<std::size_t>(reader.Number("characters"));
  budget.bytes = static_cast<std::size_t>(reader.Number("bytes"));
  budget.error = static_cast<std::size_t>(reader.Number("error"));
  budget.lines = static_cast<std::size_t>(reader.Number("lines"));
  reader.RefuseOthers();
  return budget;
}

EnvironmentPolicy ReadEnvironmentPolicy(Reader reader) {
  EnvironmentPolicy policy;
  policy.pass = reader.TextList("pass");
  policy.drop = reader.TextList("drop");
  reader.RefuseOthers();
  return policy;
}

ToolSettings ReadTools(Reader reader) {
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

void ReadTrace(Reader reader, ServeConfig& config) {
  config.tools.trace.trace_id = reader.Text("trace_id");
  config.tools.trace.sampled = reader.Bool("sampled");
  config.tools.trace.trace_state = reader.Text("trace_state");
  config.step_span_id = reader.Text("step_span_id");
  reader.RefuseOthers();
}

ServeConfig ReadConfig(Reader reader) {
  ServeConfig config;
  if (reader.Number("version") != kVersion) reader.Wrong("version", std::to_string(kVersion));
  config.socket = reader.Text("socket");
  config.token = reader.Text("token");
  config.tools = ReadTools(reader.Object("tools"));
  config.intercept_builtins = reader.Bool("intercept_builtins");
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
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  json::parser parser({}, options);
  boost::system::error_code failure;
  const std::size_t parsed = parser.write(text.data(), text.size(), failure);
  std::optional<Error> fault;
  if (failure) {
    return std::unexpected(Error{"USER.INPUT.INVALID_FORMAT",
                                 "not valid JSON: " + failure.message(),
                                 {},
                                 PositionAt(text, parsed, file),
                                 {},
                                 {}});
  }
  const json::value value = parser.release();
  const json::object* object = value.if_object();
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

// A fake of the agent CLIs `gemini`, `codex`, `opencode`, `copilot` and `vibe`: it is the one under whose name it is
// started. It finds the MCP server where that CLI is told of it, starts it, and replays a recorded stream. What it does
// is told by a scenario, the JSON file in FAKE_CLI_SCENARIO:
//
//   version           what --version prints (the verified one)
//   server            normal (default) | none: never started | twice: started, stopped, started anew
//   stream            file with the recorded stream
//   replace           object: each of its names in the stream gives way to its value
//   result_file       file that copilot gives out as its usage, vibe as its export.json
//   final             false: ends before the last line, and without the result file
//   ignore_sigterm    true
//   refuse            an argument that it does not know: ends at once with exit code 1 and the text `complaint`
//   steps             in order, each an object with one of:
//     lines: N            the next N lines of the stream
//     call: TOOL          through the MCP server, with `arguments`; `crash_when: FILE` kills the server with SIGKILL as
//                         soon as that file exists. A server that is gone is started again
//     kill_server: true   SIGKILL; then waits until awf has seen it
//     print: TEXT         a line of its own;   print_bytes: N: one line of N bytes
//     leave_child: true   a process in a session of its own that sleeps and ignores SIGTERM
//     touch: FILE         creates it;   wait_for: FILE: until it exists
//     hang: true          for ever
//   exit              exit code (0)
//
// After the steps the rest of the stream follows. With FAKE_CLI_RECORD its arguments, environment, folder and stdin are
// written there as JSON.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/fakes/fake_mcp_client.h"
#include "tests/fakes/scenario.h"

extern char** environ;

namespace awf::fakes {
namespace {

namespace json = boost::json;

// What our server is called in the configuration of every CLI.
constexpr char kServer[] = "awf-proxy";

constexpr std::pair<std::string_view, std::string_view> kVersions[] = {{"gemini", "0.61.0"},
                                                                       {"codex", "codex-cli 0.171.0"},
                                                                       {"opencode", "1.18.33"},
                                                                       {"copilot", "GitHub Copilot CLI 1.0.102."},
                                                                       {"vibe", "vibe 3.0.3"}};

// Those that the recipe for codex switches off, and one that it does not.
constexpr const char* kCodexFeatures[] = {"shell_tool",
                                          "unified_exec",
                                          "view_image",
                                          "multi_agent",
                                          "goals",
                                          "apps",
                                          "plugins",
                                          "image_generation",
                                          "tool_suggest",
                                          "skill_search",
                                          "hooks",
                                          "shell_snapshot",
                                          "unbounded_connection_retries",
                                          "undo"};

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::vector<std::string> Words(const json::value& array) {
  std::vector<std::string> words;
  for (const json::value& word : array.as_array()) words.emplace_back(word.as_string());
  return words;
}

// An entry with `command` as a string or an array, and perhaps `args`.
std::vector<std::string> CommandOf(const json::value& entry) {
  const json::value& program = entry.at("command");
  std::vector<std::string> command =
      program.is_string() ? std::vector<std::string>{std::string(program.as_string())} : Words(program);
  if (const json::value* arguments = entry.as_object().if_contains("args")) {
    std::ranges::copy(Words(*arguments), std::back_inserter(command));
  }
  return command;
}

// The value behind `key=` in an inline table of TOML: its strings and arrays of strings are JSON as well.
json::value TomlValueAt(std::string_view table, std::string_view key) {
  const std::size_t at = table.find(std::string(key) + "=");
  if (at == std::string_view::npos) throw std::runtime_error("no " + std::string(key) + " in " + std::string(table));
  // It ends at the first quote or bracket behind which nothing is missing.
  const std::string_view rest = table.substr(at + key.size() + 1);
  for (std::size_t end = 0; (end = rest.find_first_of("\"]", end + 1)) != std::string_view::npos;) {
    boost::system::error_code error;
    json::value value = json::parse(rest.substr(0, end + 1), error);
    if (!error) return value;
  }
  throw std::runtime_error("no end of " + std::string(key) + " in " + std::string(table));
}

void WaitForFile(const std::string& path) {
  while (::access(path.c_str(), F_OK) != 0) ::poll(nullptr, 0, 5);
}

[[noreturn]] void SleepForLong() {
  ::setsid();
  ::signal(SIGTERM, SIG_IGN);
  ::execl("/bin/sleep", "sleep", "300", static_cast<char*>(nullptr));
  ::_exit(127);
}

class FakeCli : private Scenario {
 public:
  FakeCli(std::string name, std::vector<std::string> arguments, json::object scenario)
      : Scenario(std::move(scenario)), name_(std::move(name)), arguments_(std::move(arguments)) {}

  int Run() {
    if (Has("--version")) return PrintVersion();
    if (name_ == "codex" && AnswersQuestion()) return 0;
    if (Flag("ignore_sigterm")) ::signal(SIGTERM, SIG_IGN);
    if (const std::string unknown = Text("refuse"); !unknown.empty() && Has(unknown)) {
      std::cerr << Text("complaint") << std::endl;
      return 1;
    }
    Record();
    // The real one works, and has its servers work, in the folder that is named.
    if (name_ == "opencode" && !Option("--dir").empty()) std::filesystem::current_path(Option("--dir"));
    if (!Text("stream").empty()) LoadStream();
    StartServer();
    if (const json::value* steps = scenario_.if_contains("steps")) {
      for (const json::value& step : steps->as_array()) Do(step.as_object());
    }
    const bool whole = Get("final") != json::value(false);
    if (whole) WriteResult();
    Replay(lines_.size() - next_ - (whole || lines_.empty() ? 0 : 1));
    server_.reset();
    return ExitCode();
  }

 private:
  bool Has(std::string_view argument) const { return std::ranges::find(arguments_, argument) != arguments_.end(); }
  // The value of "NAME VALUE" or "NAME=VALUE".
  std::string Option(const std::string& name) const {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      if (arguments_[i].starts_with(name + "=")) return arguments_[i].substr(name.size() + 1);
      if (arguments_[i] == name && i + 1 < arguments_.size()) return arguments_[i + 1];
    }
    return {};
  }

  int PrintVersion() const {
    const auto verified = std::ranges::find(kVersions, name_, &std::pair<std::string_view, std::string_view>::first);
    std::cout << (Text("version").empty() ? std::string(verified->second) : Text("version")) << std::endl;
    return 0;
  }

  // What the adapter of codex asks before it starts it.
  bool AnswersQuestion() const {
    if (arguments_ == std::vector<std::string>{"features", "list"}) {
      for (const char* feature : kCodexFeatures) std::cout << feature << "  stable  true\n";
      return true;
    }
    if (arguments_ != std::vector<std::string>{"debug", "models", "--bundled"}) return false;
    std::cout << R"({"models":[{"slug":"fake-model","tool_mode":"code"}]})" << "\n";
    return true;
  }

  void Record() const {
    const std::string input(std::istreambuf_iterator<char>(std::cin), {});
    const std::string path = Variable("FAKE_CLI_RECORD");
    if (path.empty()) return;
    json::array environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    char folder[4096];
    std::ofstream(path) << json::serialize(json::object{{"argv", json::array(arguments_.begin(), arguments_.end())},
                                                        {"env", std::move(environment)},
                                                        {"cwd", ::getcwd(folder, sizeof folder)},
                                                        {"stdin", input}});
  }

  void LoadStream() {
    std::string text = ReadFile(Text("stream"));
    if (const json::value* replace = scenario_.if_contains("replace")) {
      for (const auto& [from, to] : replace->as_object()) {
        const std::string_view by(to.as_string());
        for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += by.size()) {
          text.replace(at, from.size(), by);
        }
      }
    }
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t feed = std::min(text.find('\n', at), text.size());
      lines_.push_back(text.substr(at, feed - at));
      at = feed + 1;
    }
  }

  std::vector<std::string> ServerCommand() const {
    if (name_ == "gemini") {
      const json::value settings = json::parse(ReadFile(Variable("GEMINI_CLI_HOME") + "/.gemini/settings.json"));
      return CommandOf(settings.at("mcpServers").at(kServer));
    }
    if (name_ == "opencode") return CommandOf(json::parse(Variable("OPENCODE_CONFIG_CONTENT")).at("mcp").at(kServer));
    if (name_ == "copilot") {
      const std::string file = Option("--additional-mcp-config");
      if (!file.starts_with('@')) throw std::runtime_error("no file in --additional-mcp-config: " + file);
      return CommandOf(json::parse(ReadFile(file.substr(1))).at("mcpServers").at(kServer));
    }
    if (name_ == "vibe") {
      const json::value servers = json::parse(Variable("VIBE_MCP_SERVERS"));
      for (const json::value& entry : servers.as_array()) {
        if (entry.at("name") == json::value(kServer)) return CommandOf(entry);
      }
      throw std::runtime_error("VIBE_MCP_SERVERS does not name our server");
    }
    return CodexServerCommand();
  }

  // -c 'mcp_servers.awf-proxy={command="…",args=["…"],…}'
  std::vector<std::string> CodexServerCommand() const {
    const std::string key = std::string("mcp_servers.") + kServer + "=";
    for (std::size_t i = 1; i < arguments_.size(); ++i) {
      if (arguments_[i - 1] != "-c" || !arguments_[i].starts_with(key)) continue;
      const std::string_view table = std::string_view(arguments_[i]).substr(key.size());
      return CommandOf(json::object{{"command", TomlValueAt(table, "command")}, {"args", TomlValueAt(table, "args")}});
    }
    throw std::runtime_error("no -c " + key);
  }

  void StartServer() {
    const std::string how = Text("server");
    if (how == "none") return;
    server_ = std::make_unique<FakeMcpClient>(ServerCommand());
    if (how == "twice") {
      Connect();
      server_->Stop();
    }
    Connect();
    if (!server_->ListTools()) throw std::runtime_error("the server lists no tools");
  }

  void Connect() {
    if (!server_->Start() || !server_->Initialize()) throw std::runtime_error("the server does not answer");
  }

  void Do(const json::object& step) {
    const auto text = [&](std::string_view key) { return std::string(step.at(key).as_string()); };
    const auto number = [&](std::string_view key) { return static_cast<std::size_t>(step.at(key).as_int64()); };
    if (step.contains("lines")) Replay(number("lines"));
    if (step.contains("call")) Call(step);
    if (step.contains("kill_server")) KillServer();
    if (step.contains("print")) Print(text("print"));
    if (step.contains("print_bytes")) Print(std::string(number("print_bytes"), 'x'));
    if (step.contains("leave_child") && ::fork() == 0) SleepForLong();
    if (step.contains("touch")) std::ofstream(text("touch")).flush();
    if (step.contains("wait_for")) WaitForFile(text("wait_for"));
    if (step.contains("hang")) {
      for (;;) ::pause();
    }
  }

  static void Print(const std::string& line) { std::cout << line << "\n" << std::flush; }

  void Replay(std::size_t count) {
    for (; count > 0 && next_ < lines_.size(); --count) Print(lines_[next_++]);
  }

  void Call(const json::object& step) {
    const std::string tool(step.at("call").as_string());
    const json::object& arguments = step.at("arguments").as_object();
    const std::string id = "call_" + std::to_string(++calls_);
    if (!server_->running()) Connect();
    if (const json::value* file = step.if_contains("crash_when")) {
      server_->SendCall(tool, arguments, id);
      WaitForFile(std::string(file->as_string()));
      server_->Kill();
    } else {
      server_->CallTool(tool, arguments, id);  // without an answer it goes on, as the real ones do
    }
  }

  // When awf has seen that a server died it kills what belongs to nobody any more: of that, one is left here.
  void KillServer() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_t orphan = ::fork();
    if (orphan == 0) {
      orphan = ::fork();
      if (orphan == 0) SleepForLong();
      static_cast<void>(!::write(ends[1], &orphan, sizeof orphan));
      ::_exit(0);
    }
    ::waitpid(orphan, nullptr, 0);
    if (::read(ends[0], &orphan, sizeof orphan) != sizeof orphan) throw std::runtime_error("fork");
    server_->Kill();
    while (::kill(orphan, 0) == 0) ::poll(nullptr, 0, 5);
  }

  void WriteResult() const {
    const std::string file = Text("result_file");
    if (file.empty()) return;
    const std::string to = name_ == "copilot" ? Option("--usage-output-file") : Option("--output-dir") + "/export.json";
    std::filesystem::create_directories(std::filesystem::path(to).parent_path());
    std::ofstream(to) << ReadFile(file);
  }

  std::string name_;
  std::vector<std::string> arguments_;
  std::unique_ptr<FakeMcpClient> server_;
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  int calls_ = 0;
};

int Main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  try {
    const std::string file = Variable("FAKE_CLI_SCENARIO");
    json::object scenario = file.empty() ? json::object() : json::parse(ReadFile(file)).as_object();
    const std::string name = std::filesystem::path(argv[0]).filename();
    return FakeCli(name, {argv + 1, argv + argc}, std::move(scenario)).Run();
  } catch (const std::exception& error) {
    std::cerr << "fake_cli: " << error.what() << std::endl;
    return 99;
  }
}

}  // namespace
}  // namespace awf::fakes

int main(int argc, char** argv) { return awf::fakes::Main(argc, argv); }

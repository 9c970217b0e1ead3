// A fake of the `claude` program: takes the flags of the real one, starts the MCP server that --mcp-config names, and
// writes the event stream. What it does is told by a scenario, the JSON file in FAKE_CLAUDE_SCENARIO:
//
//   version           what --version prints (2.1.332)
//   server            normal (default) | none: never started, and said so | mute: started and left alone, but called
//                     connected | probe: a process that is started and stopped, then another one
//   announce          false: no init event;   extra, missing: names added to and taken from the announced tools
//   ignore_sigterm    true
//   steps             in order, each an object with one of:
//     text: T             assistant text
//     call: TOOL          through the MCP server, with `arguments`; `crash_when: FILE` kills the server with SIGKILL as
//                         soon as that file exists, `cancel_when: FILE` cancels the call then, `leave_when: FILE` waits
//                         for it no longer. A server that is gone is started again, without tools/list
//     calls: CALLS        several of them at the same time
//     kill_server: true   SIGKILL
//     stop_server: true   as at the end
//     native: NAME        a tool use of its own; `refused: true`, or `open: true` for one without result
//     deny: TOOL          a call of ours that is refused by permission
//     retry: STATUS       an api_retry event
//     print: TEXT         a raw line;   print_bytes: N: one line of N bytes;   replay: FILE: its bytes
//     stderr: TEXT
//     leave_child: true   a process in a session of its own that sleeps
//     touch: FILE         creates it
//     sleep_ms: N
//     hang: true          for ever
//   sessions          true: the prompts of each session are kept in HOME/sessions/ID, with the working directory; the
//                     result's text is all of them. --resume of one that is not there, or of another folder, fails as
//                     it does with the real one; with --fork-session it is left as it is
//   result            text of the result event ("done"); null: none
//   error_status      makes the result an API error
//   exit              exit code (0)
//
// With FAKE_CLAUDE_RECORD its arguments, environment, stdin and the files named by flags are written there as JSON.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fakes/fake_mcp_client.h"
#include "tests/fakes/scenario.h"

extern char** environ;

namespace awf::fakes {
namespace {

namespace json = boost::json;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Option(const std::vector<std::string>& arguments, std::string_view name) {
  const auto at = std::ranges::find(arguments, name);
  return at != arguments.end() && at + 1 != arguments.end() ? *(at + 1) : std::string();
}

class FakeClaude : private Scenario {
 public:
  FakeClaude(std::vector<std::string> arguments, json::object scenario)
      : Scenario(std::move(scenario)), arguments_(std::move(arguments)) {}

  int Run() {
    if (Flag("ignore_sigterm")) ::signal(SIGTERM, SIG_IGN);
    Record();
    if (Flag("sessions") && !OpenSession()) return 1;
    StartServer();
    if (Get("announce") != json::value(false)) Announce();
    if (const json::value* steps = scenario_.if_contains("steps")) {
      for (const json::value& step : steps->as_array()) Do(step.as_object());
    }
    Finish();
    server_.reset();
    return ExitCode();
  }

 private:
  std::vector<std::string> Names(std::string_view key) const {
    std::vector<std::string> names;
    const json::value value = Get(key);
    if (value.is_array()) {
      for (const json::value& name : value.as_array()) names.emplace_back(name.as_string());
    }
    return names;
  }

  static void Emit(const json::object& event) { Print(json::serialize(event)); }
  static void Print(const std::string& line) { std::cout << line << "\n" << std::flush; }

  static std::string SessionFile(const std::string& id) { return std::string(std::getenv("HOME")) + "/sessions/" + id; }

  bool OpenSession() {
    char folder[4096];
    std::string kept = std::string(::getcwd(folder, sizeof folder)) + "\n";
    if (const std::string resumed = Option(arguments_, "--resume"); !resumed.empty()) {
      const std::string there = ReadFile(SessionFile(resumed));
      if (!there.starts_with(kept)) {
        Emit({{"type", "result"},
              {"subtype", "error_during_execution"},
              {"is_error", true},
              {"num_turns", 0},
              {"errors", json::array{"No conversation found with session ID: " + resumed}},
              {"session_id", kSession}});
        return false;
      }
      kept = there + " | ";
      session_ = resumed;
    }
    if (const std::string id = Option(arguments_, "--session-id"); !id.empty()) session_ = id;
    kept += input_;
    ::mkdir(SessionFile("").c_str(), 0700);
    std::ofstream(SessionFile(session_)) << kept;
    scenario_["result"] = kept.substr(kept.find('\n') + 1);
    return true;
  }

  void Record() {
    input_.assign(std::istreambuf_iterator<char>(std::cin), {});
    const char* path = std::getenv("FAKE_CLAUDE_RECORD");
    if (path == nullptr) return;
    json::array argv(arguments_.begin(), arguments_.end());
    json::array environment;
    for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
    json::object files;
    for (const char* flag : {"--mcp-config", "--settings", "--append-system-prompt-file"}) {
      if (const std::string file = Option(arguments_, flag); !file.empty()) files[flag] = ReadFile(file);
    }
    char folder[4096];
    std::ofstream(path) << json::serialize(json::object{{"argv", std::move(argv)},
                                                        {"env", std::move(environment)},
                                                        {"stdin", input_},
                                                        {"cwd", ::getcwd(folder, sizeof folder)},
                                                        {"files", std::move(files)}});
  }

  // The one entry of --mcp-config.
  std::vector<std::string> ServerCommand() {
    const std::string file = Option(arguments_, "--mcp-config");
    if (file.empty()) return {};
    const json::value config = json::parse(ReadFile(file));
    const auto& entry = *config.at("mcpServers").as_object().begin();
    server_name_ = entry.key();
    std::vector<std::string> command{std::string(entry.value().at("command").as_string())};
    for (const json::value& word : entry.value().at("args").as_array()) command.emplace_back(word.as_string());
    return command;
  }

  void StartServer() {
    const std::vector<std::string> command = ServerCommand();
    const std::string how = Text("server");
    if (command.empty() || how == "none") return;
    server_ = std::make_unique<FakeMcpClient>(command);
    if (how == "probe") {
      server_->Start();
      server_->Initialize();
      server_->Stop();
    }
    if (!server_->Start() || how == "mute") {
      connected_ = true;
      tools_ = {"Bash", "Edit", "Glob", "Grep", "Read", "Write"};
      return;
    }
    if (!server_->Initialize()) return;
    const auto tools = server_->ListTools();
    if (!tools) return;
    connected_ = true;
    tools_ = *tools;
  }

  void Announce() {
    json::array tools;
    const std::vector<std::string> missing = Names("missing");
    for (const std::string& tool : tools_) {
      if (std::ranges::find(missing, tool) == missing.end()) tools.emplace_back("mcp__" + server_name_ + "__" + tool);
    }
    for (const std::string& tool : Names("extra")) tools.emplace_back(tool);
    json::array servers;
    if (!server_name_.empty()) {
      servers.push_back(json::object{{"name", server_name_}, {"status", connected_ ? "connected" : "failed"}});
    }
    Emit({{"type", "system"},
          {"subtype", "init"},
          {"session_id", session_},
          {"tools", std::move(tools)},
          {"mcp_servers", std::move(servers)},
          {"model", "fake-model"},
          {"claude_code_version", Version()}});
  }

  std::string Version() const { return Text("version").empty() ? "2.1.332" : Text("version"); }

  void Do(const json::object& step) {
    const auto text = [&](std::string_view key) { return std::string(step.at(key).as_string()); };
    if (step.contains("text")) Assistant(json::object{{"type", "text"}, {"text", step.at("text")}});
    if (step.contains("call")) Call(step);
    if (step.contains("calls")) Calls(step.at("calls").as_array());
    if (step.contains("kill_server")) server_->Kill();
    if (step.contains("stop_server")) server_->Stop();
    if (step.contains("native")) Native(step);
    if (step.contains("deny")) Deny(text("deny"));
    if (step.contains("retry")) {
      Emit({{"type", "system"}, {"subtype", "api_retry"}, {"attempt", 1}, {"error_status", step.at("retry")}});
    }
    if (step.contains("print")) Print(text("print"));
    if (step.contains("print_bytes")) {
      Print(std::string(static_cast<std::size_t>(step.at("print_bytes").as_int64()), 'x'));
    }
    if (step.contains("replay")) std::cout << ReadFile(text("replay")) << std::flush;
    if (step.contains("stderr")) std::cerr << text("stderr") << std::endl;
    if (step.contains("leave_child")) LeaveChild();
    if (step.contains("touch")) std::ofstream(text("touch")).flush();
    if (step.contains("sleep_ms")) ::poll(nullptr, 0, static_cast<int>(step.at("sleep_ms").as_int64()));
    if (step.contains("hang")) {
      for (;;) ::pause();
    }
  }

  void Assistant(json::object block) {
    ++message_;
    Emit({{"type", "assistant"},
          {"message", json::object{{"id", "msg_" + std::to_string(message_)},
                                   {"role", "assistant"},
                                   {"model", "fake-model"},
                                   {"content", json::array{std::move(block)}},
                                   {"usage", json::object{{"input_tokens", 10}, {"output_tokens", 1}}}}},
          {"parent_tool_use_id", nullptr},
          {"session_id", session_}});
  }

  std::string Use(const std::string& shown_name, const json::object& input) {
    std::string id = "toolu_" + std::to_string(++use_);
    Assistant({{"type", "tool_use"}, {"id", id}, {"name", shown_name}, {"input", input}});
    return id;
  }

  static void Result(const std::string& id, const json::value& content, bool is_error) {
    Emit({{"type", "user"},
          {"message", json::object{{"role", "user"},
                                   {"content", json::array{json::object{{"tool_use_id", id},
                                                                        {"type", "tool_result"},
                                                                        {"content", content},
                                                                        {"is_error", is_error}}}}}}});
  }

  void Call(const json::object& step) {
    const std::string tool(step.at("call").as_string());
    const json::object arguments = step.contains("arguments") ? step.at("arguments").as_object() : json::object();
    const std::string id = Use("mcp__" + server_name_ + "__" + tool, arguments);
    if (!server_->running() && (!server_->Start() || !server_->Initialize())) {
      return Result(id, "Connection closed", true);
    }
    if (const json::value* file = step.if_contains("crash_when")) {
      server_->SendCall(tool, arguments, id);
      while (::access(file->as_string().c_str(), F_OK) != 0) ::poll(nullptr, 0, 5);
      server_->Kill();
      return Result(id, "Connection closed", true);
    }
    const bool cancels = step.contains("cancel_when");
    if (const json::value* file = step.if_contains(cancels ? "cancel_when" : "leave_when")) {
      const int number = server_->SendCall(tool, arguments, id);
      while (::access(file->as_string().c_str(), F_OK) != 0) ::poll(nullptr, 0, 5);
      if (cancels) server_->CancelCall(number);
      return Result(id, "Interrupted", true);
    }
    Show(id, server_->CallTool(tool, arguments, id));
  }

  void Calls(const json::array& calls) {
    std::vector<std::pair<std::string, int>> sent;
    for (const json::value& call : calls) {
      const std::string tool(call.at("call").as_string());
      const json::object& arguments = call.at("arguments").as_object();
      const std::string id = Use("mcp__" + server_name_ + "__" + tool, arguments);
      sent.emplace_back(id, server_->SendCall(tool, arguments, id));
    }
    for (const auto& [id, number] : sent) Show(id, server_->AwaitCall(number));
  }

  static void Show(const std::string& id, const std::optional<json::object>& answer) {
    if (!answer) return Result(id, "Connection closed", true);
    const json::value* is_error = answer->if_contains("isError");
    Result(id, answer->at("content"), is_error != nullptr && *is_error == json::value(true));
  }

  void Native(const json::object& step) {
    const std::string name(step.at("native").as_string());
    const std::string id = Use(name, {});
    if (step.contains("open")) return;
    const bool refused = step.contains("refused");
    Result(id,
           json::value(refused ? "<tool_use_error>Error: No such tool available: " + name + "</tool_use_error>"
                               : "it ran"),
           refused);
  }

  void Deny(const std::string& tool) {
    const std::string shown = "mcp__" + server_name_ + "__" + tool;
    const std::string id = Use(shown, {});
    Emit({{"type", "system"}, {"subtype", "permission_denied"}, {"tool_name", shown}, {"tool_use_id", id}});
    Result(id, json::value("Permission to use " + shown + " has been denied"), true);
  }

  static void LeaveChild() {
    if (::fork() != 0) return;
    ::setsid();
    ::signal(SIGTERM, SIG_IGN);
    ::execl("/bin/sleep", "sleep", "300", static_cast<char*>(nullptr));
    ::_exit(127);
  }

  void Finish() {
    if (scenario_.contains("result") && Get("result").is_null()) return;
    const json::value status = Get("error_status");
    const std::string text = Text("result").empty() ? "done" : Text("result");
    Emit({{"type", "result"},
          {"subtype", "success"},
          {"is_error", !status.is_null()},
          {"api_error_status", status},
          {"num_turns", message_ + 1},
          {"result", text},
          {"session_id", session_},
          {"total_cost_usd", 0.25},
          {"usage", json::object{{"input_tokens", 100},
                                 {"cache_creation_input_tokens", 5},
                                 {"cache_read_input_tokens", 7},
                                 {"output_tokens", 20}}}});
  }

  static constexpr const char* kSession = "00000000-0000-4000-8000-000000000001";

  std::vector<std::string> arguments_;
  std::string input_, session_ = kSession;
  std::string server_name_;
  std::unique_ptr<FakeMcpClient> server_;
  std::vector<std::string> tools_;
  bool connected_ = false;
  int message_ = 0, use_ = 0;
};

int Main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  ::signal(SIGPIPE, SIG_IGN);
  const char* file = std::getenv("FAKE_CLAUDE_SCENARIO");
  json::object scenario = file != nullptr ? json::parse(ReadFile(file)).as_object() : json::object();
  if (std::ranges::find(arguments, "--version") != arguments.end()) {
    const json::value* version = scenario.if_contains("version");
    std::cout << (version != nullptr ? std::string(version->as_string()) : "2.1.332") << " (Claude Code)" << std::endl;
    return 0;
  }
  return FakeClaude(std::move(arguments), std::move(scenario)).Run();
}

}  // namespace
}  // namespace awf::fakes

int main(int argc, char** argv) { return awf::fakes::Main(argc, argv); }

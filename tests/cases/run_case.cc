#include "run_case.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <random>
#include <thread>

#include "checks.h"
#include "conversation.h"
#include "program.h"
#include "session.h"

namespace awf::cases {
namespace {

using namespace std::chrono_literals;

constexpr const char* kServerMark = "CASE_SERVER";

bool UsesCommands(const Case& test) {
  return test.tool == "Bash" || json::serialize(test.fields.at("call")).find(R"("call":"Bash")") != std::string::npos;
}

// One case while it runs.
class Running {
 public:
  Running(const Case& test, const std::filesystem::path& awf, const std::filesystem::path& folder)
      : test_(test), awf_(awf) {
    folders_.base = folder;
    folders_.root = folder / "root";
    folders_.out = folder / "out";
    folders_.tmp = folder / "tmp";
    folders_.home = folder / "home";
    for (const auto& each : {folders_.base, folders_.root, folders_.out, folders_.tmp, folders_.home}) {
      std::filesystem::create_directory(each);
      HandOver(each);
    }
  }

  Failures Run() {
    if (Setup()) {
      if (test_.fields.contains("crash_rounds")) {
        CrashRounds();
      } else {
        OneSession();
      }
    }
    if (const std::string script = test_.Text("teardown"); !script.empty()) Shell(script);
    return std::move(failures_);
  }

 private:
  int Shell(const std::string& script) { return RunShell(script, folders_, output_); }

  bool Setup() {
    if (Shell(test_.Text("setup")) == 0) return true;
    failures_.push_back("setup failed: " + output_);
    return false;
  }

  std::string Mark() const { return folders_.base.string(); }

  SessionOptions Options() const {
    SessionOptions options;
    options.awf = awf_;
    options.folders = folders_;
    const json::value* root = test_.fields.if_contains("root");
    options.arguments = {"--root", root == nullptr ? folders_.root.string() : ExpandedText(*root, folders_)};
    if (const std::string mode = test_.Text("sandbox"); !mode.empty()) {
      options.arguments.insert(options.arguments.end(), {"--sandbox", mode});
    }
    options.environment = PlainEnvironment(folders_);
    if (const json::value* env = test_.fields.if_contains("env")) {
      for (const auto& [name, value] : env->as_object()) {
        options.environment[std::string(name)] = ExpandedText(value, folders_);
      }
    }
    options.environment[kServerMark] = Mark();
    if (const std::string mask = test_.Text("umask"); !mask.empty()) {
      options.umask = static_cast<unsigned>(std::stoul(mask, nullptr, 8));
    }
    options.max_file = Kibibytes("ulimit_f");
    options.max_memory = Kibibytes("ulimit_v");
    options.stdin_null = test_.Text("stdin") == "null";
    options.stderr_undrained = test_.Text("stderr") == "undrained";
    options.agent = test_.Flag("agent", false);
    return options;
  }

  std::optional<std::size_t> Kibibytes(std::string_view key) const {
    const json::value* limit = test_.fields.if_contains(key);
    if (limit == nullptr) return std::nullopt;
    return limit->to_number<std::size_t>() * 1024;
  }

  bool Prepared(Session& session) {
    if (!session.started()) {
      failures_.emplace_back("the server could not be started");
      return false;
    }
    if (!test_.Flag("initialize", true) || test_.Text("stdin") == "null" || Handshake(session)) return true;
    failures_.push_back("the handshake failed; stderr: " + Stderr());
    return false;
  }

  void OneSession() {
    Session session(Options());
    if (!Prepared(session)) return;
    const std::size_t handshakes = session.answers().size();
    const auto started = session.ending_since();
    const Conversation conversation = Converse(test_, folders_, session);
    failures_.insert(failures_.end(), conversation.problems.begin(), conversation.problems.end());
    CheckJudged(test_.check(), conversation, failures_);
    CheckAnswers(test_.check(), session, handshakes, failures_);
    if (test_.check().contains("alive") && Ask(session, "case-runner-alive", "ping") == nullptr) {
      failures_.emplace_back("alive: no answer to ping");
    }
    if (WantsTools(test_.check())) Tools(session);
    CheckUsage(test_.check(), session.Measure(), failures_);
    const bool under_way = session.ending_since() != started || test_.Text("stdin") == "null";
    if (under_way) session.WaitForEnd(5s);
    ShellCheck("sh");
    End(session, under_way);
  }

  void Tools(Session& session) {
    const Answer* listed = Ask(session, "case-runner-tools", "tools/list");
    const json::object* result = listed == nullptr ? nullptr : listed->Result();
    if (result == nullptr) return failures_.push_back("tools/list was not answered");
    CheckTools(test_.check(), result->at("tools").as_array(), failures_);
  }

  void ShellCheck(std::string_view key) {
    const json::value* script = test_.check().if_contains(key);
    if (script == nullptr) return;
    const int code = Shell(ToText(script->as_string()));
    if (code == 0) return;
    failures_.push_back(std::string(key) + ": exit code " + std::to_string(code) + " of " +
                        ToText(script->as_string()) + (output_.empty() ? "" : "\n    printed: " + output_));
  }

  void End(Session& session, bool under_way) {
    auto since = session.ending_since();
    session.CloseStdin();
    if (!under_way) since = session.ending_since();
    const std::optional<ServerEnd> end = session.WaitForEnd(5s);
    CheckEnd(test_.check(), end, since, failures_);
    for (const std::string& line : session.garbage()) failures_.push_back("stdout holds something else: " + line);
    NothingLeft();
    ShellCheck("after_close_sh");
    CheckLog(test_.check(), Stderr(), failures_);
  }

  void NothingLeft() {
    const std::string mark = std::string(kServerMark) + "=" + Mark();
    std::vector<pid_t> left;
    for (int i = 0; i < 200; ++i) {
      // What was reparented to this process and has ended is a zombie of it until then.
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      left = LeftBehind(mark);
      if (left.empty()) return;
      std::this_thread::sleep_for(10ms);
    }
    for (const pid_t pid : left) {
      failures_.push_back("a process is left after the end of the server: " + CommandLine(pid));
      ::kill(pid, SIGKILL);
    }
  }

  static std::string CommandLine(pid_t pid) {
    std::string words = ReadAll("/proc/" + std::to_string(pid) + "/cmdline");
    for (char& c : words) c = c == '\0' ? ' ' : c;
    return std::to_string(pid) + " " + words;
  }

  std::string Stderr() const { return ReadAll(folders_.StderrFile()); }

  void CrashRounds() {
    std::mt19937 random(std::random_device{}());
    const auto rounds = test_.fields.at("crash_rounds").to_number<int>();
    for (int round = 0; round < rounds && failures_.empty(); ++round) {
      if (round % 2 == 1 && !Setup()) return;
      Session session(Options());
      if (!Prepared(session)) return;
      session.Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + test_.tool +
                   R"(","arguments":)" + json::serialize(Expanded(test_.fields.at("call"), folders_)) + "}}");
      session.Sleep(std::chrono::milliseconds(std::uniform_int_distribution<int>(0, 60)(random)));
      session.Kill(SIGKILL, false);
      session.WaitForEnd(5s);
      ShellCheck("sh");
    }
    // What crashes left does not keep the next server from its work.
    if (failures_.empty()) OneSession();
  }

  const Case& test_;
  std::filesystem::path awf_;
  Folders folders_;
  Failures failures_;
  std::string output_;  // of the last shell
};

void RemoveTree(const std::filesystem::path& folder) {
  std::error_code ignored;
  using std::filesystem::perms;
  // Folders without permissions cannot be emptied.
  for (std::filesystem::recursive_directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
      std::filesystem::permissions(it->path(), perms::owner_all, std::filesystem::perm_options::add, ignored);
    }
  }
  std::filesystem::remove_all(folder, ignored);
}

}  // namespace

std::string ReasonToSkip(const Case& test) {
  static const std::map<std::string, std::string> reasons = {
      {"plugins", "there are no plugins yet"},
      {"validate", "tested with awf validate itself"},
      {"awf-run", "tested with awf run itself"},
      {"config-file", "tested with mcp-serve --config itself"},
      {"unit", "tested by a unit test"},
      {"small-tmpfs", "needs a small file system"},
      {"weak-kernel", "needs a kernel without Landlock"},
      {"landlock", "commands are not confined yet"},
      {"landlock6", "commands are not confined yet"},
  };
  for (const std::string& need : test.Needs()) {
    const auto reason = reasons.find(need);
    return reason == reasons.end() ? "needs " + need : reason->second;
  }
  const std::string mode = test.Text("sandbox");
  if (!mode.empty() && mode != "off" && UsesCommands(test)) return "commands are not confined yet";
  return "";
}

Verdict RunCase(const Case& test, const std::filesystem::path& awf, const std::filesystem::path& folder) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  Failures failures;
  try {
    failures = Running(test, awf, folder).Run();
  } catch (const std::exception& fault) {  // the case is malformed, or the system refused something
    failures.push_back(std::string("the case cannot be run: ") + fault.what());
  }
  KillAll();
  RemoveTree(folder);
  if (failures.empty()) return {};
  std::string text;
  for (const std::string& failure : failures) text += "  " + failure + "\n";
  return {Verdict::Kind::kFailed, text};
}

}  // namespace awf::cases

// What the process of a plugin finds, and what becomes of it: real scripts and programs, a fake transport.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "infrastructure/plugins/test_plugin_host.h"
#include "infrastructure/process/descriptor_limit.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::plugins {
namespace {

namespace fs = std::filesystem;

std::string Exists(const std::string& path) { return fs::exists(path) ? path : std::string(); }

std::set<std::string> LinesOf(const std::string& text) {
  std::set<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

TEST_F(PluginHostTest, EnvironmentOfTheChild) {
  PluginHostOptions options = Options();
  for (const char* variable : {"PLUGIN_CLIENT_CERT=stale", "PLUGIN_MULTIPLEX_GRPC=true", "PLUGIN_UNIX_SOCKET_GROUP=1"})
    options.environment.emplace_back(variable);
  host_ = std::make_unique<PluginHost>(std::move(options));
  PluginLaunch launch = Script("env > $OUT; stat -c '%a %U' \"$PLUGIN_UNIX_SOCKET_DIR\" >> $OUT; exit 1");
  launch.tls_required = true;
  launch.env = {{"KUBECONFIG", "/k"}, {"PLUGIN_MAX_PORT", "20000"}};
  EXPECT_EQ(RefusalText(launch), "START: demo ended before the handshake: exit status 1");
  const std::string out = Out();
  const std::set<std::string> lines = LinesOf(out);
  for (const char* line : {"AWF_PLUGIN=awf-plugin-v1", "PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_MIN_PORT=10000",
                           "PLUGIN_MAX_PORT=20000", "KUBECONFIG=/k", "PATH=/usr/local/bin:/usr/bin:/bin"}) {
    EXPECT_TRUE(lines.contains(line)) << line << " not in " << out;
  }
  EXPECT_NE(out.find("PLUGIN_CLIENT_CERT=-----BEGIN CERTIFICATE-----\n"), std::string::npos) << out;
  EXPECT_EQ(out.find("PLUGIN_MULTIPLEX_GRPC"), std::string::npos);
  EXPECT_EQ(out.find("PLUGIN_UNIX_SOCKET_GROUP"), std::string::npos);
  EXPECT_NE(out.find("PLUGIN_UNIX_SOCKET_DIR=" + sockets_.string() + "/s-"), std::string::npos) << out;
  EXPECT_NE(out.find("\n700 "), std::string::npos) << out;
}

TEST_F(PluginHostTest, WithoutTlsThereIsNoCertificate) {
  EXPECT_EQ(RefusalText(Script("env > $OUT; exit 1")), "START: demo ended before the handshake: exit status 1");
  EXPECT_EQ(Out().find("PLUGIN_CLIENT_CERT"), std::string::npos);
}

TEST_F(PluginHostTest, AScriptInheritsItsOwnFileOnly) {
  const Fd open(::open("/dev/null", O_RDONLY));  // not CLOEXEC on purpose
  Refusal(Script("ls /proc/$$/fd > $OUT; readlink /proc/$$/fd/0 /proc/$$/fd/3 >> $OUT; exit 1"));
  std::set<std::string> lines = LinesOf(Out());
  EXPECT_TRUE(lines.contains("/dev/null")) << Out();
  EXPECT_TRUE(lines.contains((scripts_ / "awf-plugin-demo").string())) << Out();
  for (const char* known : {"0", "1", "2", "3"}) EXPECT_EQ(lines.erase(known), 1U) << known;
  for (const char* of_the_shell : {"10", "11", "255"}) lines.erase(of_the_shell);  // where it puts what it reads
  EXPECT_EQ(lines.size(), 2U) << Out();
}

// bash reads $BASH_ENV at its start, so the program itself says what it has inherited.
TEST_F(PluginHostTest, AProgramInheritsNothing) {
  const std::string bash = Exists("/bin/bash");
  if (bash.empty()) GTEST_SKIP() << "no bash";
  const Fd open(::open("/dev/null", O_RDONLY));
  PluginLaunch launch = Script("");
  launch.executable = bash;
  launch.env = {{"BASH_ENV", scripts_.Put("say", "ls /proc/$$/fd > $OUT; readlink /proc/$$/exe >> $OUT\n").string()}};
  Refusal(launch);
  std::set<std::string> lines = LinesOf(Out());
  lines.erase("3");  // bash's own while it reads the file
  EXPECT_EQ(lines, (std::set<std::string>{"0", "1", "2", fs::canonical(bash).string()}));
}

TEST_F(PluginHostTest, SignalsAndGroupAreItsOwn) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  // Read by the shell itself, which blocks signals for a moment whenever it starts a program.
  Refusal(
      Script("while IFS= read -r line; do case $line in SigBlk*|SigIgn*) echo \"$line\";; esac; done < /proc/$$/status "
             "> $OUT; "
             "cut -d' ' -f1,5 /proc/$$/stat >> $OUT; exit 1"));
  ::signal(SIGPIPE, before);
  const std::vector<std::string> lines = FileLines(scripts_ / "out");
  ASSERT_EQ(lines.size(), 3U) << Out();
  EXPECT_EQ(lines[0], "SigBlk:\t0000000000000000");
  EXPECT_EQ(lines[1], "SigIgn:\t0000000000000000");
  const std::string pid = lines[2].substr(0, lines[2].find(' '));
  EXPECT_EQ(lines[2], pid + " " + pid);
}

TEST_F(PluginHostTest, TheUsersLimitOfDescriptorsIsItsOwn) {
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const process::RaisedDescriptorLimit raised;
  Refusal(Script("ulimit -n > $OUT; exit 1"));
  EXPECT_EQ(Out(), std::to_string(limit.rlim_cur) + "\n");
}

TEST_F(PluginHostTest, ScriptAndChecksum) {
  PluginLaunch launch = Staying("echo \"$0\" > $OUT");
  const std::string sha256 = telemetry::Sha256Hex(FileText(launch.executable));
  launch.checksums = {{sha256, ".awf/plugins.lock"}, {sha256, "state file"}};
  const auto started = Start(launch);
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_EQ(Out(), "/dev/fd/3\n");
  EXPECT_EQ(started->start.sha256, sha256);
  EXPECT_EQ(started->start.path, launch.executable.string());
}

TEST_F(PluginHostTest, WhatWasHashedIsWhatRuns) {
  const PluginLaunch launch = Staying("echo hashed > $OUT");
  PluginHostOptions options = Options();
  options.stage = [&](std::string_view, const StartStage& stage) {
    if (stage.name != "checksum") return;
    const fs::path other = scripts_.Put("other", "#!/bin/sh\necho replaced > $OUT\n");
    fs::permissions(other, fs::perms::owner_all);
    fs::rename(other, launch.executable);
  };
  host_ = std::make_unique<PluginHost>(std::move(options));
  const auto started = Start(launch);
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_EQ(Out(), "hashed\n");
}

TEST_F(PluginHostTest, TwentyAtOnce) {
  std::vector<PluginLaunch> launches;
  for (int i = 0; i < 20; ++i) launches.push_back(Staying({}, "p" + std::to_string(i)));
  launches.push_back(launches[0]);
  const auto started = host().Start(launches, {}, {});
  ASSERT_EQ(started.size(), 21U);
  for (std::size_t i = 0; i < 20; ++i) {
    ASSERT_TRUE(started[i]) << started[i].error().message;
    EXPECT_EQ(started[i]->provider->Name(), launches[i].name);
  }
  ASSERT_TRUE(started[20]);
  EXPECT_EQ(started[20]->provider, started[0]->provider);
  host_->StopAll();
  EXPECT_EQ(Ends().size(), 20U);
}

TEST_F(PluginHostTest, PrintsNeverBlockIt) {
  const auto started =
      Start(Script("echo '1|1|unix|/s|grpc'\nhead -c 2000000 /dev/zero | tr '\\0' x\n"
                   "head -c 2000000 /dev/zero | tr '\\0' y >&2\necho done > $OUT; exec sleep 300"));
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_TRUE(process::Eventually([&] { return Out() == "done\n"; }));
}

TEST_F(PluginHostTest, WhatItLogsIsLogged) {
  const auto started =
      Start(Script("echo '{\"@level\":\"warn\",\"@message\":\"early\",\"n\":1}' >&2; echo '1|1|unix|/s|grpc'; echo '1 "
                   "[ERROR] late: a=b' "
                   ">&2; echo printed; exec sleep 300"));
  ASSERT_TRUE(started) << started.error().message;
  ASSERT_TRUE(process::Eventually([&] { return Logged().size() >= 3; }));
  const std::vector<LoggedLine> logged = Logged();
  const auto has = [&](const LoggedLine& line) { return std::ranges::find(logged, line) != logged.end(); };
  EXPECT_EQ(logged.size(), 3U);
  EXPECT_TRUE(has({LogLevel::kWarn, "early", R"({"plugin":"demo","n":1})"}));
  EXPECT_TRUE(has({LogLevel::kError, "late", R"({"plugin":"demo","a":"b"})"}));
  EXPECT_TRUE(has({LogLevel::kInfo, "printed", R"({"plugin":"demo"})"}));
}

TEST_F(PluginHostTest, WhoeverKillsStrayChildrenSparesIt) {
  const auto started = Start(Staying("echo $$ > $OUT"));
  ASSERT_TRUE(started);
  EXPECT_EQ(process::KillStrayChildren(), 0);
  EXPECT_TRUE(process::IsAlive(std::stoi(Out())));
}

TEST_F(PluginHostTest, NoDescriptorIsLeft) {
  const auto count = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()); };
  const auto before = count();
  ASSERT_TRUE(Start(Staying()));
  Refusal(Script("exit 1", "other"));
  host_.reset();
  EXPECT_EQ(count(), before);
}

// The host is a process of its own here.
TEST_F(PluginHostTest, DiesWithItsHostAndWhatItStartedToo) {
  const std::string mark = process::UniqueSleep();
  const std::string forever = "sleep " + mark;
  const PluginLaunch launch =
      Staying(forever + " & setsid " + forever + " & (setsid " + forever + " &)\necho $$ > $OUT");
  const pid_t parent = ::fork();
  if (parent == 0) {
    const auto started = Start(launch);
    scripts_.Put("started", started ? "yes" : started.error().message);
    ::pause();
    ::_exit(1);
  }
  ASSERT_GT(parent, 0);
  ASSERT_TRUE(process::Eventually([&] { return !FileText(scripts_ / "started").empty(); }));
  EXPECT_EQ(FileText(scripts_ / "started"), "yes");
  const pid_t plugin = std::stoi(Out());
  EXPECT_TRUE(process::IsAlive(plugin));
  ASSERT_TRUE(process::Eventually([&] { return process::MarkedProcesses(mark).size() == 3; }));
  ::kill(parent, SIGKILL);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  EXPECT_TRUE(process::Eventually([&] { return !process::IsAlive(plugin) && process::MarkedProcesses(mark).empty(); }));
  EXPECT_TRUE(process::Eventually([&] { return fs::is_empty(sockets_.path()); }));
  EXPECT_TRUE(process::Eventually([] {  // all are inherited by this process, the keeper last
    while (::waitpid(-1, nullptr, WNOHANG) > 0) continue;
    return errno == ECHILD;
  }));
}

}  // namespace
}  // namespace awf::plugins

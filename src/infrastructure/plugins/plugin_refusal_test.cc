// Each row of the table of failures that a start can come to: exact code and text, and nothing is left.
#include <filesystem>
#include <string>

#include "infrastructure/plugins/test_plugin_host.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::plugins {
namespace {

using std::chrono::milliseconds;

TEST_F(PluginHostTest, NoSuchFile) {
  PluginLaunch launch = Script("");
  launch.executable = scripts_ / "none";
  EXPECT_EQ(RefusalText(launch),
            "START: demo: cannot execute " + launch.executable.string() + ": No such file or directory");
  EXPECT_EQ(Refusal(launch).hint, "awf plugin check demo shows how far it gets.");
}

TEST_F(PluginHostTest, NotExecutable) {
  const PluginLaunch launch = Script("exit 0");
  std::filesystem::permissions(launch.executable, std::filesystem::perms::owner_read);
  EXPECT_EQ(RefusalText(launch), "START: demo: cannot execute " + launch.executable.string() + ": Permission denied");
}

TEST_F(PluginHostTest, InterpreterMissing) {
  PluginLaunch launch = Script("");
  scripts_.Put("awf-plugin-demo", "#!/no/such/python\n");
  EXPECT_EQ(RefusalText(launch), "START: demo: cannot execute " + launch.executable.string() +
                                     ": No such file or directory (its interpreter /no/such/python)");
}

TEST_F(PluginHostTest, NotAProgram) {
  PluginLaunch launch = Script("");
  scripts_.Put("awf-plugin-demo", "hello");
  EXPECT_EQ(RefusalText(launch), "START: demo: cannot execute " + launch.executable.string() + ": Exec format error");
}

TEST_F(PluginHostTest, OtherTextFirst) {
  EXPECT_EQ(RefusalText(Script("echo 'Starting up'; echo '1|1|unix|/s|grpc'; exec sleep 300")),
            "HANDSHAKE: demo: first stdout line is not a plugin handshake: \"Starting up\"");
}

TEST_F(PluginHostTest, FewerThanFourFields) {
  EXPECT_EQ(RefusalText(Script("echo '1|1|unix'; exec sleep 300")),
            "HANDSHAKE: demo: first stdout line is not a plugin handshake: \"1|1|unix\"");
}

TEST_F(PluginHostTest, OtherCoreProtocol) {
  EXPECT_EQ(RefusalText(Script("echo '2|1|unix|/s|grpc'; exec sleep 300")),
            "HANDSHAKE: demo speaks go-plugin core protocol 2, awf speaks 1");
}

TEST_F(PluginHostTest, OtherPluginProtocol) {
  EXPECT_EQ(RefusalText(Script("echo '1|7|unix|/s|grpc'; exec sleep 300")),
            "HANDSHAKE: demo speaks plugin protocol 7, awf accepts 1");
}

TEST_F(PluginHostTest, UnknownNetwork) {
  EXPECT_EQ(RefusalText(Script("echo '1|1|udp|/s|grpc'; exec sleep 300")), "HANDSHAKE: demo: unknown network \"udp\"");
}

TEST_F(PluginHostTest, NetRpc) {
  EXPECT_EQ(RefusalText(Script("echo '1|1|unix|/s|netrpc'; exec sleep 300")),
            "HANDSHAKE: demo speaks \"netrpc\", only grpc is supported");
}

TEST_F(PluginHostTest, BadCertificate) {
  PluginLaunch launch = Script("echo '1|1|unix|/s|grpc|" + std::string(60, '!') + "'; exec sleep 300");
  launch.tls_required = true;
  EXPECT_EQ(RefusalText(launch), "HANDSHAKE: demo: certificate cannot be read");
}

TEST_F(PluginHostTest, NoEncryptionWhereItIsRequired) {
  PluginLaunch launch = Staying();
  launch.tls_required = true;
  EXPECT_EQ(RefusalText(launch),
            "HANDSHAKE: demo offers no encryption; set `tls: off` for it in .awf/plugins.yaml to allow this");
}

TEST_F(PluginHostTest, NoLineEndWithin64KiB) {
  EXPECT_EQ(RefusalText(Script("head -c 65537 /dev/zero | tr '\\0' x; exec sleep 300")),
            "HANDSHAKE: demo: more than 65536 bytes on stdout without a line end; starts with \"" +
                std::string(200, 'x') + "…\"");
}

TEST_F(PluginHostTest, ALineOf64KiBIsRead) {
  EXPECT_EQ(RefusalText(Script("head -c 65536 /dev/zero | tr '\\0' x; echo; exec sleep 300")),
            "HANDSHAKE: demo: first stdout line is not a plugin handshake: \"" + std::string(200, 'x') + "…\"");
}

TEST_F(PluginHostTest, ExitsEarly) {
  EXPECT_EQ(RefusalText(Script("echo 'no such flag' >&2; exit 4")),
            "START: demo ended before the handshake: exit status 4; stderr: \"no such flag\"");
  EXPECT_TRUE(Ends().empty());  // it never was a plugin that runs
}

TEST_F(PluginHostTest, ExitsEarlyWithoutAWord) {
  EXPECT_EQ(RefusalText(Script("exit 0")), "START: demo ended before the handshake: exit status 0");
}

TEST_F(PluginHostTest, IsKilledEarly) {
  EXPECT_EQ(RefusalText(Script("kill -SEGV $$")), "START: demo ended before the handshake: SIGSEGV");
}

TEST_F(PluginHostTest, ExitsWithAnUnfinishedLine) {
  EXPECT_EQ(RefusalText(Script("printf '1|1|unix|/s|grpc'; exit 3")),
            "START: demo ended before the handshake: exit status 3");
}

TEST_F(PluginHostTest, WrongCookie) {
  EXPECT_EQ(RefusalText(Script("[ \"$AWF_PLUGIN\" = other ] || { echo 'This is a plugin.' >&2; exit 1; }")),
            "START: demo ended before the handshake: exit status 1; stderr: \"This is a plugin.\"");
}

TEST_F(PluginHostTest, ClosesStdoutAndStays) {
  EXPECT_EQ(RefusalText(Script("exec sleep 300 >&-")), "START: demo closed stdout without a handshake");
}

TEST_F(PluginHostTest, PrintsNothing) {
  PluginLaunch launch = Script("echo 'waiting for the moon' >&2; exec sleep 300");
  launch.start_timeout = milliseconds{400};
  EXPECT_EQ(RefusalText(launch), "START_TIMEOUT: demo: no handshake within 400 ms; stderr: \"waiting for the moon\"");
  EXPECT_EQ(Refusal(launch).hint, "Raise start_timeout of demo in .awf/plugins.yaml.");
}

TEST_F(PluginHostTest, TheCallersDeadlineCountsToo) {
  const PluginLaunch launch = Script("exec sleep 300");
  const auto started = Start(launch, SteadyClock::now() + milliseconds{300});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, "EXECUTION.PLUGIN.START_TIMEOUT");
  EXPECT_EQ(started.error().hint, "Raise the timeout of the step.");
  const auto late = Start(launch, SteadyClock::now() - milliseconds{1});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, "EXECUTION.PLUGIN.START_TIMEOUT");
  EXPECT_EQ(late.error().message, "demo: no start: the time was up before it was asked");
  // The plugin has had no full chance: another step may try.
  Script("exit 9");
  EXPECT_EQ(RefusalText(launch), "START: demo ended before the handshake: exit status 9");
}

TEST_F(PluginHostTest, ChecksumDiffers) {
  PluginLaunch launch = Script("touch $OUT; exit 1");
  const std::string found = telemetry::Sha256Hex(FileText(launch.executable));
  launch.checksums = {{std::string(64, 'a'), ".awf/plugins.lock"}};
  const Error error = Refusal(launch);
  EXPECT_EQ(error.code, "EXECUTION.PLUGIN.CHECKSUM_MISMATCH");
  EXPECT_EQ(error.message, "demo: .awf/plugins.lock expects " + std::string(64, 'a') + ", found " + found);
  EXPECT_EQ(error.hint, "If the change is wanted: awf plugin lock demo.");
  EXPECT_FALSE(std::filesystem::exists(scripts_ / "out"));
}

// gRPC is not built for ThreadSanitizer, which takes its locks for none.
#if !defined(__SANITIZE_THREAD__)
TEST_F(PluginHostTest, SocketMissing) {
  PluginHostOptions options = Options();
  options.connect = {};  // gRPC itself
  host_ = std::make_unique<PluginHost>(std::move(options));
  PluginLaunch launch = Staying();
  launch.start_timeout = milliseconds{1500};
  const std::string text = RefusalText(launch);
  EXPECT_TRUE(text.starts_with("CONNECT: demo: health check: ")) << text;
  EXPECT_NE(text.find("No such file or directory"), std::string::npos) << text;
}
#endif

TEST_F(PluginHostTest, NeverServing) {
  wire_.Say("/grpc.health.v1.Health/Check", "\x08\x02");
  PluginLaunch launch = Staying();
  launch.start_timeout = milliseconds{300};
  EXPECT_EQ(RefusalText(launch), "CONNECT: demo: health check: the plugin is NOT_SERVING");
}

TEST_F(PluginHostTest, UnknownToItsHealthService) {
  wire_.Refuse("/grpc.health.v1.Health/Check", {5, "unknown service"});
  EXPECT_EQ(RefusalText(Staying()), "CONNECT: demo: health check: NOT_FOUND: unknown service");
}

TEST_F(PluginHostTest, WrongCertificate) {
  wire_.Refuse("/grpc.health.v1.Health/Check", {kRpcUnavailable, "failed to connect to all addresses"});
  wire_.connect_error = "TLS handshake failed: certificate verify failed";
  EXPECT_EQ(RefusalText(Staying()), "CONNECT: demo: health check: TLS handshake failed: certificate verify failed");
  EXPECT_EQ(wire_.Noted(), (std::vector<std::string>{"Check", "Close"}));  // no second one would end otherwise
}

TEST_F(PluginHostTest, TheRealErrorIsToldWhenTheTimeIsUp) {
  wire_.answers["/grpc.health.v1.Health/Check"] = Hang;
  PluginLaunch launch = Staying();
  launch.start_timeout = milliseconds{300};
  EXPECT_TRUE(RefusalText(launch).starts_with("CONNECT: demo: health check: no answer within "));
  wire_.connect_error = "Connection refused";
  launch.name = "other";
  EXPECT_EQ(RefusalText(launch), "CONNECT: other: health check: Connection refused");
}

TEST_F(PluginHostTest, EndsBeforeItServes) {
  wire_.Refuse("/grpc.health.v1.Health/Check", {kRpcUnavailable, "failed to connect to all addresses"});
  EXPECT_EQ(RefusalText(Script("echo '1|1|unix|/s|grpc'; echo 'address in use' >&2; exit 2")),
            "CONNECT: demo: health check: plugin process ended (exit status 2); stderr: \"address in use\"");
}

TEST_F(PluginHostTest, RefusesItsConfiguration) {
  wire_.Refuse("/plugin.v1.PluginService/Init", {kRpcUnknown, "kubeconfig: no such file"});
  EXPECT_EQ(RefusalText(Staying()), "INIT: demo refused its configuration: kubeconfig: no such file");
}

TEST_F(PluginHostTest, EndsDuringInit) {
  const PluginLaunch launch = Script(
      "echo $$ > $OUT; echo '1|1|unix|/s|grpc'; while [ ! -e $OUT.go ]; do sleep 0.01; done; "
      "echo 'panic: nil' >&2; exit 2");
  wire_.answers["/plugin.v1.PluginService/Init"] = [this](const UnaryRequest&) {
    scripts_.Put("out.go", "");
    const std::string process = "/proc/" + std::to_string(std::stoi(Out()));
    EXPECT_TRUE(process::Eventually([&] { return !std::filesystem::exists(process); }));
    return UnaryReply{{kRpcUnavailable, "Socket closed"}, {}};
  };
  EXPECT_EQ(RefusalText(launch),
            "INIT: demo: plugin process ended during Init (exit status 2); last stderr: panic: nil");
}

TEST_F(PluginHostTest, InitHangs) {
  wire_.answers["/plugin.v1.PluginService/Init"] = Hang;
  PluginLaunch launch = Staying();
  launch.start_timeout = milliseconds{500};
  EXPECT_EQ(RefusalText(launch), "START_TIMEOUT: demo: no answer to Init within 500 ms");
}

TEST_F(PluginHostTest, OtherServicesAreMissing) {
  wire_.Refuse("/plugin.v1.OperationService/ListOperations", {kRpcUnimplemented, "unknown service"});
  EXPECT_EQ(RefusalText(Staying()), "INIT: demo: ListOperations failed: UNIMPLEMENTED: unknown service");
  wire_.Say("/plugin.v1.PluginService/GetInfo", "\xff");
  EXPECT_EQ(RefusalText(Staying({}, "other")), "INIT: other: GetInfo: the message cannot be read");
}

TEST_F(PluginHostTest, WhatAFailedPluginLeftIsKilled) {
  const std::string mark = process::UniqueSleep();
  const std::string forever = "sleep " + mark;
  const std::string children =
      forever + " & setsid " + forever + " & (setsid " + forever + " &); env -i setsid -f " + forever + "\n";
  for (const std::string& end :
       std::vector<std::string>{"exit 3", "echo garbage; exec " + forever, "exec " + forever + " >&-"}) {
    PluginLaunch launch = Script(children + end, "p" + std::to_string(end.size()));
    launch.start_timeout = milliseconds{500};  // which the last one uses up: its children hold stdout
    Refusal(launch);
    EXPECT_TRUE(process::MarkedProcesses(mark).empty()) << end;
  }
}

TEST_F(PluginHostTest, CancelledWhileItStarts) {
  std::stop_source stop;
  const PluginLaunch launch = Script("echo $$ > $OUT; exec sleep 300");
  std::expected<StartedPlugin, Error> started = std::unexpected(Error{});
  std::jthread starting([&] { started = Start(launch, {}, stop.get_token()); });
  ASSERT_TRUE(process::Eventually([&] { return Out().ends_with('\n'); }));
  stop.request_stop();
  starting.join();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, "EXECUTION.RUN.CANCELLED");
  EXPECT_EQ(started.error().message, "the start of plugin demo was cancelled");
  EXPECT_FALSE(process::IsAlive(std::stoi(Out())));
}

}  // namespace
}  // namespace awf::plugins

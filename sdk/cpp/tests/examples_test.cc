// The example plugins, as awf drives them.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>

#include "test_plugin_process.h"

namespace awf::sdk {
namespace {

std::string FakeKubectl() {
  return std::string{std::getenv("AWF_SOURCE_DIR")} + "/examples/plugins/kubernetes/fake/kubectl";
}

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

TEST(KubernetesExample, RunsKubectlWithItsConfigurationAndReturnsWhatItSays) {
  const TestFolder folder;
  const std::string log = folder / "calls";
  const std::string kubeconfig = folder.Put("kubeconfig", "");
  ConnectedPlugin plugin{{ExamplePlugin("kubernetes")}, {{"FAKE_KUBECTL_LOG", log}}};
  ASSERT_TRUE(
      plugin.Init({{"kubectl", Quoted(FakeKubectl())}, {"kubeconfig", Quoted(kubeconfig)}, {"context", Quoted("test")}})
          .ok());
  const auto pods = plugin.Answer("kubectl_get", {{"resource", R"("pods")"}, {"namespace", R"("shop")"}});
  EXPECT_TRUE(pods.success()) << pods.error();
  EXPECT_NE(pods.output().find("worker-5c9f7d6b4-lm8zt 0/1     CrashLoopBackOff"), std::string::npos);
  const auto described =
      plugin.Answer("kubectl_describe", {{"resource", R"("pod")"}, {"name", R"("worker-5c9f7d6b4-lm8zt")"}});
  EXPECT_NE(described.output().find("Back-off restarting failed container"), std::string::npos) << described.error();
  const auto log_lines =
      plugin.Answer("kubectl_logs", {{"pod", R"("worker-5c9f7d6b4-lm8zt")"}, {"lines", "5"}, {"previous", "true"}});
  EXPECT_EQ(log_lines.output(), "connecting to queue:5672\nfatal: environment variable QUEUE_PASSWORD is not set\n");
  const auto applied =
      plugin.Answer("kubectl_apply", {{"manifest", R"("kind: Deployment\nmetadata: {}\n")"}, {"dry_run", "true"}});
  EXPECT_EQ(applied.output(), "Deployment configured\n");
  const std::string options = "--kubeconfig=" + kubeconfig + " --context=test ";
  EXPECT_EQ(FileText(log), options + "get --namespace=shop -- pods\n" + options +
                               "describe -- pod worker-5c9f7d6b4-lm8zt\n" + options +
                               "logs --tail=5 --previous -- worker-5c9f7d6b4-lm8zt\n" + options +
                               "apply --filename=- --dry-run=server\n");
}

TEST(KubernetesExample, TellsWhatKubectlRefused) {
  ConnectedPlugin plugin{{ExamplePlugin("kubernetes")}};
  ASSERT_TRUE(plugin.Init({{"kubectl", Quoted(FakeKubectl())}}).ok());
  const auto answer = plugin.Answer("kubectl_get", {{"resource", R"("--all")"}, {"name", R"("x")"}});
  EXPECT_FALSE(answer.success());
  EXPECT_EQ(answer.error(), "Error from server (NotFound): get --all x not found\n");
  EXPECT_EQ(answer.data().at("exit_code"), "1");
}

TEST(KubernetesExample, TellsThatKubectlIsMissing) {
  ConnectedPlugin plugin{{ExamplePlugin("kubernetes")}};
  ASSERT_TRUE(plugin.Init({{"kubectl", R"("/nonexistent/kubectl")"}}).ok());
  const auto answer = plugin.Answer("kubectl_get", {{"resource", R"("pods")"}});
  EXPECT_EQ(answer.error(), "cannot start /nonexistent/kubectl: No such file or directory");
}

TEST(KubernetesExample, RefusesAKubeconfigThatIsNotThere) {
  ConnectedPlugin plugin{{ExamplePlugin("kubernetes")}};
  EXPECT_EQ(plugin.Init({{"kubeconfig", R"("/nonexistent/config")"}}).message,
            "kubeconfig: /nonexistent/config does not exist");
}

TEST(KubernetesExample, ACancelledCallEndsKubectl) {
  const TestFolder folder;
  const std::string log = folder / "calls";
  ConnectedPlugin plugin{{ExamplePlugin("kubernetes")}, {{"FAKE_KUBECTL_LOG", log}}};
  ASSERT_TRUE(plugin.Init({{"kubectl", Quoted(FakeKubectl())}}).ok());
  const std::string children = "/proc/" + std::to_string(plugin.process().pid()) + "/task";
  // The fake is a child of the thread that started it.
  const auto has_child = [&] {
    for (const auto& task : std::filesystem::directory_iterator(children)) {
      if (!FileText(task.path() / "children").empty()) return true;
    }
    return false;
  };
  std::stop_source stop;
  std::jthread caller{[&] {
    const auto reply = plugin.Execute("kubectl_logs", {{"pod", R"("endless")"}}, {.cancelled = stop.get_token()});
    EXPECT_EQ(reply.status.code, plugins::kRpcCancelled);
  }};
  EXPECT_TRUE(Eventually([&] { return !FileText(log).empty(); }));
  EXPECT_TRUE(has_child());
  stop.request_stop();
  EXPECT_TRUE(Eventually([&] { return !has_child(); }));
}

TEST(NotifyFileExample, AppendsALinePerMessage) {
  const TestFolder folder;
  const std::string file = folder / "messages";
  ConnectedPlugin plugin{{ExamplePlugin("notify-file")}};
  EXPECT_EQ(plugin.Init({}).message, "file is missing");
  ASSERT_TRUE(plugin.Init({{"file", Quoted(file)}}).ok());
  const auto sent = plugin.Answer("send", {{"message", R"("two\nlines")"}, {"title", R"("Build")"}});
  EXPECT_TRUE(sent.success()) << sent.error();
  EXPECT_EQ(sent.data().at("file"), Quoted(file));
  EXPECT_TRUE(plugin.Answer("send", {{"message", R"("done")"}}).success());
  const std::vector<std::string> lines = FileLines(file);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].ends_with("Z Build: two lines")) << lines[0];
  EXPECT_TRUE(lines[1].ends_with("Z done")) << lines[1];
}

TEST(NotifyFileExample, TellsWhyNothingWasWritten) {
  ConnectedPlugin plugin{{ExamplePlugin("notify-file")}};
  ASSERT_TRUE(plugin.Init({{"file", R"("/nonexistent/file")"}}).ok());
  const auto answer = plugin.Answer("send", {{"message", R"("x")"}});
  EXPECT_FALSE(answer.success());
  EXPECT_EQ(answer.error(), "/nonexistent/file: No such file or directory");
}

}  // namespace
}  // namespace awf::sdk

// The plugin "kubernetes": kubectl as tools, each with the arguments that an agent needs and no others.
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "awf/plugin.h"
#include "command.h"

namespace {

using namespace awf::sdk;

// What the configuration says; set by Init, before any call.
struct Settings {
  std::string program = "kubectl";
  std::vector<std::string> options;  // before every command
};

std::string WithHome(const std::string& path) {
  const char* home = std::getenv("HOME");
  return path.starts_with("~/") && home != nullptr ? home + path.substr(1) : path;
}

std::expected<void, std::string> Configure(const Config& config, Settings& settings) {
  settings.program = WithHome(config.String("kubectl", "kubectl"));
  if (config.Has("kubeconfig")) {
    const std::string path = WithHome(config.String("kubeconfig"));
    if (!std::filesystem::exists(path)) return std::unexpected("kubeconfig: " + path + " does not exist");
    settings.options.push_back("--kubeconfig=" + path);
  }
  if (config.Has("context")) settings.options.push_back("--context=" + config.String("context"));
  return {};
}

// The command line of kubectl. What the agent says stands behind `=` or `--`, so that it can never be an option.
class CommandLine {
 public:
  CommandLine(const Settings& settings, std::string_view command) : argv_{settings.program} {
    argv_.insert(argv_.end(), settings.options.begin(), settings.options.end());
    argv_.emplace_back(command);
  }

  // An input that is absent adds nothing.
  CommandLine& Option(const Call& call, std::string_view input, std::string_view option) {
    if (call.Has(input)) argv_.push_back(std::string{option} + "=" + call.String(input));
    return *this;
  }
  CommandLine& Flag(std::string flag) {
    argv_.push_back(std::move(flag));
    return *this;
  }
  CommandLine& Names(const Call& call, std::initializer_list<std::string_view> inputs) {
    argv_.emplace_back("--");
    for (const std::string_view input : inputs) {
      if (call.Has(input)) argv_.push_back(call.String(input));
    }
    return *this;
  }

  Result Run(const Call& call, std::string_view input = {}) const {
    const auto result = RunCommand(argv_, input, call.cancelled());
    if (!result) return Failed(result.error());
    if (result->exit_code == 0) return Ok().Output(result->output);
    return Failed(result->error.empty() ? "kubectl failed" : result->error)
        .Output(result->output)
        .Set("exit_code", result->exit_code);
  }

 private:
  std::vector<std::string> argv_;
};

const Input kNamespace{"namespace", "string", Optional, "Namespace; the context's own when absent."};

void AddReaders(Plugin& plugin, const std::shared_ptr<Settings>& settings) {
  plugin.Add({.name = "kubectl_get",
              .description = "Lists resources of a Kubernetes cluster, or one of them.",
              .inputs = {{"resource", "string", Required, "Kind, e.g. pods or deployments."},
                         {"name", "string", Optional, "One resource; all when absent."},
                         kNamespace,
                         {"selector", "string", Optional, "Label selector, e.g. app=web."},
                         {"format", "string", Optional, "wide, json, yaml or name; a table when absent."}}},
             [settings](Call& call) {
               return CommandLine{*settings, "get"}
                   .Option(call, "namespace", "--namespace")
                   .Option(call, "selector", "--selector")
                   .Option(call, "format", "--output")
                   .Names(call, {"resource", "name"})
                   .Run(call);
             });
  plugin.Add(
      {.name = "kubectl_describe",
       .description = "Describes a resource of a Kubernetes cluster with its events.",
       .inputs = {{"resource", "string", Required, "Kind, e.g. pod."}, {"name", "string", Required}, kNamespace}},
      [settings](Call& call) {
        return CommandLine{*settings, "describe"}
            .Option(call, "namespace", "--namespace")
            .Names(call, {"resource", "name"})
            .Run(call);
      });
  plugin.Add({.name = "kubectl_logs",
              .description = "Returns the end of the log of a pod.",
              .inputs = {{"pod", "string", Required},
                         kNamespace,
                         {"container", "string", Optional, "The only one when absent."},
                         {"lines", "integer", Optional, "How many of the last lines.", "100"},
                         {"previous", "boolean", Optional, "Of the container before its last restart."}}},
             [settings](Call& call) {
               CommandLine line{*settings, "logs"};
               line.Option(call, "namespace", "--namespace").Option(call, "container", "--container");
               line.Flag("--tail=" + std::to_string(call.Int("lines", 100)));
               if (call.Bool("previous")) line.Flag("--previous");
               return line.Names(call, {"pod"}).Run(call);
             });
}

void AddWriter(Plugin& plugin, const std::shared_ptr<Settings>& settings) {
  plugin.Add({.name = "kubectl_apply",
              .description = "Applies a manifest to a Kubernetes cluster.",
              .inputs = {{"manifest", "string", Required, "YAML or JSON."},
                         kNamespace,
                         {"dry_run", "boolean", Optional, "Only tells what would change."}}},
             [settings](Call& call) {
               CommandLine line{*settings, "apply"};
               line.Option(call, "namespace", "--namespace").Flag("--filename=-");
               if (call.Bool("dry_run")) line.Flag("--dry-run=server");
               return line.Run(call, call.String("manifest"));
             });
}

}  // namespace

int main() {
  const auto settings = std::make_shared<Settings>();
  Plugin plugin{"kubernetes", "0.1.0", "kubectl for agents"};
  plugin.OnInit([settings](const Config& config) { return Configure(config, *settings); });
  AddReaders(plugin, settings);
  AddWriter(plugin, settings);
  return plugin.Serve();
}

#include "cli/plugin_command_line.h"

namespace awf::cli {
namespace {

constexpr char kListExamples[] =
    "NAME and --operations start the plugins, to ask them. -f quiet prints names alone and starts nothing: with\n"
    "--operations the operations that lock and cache know.\n"
    "Examples:\n"
    "  awf plugin list                       what there is, and from where\n"
    "  awf plugin list kubernetes            its operations, inputs and tool names\n"
    "  awf plugin list --details             executables, and manifests that are hidden by others\n"
    "  awf plugin list --operations -f json | jq '.[] | {name, operations}'";

constexpr char kLockExamples[] =
    "The file says of each plugin the SHA-256 of its executable and what its operations look like. Commit it: a\n"
    "review sees changed tools, validate needs to start nothing, and run refuses another executable.\n"
    "Examples:\n"
    "  awf plugin lock                       all plugins of the project\n"
    "  awf plugin lock kubernetes            this one; the others stay as they are";

constexpr char kVerifyExamples[] =
    "Exit code 0: all are as expected; 3: at least one is not. --update stores the present hashes in the state file\n"
    "of the user, for plugins that no project locks.\n"
    "Examples:\n"
    "  awf plugin verify\n"
    "  awf plugin verify kubernetes --update";

constexpr char kCallExamples[] =
    "Goes through the same checks as the call of an agent. A value that is no JSON is taken as text. Exit code 0: it\n"
    "succeeded; 1: the inputs are wrong; 3: the operation failed, or the plugin did not start.\n"
    "Examples:\n"
    "  awf plugin call kubernetes kubectl_get --input resource=pods --input all=true\n"
    "  awf plugin call github list_pull_requests --input state=open --input limit=5\n"
    "  awf plugin call demo join --input words='[\"a\", \"b\"]' -f json";

constexpr char kInitExamples[] =
    "Makes the folder awf-plugin-NAME here: manifest, source, build file, test, a workflow that calls it.\n"
    "Examples:\n"
    "  awf plugin init weather\n"
    "  awf plugin init weather --lang cpp";

DeclaredOption Name(std::string& target, const char* description, bool required) {
  return {"name", description, &target, "PLUGIN", {}, required};
}

}  // namespace

DeclaredCommand PluginCommandLine::Declare() {
  DeclaredCommand plugin{"plugin", "Look at plugins, lock them, try them: awf plugin list --help", {}};
  plugin.commands = {List(), Switch(enable_), Switch(disable_), Lock(), Verify(), Check(), Call(), Init()};
  return plugin;
}

DeclaredCommand PluginCommandLine::List() {
  return {
      "list",
      "List plugins, or what they can do",
      kListExamples,
      {Name(list_.name, "Only this plugin, with its operations", false),
       {"--operations", "Start them and list their operations", &list_.operations},
       {"--details", "All that is known of each, without starting it", &list_.details}},
      [this](const GlobalOptions& global, const Config& config) { return PluginListCommand(list_, global, config); }};
}

DeclaredCommand PluginCommandLine::Switch(PluginSwitchOptions& options) {
  const std::string word = options.enable ? "enable" : "disable";
  return {word,
          options.enable ? "Let runs use a plugin again" : "Keep runs from using a plugin",
          "Example:  awf plugin " + word + " kubernetes",
          {Name(options.name, "Which plugin", true)},
          [&options](const GlobalOptions& global, const Config& config) {
            return PluginSwitchCommand(options, global, config);
          }};
}

DeclaredCommand PluginCommandLine::Lock() {
  return {
      "lock",
      "Start the project's plugins and write down what they are, in .awf/plugins.lock",
      kLockExamples,
      {{"name", "Only these plugins", &lock_.names, "PLUGIN"}},
      [this](const GlobalOptions& global, const Config& config) { return PluginLockCommand(lock_, global, config); }};
}

DeclaredCommand PluginCommandLine::Verify() {
  return {"verify",
          "Check that executables are those that were written down",
          kVerifyExamples,
          {{"name", "Only these plugins", &verify_.names, "PLUGIN"},
           {"--update", "Store the present hashes in the state file", &verify_.update}},
          [this](const GlobalOptions& global, const Config& config) {
            return PluginVerifyCommand(verify_, global, config);
          }};
}

DeclaredCommand PluginCommandLine::Check() {
  return {
      "check",
      "Start and stop a plugin, and show how far it gets",
      "A line for each stage, with its time. Exit code 3 when it fails.\nExample:  awf plugin check kubernetes",
      {Name(check_.name, "Which plugin", true)},
      [this](const GlobalOptions& global, const Config& config) { return PluginCheckCommand(check_, global, config); }};
}

DeclaredCommand PluginCommandLine::Call() {
  return {
      "call",
      "Call one operation and print its result",
      kCallExamples,
      {Name(call_.name, "Which plugin", true),
       {"operation", "Which operation", &call_.operation, "OPERATION", {}, true},
       {"-i,--input", "Input of the operation; may be repeated", &call_.inputs, "NAME=JSON"}},
      [this](const GlobalOptions& global, const Config& config) { return PluginCallCommand(call_, global, config); }};
}

DeclaredCommand PluginCommandLine::Init() {
  return {"init",
          "Make a new plugin to begin with",
          kInitExamples,
          {{"name", "Its name", &init_.name, "NAME", {}, true},
           {"--lang", "In which language: cpp (default), go, python, node", &init_.language, "LANGUAGE"}},
          [this](const GlobalOptions& global, const Config&) { return PluginInitCommand(init_, global); }};
}

}  // namespace awf::cli

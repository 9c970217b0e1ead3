// The command line, with CLI11. The only file that includes it: it is the slowest header of the program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "domain/nearest_name.h"

namespace awf::cli {
namespace {

constexpr char kFooter[] =
    "Start here:  awf demo\n"
    "More:        awf COMMAND --help";

// Reports a malformed command line as awf reports every error.
int Malformed(const GlobalOptions& global, std::string message, std::string hint) {
  return ReportErrors({Error{"USER.INPUT.INVALID_FORMAT", std::move(message), std::move(hint), {}, {}, {}}}, global);
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What a misspelt word was probably meant to be, among the commands and the flags that are valid where it stood.
std::string HintFor(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* place = &app;
  for (const std::string& word : words) {
    if (word.starts_with("-")) {
      std::vector<std::string> flags = FlagNames(*place);
      if (place != &app) std::ranges::copy(FlagNames(app), std::back_inserter(flags));
      const std::string name = word.substr(0, word.find('='));
      if (std::ranges::find(flags, name) == flags.end()) {
        const std::string nearest = NearestName(name, flags);
        if (!nearest.empty()) return "did you mean " + nearest + "?";
      }
    } else if (place == &app) {
      const std::vector<std::string> names = CommandNames(app);
      if (std::ranges::find(names, word) != names.end()) {
        place = app.get_subcommand(word);
      } else if (const std::string nearest = NearestName(word, names); !nearest.empty()) {
        return "did you mean " + nearest + "?";
      }
    }
  }
  return place == &app ? "see awf --help" : "see awf " + place->get_name() + " --help";
}

// In our words where the library's say nothing.
std::string MessageOf(const CLI::ParseError& error, const CLI::App& app) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  std::string unknown;
  for (const std::string& word : app.remaining(true)) unknown += (unknown.empty() ? "'" : ", '") + word + "'";
  const bool in_command = !app.get_subcommands().empty();
  return (in_command ? "unknown argument: " : "unknown command or flag: ") + unknown;
}

std::expected<std::vector<std::pair<std::string, std::string>>, std::string> SplitInputs(
    const std::vector<std::string>& given) {
  std::vector<std::pair<std::string, std::string>> inputs;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return std::unexpected("'" + text + "' is not NAME=VALUE");
    inputs.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return inputs;
}

// Options that stand for themselves before and after the command's name.
void AddGlobalOptions(CLI::App& app, GlobalOptions& global, std::string& format, std::string& log_level,
                      std::string& log_format) {
  app.add_flag("--verbose", global.verbose, "Tell more: notes of validation, log lines from info on");
  app.add_flag("-q,--quiet", global.quiet, "No progress, only results and errors");
  app.add_flag("--no-color", global.no_color, "No colours (NO_COLOR works too)");
  app.add_flag("--no-hints", global.no_hints, "Errors without hints");
  app.add_option("--log-level", log_level, "Least level in log.jsonl")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->type_name("LEVEL");
  app.add_option("--log-format", log_format, "Log records on stderr as text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
  app.add_option("--storage", global.storage, "Folder for run records (default $XDG_DATA_HOME/awf)")->type_name("DIR");
  app.add_option("-f,--format", format, "Results as text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->type_name("FORMAT");
}

std::optional<LogLevel> ParseLogLevel(std::string_view text) {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError}) {
    if (text == ToString(level)) return level;
  }
  return std::nullopt;
}

// An environment variable stands where no flag was given.
void Default(std::string& value, const char* variable) {
  if (!value.empty()) return;
  if (const char* found = std::getenv(variable)) value = found;
}

}  // namespace

int CommandLineMain(int argc, char** argv) {
  GlobalOptions global;
  RunOptions run;
  ValidateOptions validate;
  DemoOptions demo;
  std::string error_code, format, log_level, log_format;
  std::vector<std::string> inputs;

  CLI::App app{"awf runs workflows of AI agents and sees every tool call that they make.", "awf"};
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("awf ") + AWF_VERSION);
  app.fallthrough();
  app.require_subcommand(0, 1);
  AddGlobalOptions(app, global, format, log_level, log_format);

  CLI::App* run_command = app.add_subcommand("run", "Run a workflow");
  run_command->add_option("workflow", run.workflow, "Workflow file (.yaml)")->required()->type_name("FILE");
  run_command->add_option("-i,--input", inputs, "Input of the workflow; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  run_command->add_option("--otel-exporter", run.otel_exporter, "none (default), file or file:PATH (OTLP JSON lines)")
      ->type_name("EXPORTER");
  run_command->add_option("--otel-service-name", run.service_name, "service.name of the spans")->type_name("NAME");
  run_command->add_flag("--trace-file", run.trace_file, "Write the spans to trace.json of the run folder");
  run_command->add_option("--run-id", run.run_id, "Name of the run (default: time and random digits)")->type_name("ID");
  run_command->footer(
      "Example:  awf run examples/workflows/fix-failing-test.yaml -i provider=claude -i project=. -i "
      "test_command='make test'");

  CLI::App* validate_command = app.add_subcommand("validate", "Check a workflow file without running it");
  validate_command->add_option("workflow", validate.workflow, "Workflow file (.yaml)")->required()->type_name("FILE");
  validate_command->add_flag("--strict", validate.strict, "Warnings fail too (exit code 2)");

  CLI::App* error_command = app.add_subcommand("error", "Explain an error code");
  error_command->add_option("code", error_code, "Code or the beginning of one; none lists all")->type_name("CODE");

  CLI::App* demo_command =
      app.add_subcommand("demo", "Watch an agent repair a small project through the proxy (no key, no network)");
  demo_command->add_option("--provider", demo.provider, "openai_compatible (a scripted model inside awf) or claude")
      ->check(CLI::IsMember({"openai_compatible", "claude"}))
      ->type_name("PROVIDER");
  demo_command->add_flag("--keep", demo.keep, "Keep the sample project");

  CLI::App* mcp_command = app.add_subcommand("mcp", "Serve the built-in tools to an MCP client: awf mcp serve --help");
  mcp_command->add_subcommand("serve", "Serve the built-in tools over stdio");
  mcp_command->require_subcommand(1);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (std::ranges::find(words, "json") != words.end()) global.format = OutputFormat::kJson;
    return Malformed(global, MessageOf(error, app), HintFor(app, words));
  }

  Default(global.storage, "AWF_STORAGE");
  Default(log_level, "AWF_LOG_LEVEL");
  Default(log_format, "AWF_LOG_FORMAT");
  if (!log_level.empty()) {
    const std::optional<LogLevel> level = ParseLogLevel(log_level);
    if (!level) return Malformed(global, "AWF_LOG_LEVEL is '" + log_level + "'", "use debug, info, warn or error");
    global.log_level = *level;
  }
  global.json_log = log_format == "json";
  if (format == "json") global.format = OutputFormat::kJson;
  if (const char* no_color = std::getenv("NO_COLOR"); no_color != nullptr && *no_color != '\0') global.no_color = true;

  if (*run_command) {
    auto split = SplitInputs(inputs);
    if (!split) return Malformed(global, "-i: " + split.error(), "example: -i path=src");
    run.inputs = std::move(*split);
    run.global = global;
    return RunCommand(run);
  }
  if (*validate_command) {
    validate.global = global;
    return ValidateCommand(validate);
  }
  if (*error_command) return ErrorCommand(global, error_code);
  if (*demo_command) {
    demo.global = global;
    return DemoCommand(demo);
  }
  std::cout << app.help();
  return 0;
}

}  // namespace awf::cli

// The command line, with CLI11. The only file that includes it: it is the slowest header of the program.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_description.h"
#include "cli/command_examples.h"
#include "cli/command_words.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/declared_command.h"
#include "cli/masking.h"
#include "cli/parse_refusal.h"
#include "cli/plugin_command_line.h"
#include "cli/print_result.h"
#include "cli/record_command_line.h"
#include "cli/run_setup.h"
#include "domain/joined.h"

namespace awf::cli {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

// Words that help and completion offer for a value; what is none of them is judged later.
CLI::Validator Offered(const std::string& words) {
  return {[](std::string&) { return std::string(); }, "{" + words + "}"};
}

class CommandLine {
 public:
  CommandLine();
  int Main(int argc, char** argv);

 private:
  void AddGlobals();
  void AddRun();
  void AddRunFlags(CLI::App& command, RunOptions& run);
  void AddValidate();
  void AddRuns();
  void AddOthers();
  void AddMcp();
  void AddPrinted();
  void AddHelp();
  void Declare(CLI::App& parent, const DeclaredCommand& declared);
  void Declare(CLI::App& command, const DeclaredOption& declared);
  CLI::Validator OneOf(std::string subject, std::vector<std::string> words);
  CLI::Validator NotEmpty(std::string subject);
  int Malformed(std::string message, std::string hint);
  int Unparsed(const CLI::ParseError& error, const std::vector<std::string>& words);
  int Help();
  int HelpOfCommand();
  std::expected<void, Error> Formats();
  std::expected<Pairs, Error> Split(const std::vector<std::string>& given, const std::string& flag,
                                    const std::string& example) const;
  std::expected<void, Error> FillRun(RunOptions& run);
  int Dispatch();
  int DispatchPrinted();
  int DispatchValidate();
  int DispatchRun();

  CLI::App app_{"awf runs workflows of AI agents and sees every tool call that they make.", "awf"};
  GlobalOptions global_;
  GivenSettings given_;
  std::string format_, output_;
  std::vector<std::string> inputs_, mocks_;
  RunOptions run_;
  ResumeOptions resume_;
  ValidateOptions validate_;
  ListOptions list_;
  HistoryOptions history_;
  McpServeOptions mcp_serve_;
  RecordCommandLine records_;
  PluginCommandLine plugins_;
  std::vector<std::pair<CLI::App*, std::function<int(const GlobalOptions&, const Config&)>>> declared_;
  std::string error_code_, list_what_, shell_;
  std::vector<std::string> help_of_;
  Refusal refusal_;  // of the validator that failed
  CLI::App *run_command_ = nullptr, *resume_command_ = nullptr, *resume_list_command_ = nullptr,
           *validate_command_ = nullptr, *list_command_ = nullptr, *history_command_ = nullptr,
           *error_command_ = nullptr, *schema_command_ = nullptr, *completion_command_ = nullptr,
           *man_command_ = nullptr, *version_command_ = nullptr, *help_command_ = nullptr, *serve_command_ = nullptr;
};

CommandLine::CommandLine() {
  app_.set_version_flag("--version", std::string("awf ") + AWF_VERSION);
  app_.fallthrough();
  app_.require_subcommand(0, 1);
  app_.get_formatter()->column_width(34);
  AddGlobals();
  AddRun();
  AddValidate();
  AddRuns();
  Declare(app_, records_.Audit());
  Declare(app_, plugins_.Declare());
  Declare(app_, records_.Doctor());
  AddOthers();
  Declare(app_, records_.Demo());
  AddMcp();
  AddPrinted();
  AddHelp();
  app_.footer(kFooter);  // last: commands would inherit it
}

// In place of CLI::IsMember: the refusal is in our words, with the nearest one.
CLI::Validator CommandLine::OneOf(std::string subject, std::vector<std::string> words) {
  const std::string shown = "{" + Joined(words, ",") + "}";
  return {[this, subject = std::move(subject), words = std::move(words)](std::string& given) {
            if (std::ranges::find(words, given) != words.end()) return std::string();
            refusal_ = NoneOf(subject, words, given);
            return refusal_.message;
          },
          shown};
}

CLI::Validator CommandLine::NotEmpty(std::string subject) {
  return {[this, subject = std::move(subject)](std::string& given) {
            if (!given.empty()) return std::string();
            refusal_ = {subject + " needs a value", {}};
            return refusal_.message;
          },
          ""};
}

void CommandLine::Declare(CLI::App& parent, const DeclaredCommand& declared) {
  CLI::App* command = parent.add_subcommand(declared.name, declared.description);
  for (const DeclaredOption& option : declared.options) Declare(*command, option);
  if (!declared.examples.empty()) command->footer(declared.examples);
  if (declared.run) declared_.emplace_back(command, declared.run);
  for (const DeclaredCommand& inner : declared.commands) Declare(*command, inner);
  if (!declared.commands.empty()) command->require_subcommand(1);
}

void CommandLine::Declare(CLI::App& command, const DeclaredOption& declared) {
  const auto& [name, description, target, value, choices, required] = declared;
  if (auto* const* flag = std::get_if<bool*>(&target)) {
    command.add_flag(name, **flag, description);
    return;
  }
  CLI::Option* option = nullptr;
  if (auto* const* text = std::get_if<std::string*>(&target)) {
    option = command.add_option(name, **text, description);
  } else if (auto* const* texts = std::get_if<std::vector<std::string>*>(&target)) {
    option = command.add_option(name, **texts, description);
    if (name.starts_with('-')) option->allow_extra_args(false);
  } else {
    auto* optional = std::get<std::optional<std::string>*>(target);
    option = command.add_option_function<std::string>(
        name, [optional](const std::string& given) { *optional = given; }, description);
  }
  if (!choices.empty()) option->check(OneOf(name, choices));
  option->type_name(value)->required(required);
}

// Options that stand for themselves before and after the command's name.
void CommandLine::AddGlobals() {
  app_.add_flag("--verbose", global_.verbose, "Tell more: notes of validation, log lines from info on");
  app_.add_flag("-q,--quiet", global_.quiet, "No progress, only results and errors");
  app_.add_flag("--no-color", global_.no_color, "No colours (NO_COLOR works too)");
  app_.add_flag("--no-hints", global_.no_hints, "Errors without hints");
  app_.add_option("--log-level", given_.log_level, "Least level in log.jsonl: debug, info, warn, error")
      ->check(OneOf("--log-level", {"debug", "info", "warn", "error"}))
      ->type_name("LEVEL");
  app_.add_option("--log-format", given_.log_format, "Log records on stderr as text or json")
      ->check(OneOf("--log-format", {"text", "json"}))
      ->type_name("FORMAT");
  app_.add_option("--config", global_.config_file, "Configuration (default .awf/config.yaml)")->type_name("FILE");
  app_.add_option("--storage", global_.storage, "Folder for run records (default $XDG_DATA_HOME/awf)")
      ->type_name("DIR");
  app_.add_option("-f,--format", format_, "Form of the results")
      ->check(Offered("text,json,table,quiet"))
      ->type_name("FORMAT");
}

void CommandLine::AddRunFlags(CLI::App& command, RunOptions& run) {
  command.add_option("-i,--input", inputs_, "Input of the workflow; @PATH reads a file; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--input-file", run.input_file, "Inputs from a JSON or YAML map")->type_name("FILE");
  command.add_flag("--no-input", run.no_input, "Never ask for missing inputs (AWF_NO_INPUT works too)");
  command.add_option("-o,--output", output_, "Output of commands: streaming (default), buffered, silent")
      ->check(OneOf("-o", {"streaming", "buffered", "silent"}))
      ->type_name("MODE");
  command.add_flag("--strict", run.strict, "Warnings stop it before it starts (exit code 2)");
  command.add_flag("--skip-plugins", run.skip_plugins, "Plugins, and what steps use of them, are not checked");
  command
      .add_option_function<std::string>(
          "--otel-exporter", [&run](const std::string& exporter) { run.otel_exporter = exporter; },
          "Where spans go: none (default), otlp, otlp-http, console, file, file:PATH, HOST:PORT or a URL")
      ->type_name("EXPORTER");
  command.add_option("--otel-service-name", run.service_name, "service.name of the spans (default awf)")
      ->type_name("NAME");
  command.add_flag("--trace-file", run.trace_file, "Write the spans to trace.json of the run folder");
  command.add_flag("--transcript", run.transcript,
                   "Write the conversation to transcript.jsonl of the run folder; what of it: transcript.content of "
                   "the configuration");
}

void CommandLine::AddRun() {
  run_command_ = app_.add_subcommand("run", "Run a workflow");
  run_command_->add_option("workflow", run_.workflow, "Workflow file (.yaml), or name as in awf list")
      ->required()
      ->type_name("WORKFLOW");
  AddRunFlags(*run_command_, run_);
  run_command_->add_flag("--dry-run", run_.dry_run, "Show what would run; starts nothing, writes nothing");
  run_command_->add_option("--step", run_.only_state, "Run this one state, then stop")->type_name("STATE");
  run_command_->add_option("--mock", mocks_, "With --step: result of a state that has not run; may be repeated")
      ->type_name("states.STATE.FIELD=VALUE")
      ->allow_extra_args(false);
  run_command_->add_option("--run-id", run_.run_id, "Name of the run (default: time and random digits)")
      ->type_name("ID");
  run_command_->footer(kRunExamples);
}

void CommandLine::AddValidate() {
  validate_command_ = app_.add_subcommand("validate", "Check a workflow without running it");
  CLI::Option* workflow = validate_command_->add_option("workflow", validate_.workflow, "Workflow file, or name");
  workflow->type_name("WORKFLOW");
  validate_command_->add_option("--dir", validate_.folder, "Check all .yaml and .yml files of a folder")
      ->type_name("DIR")
      ->excludes(workflow);
  validate_command_->add_flag("--strict", validate_.strict, "Warnings fail too (exit code 2)");
  validate_command_->add_flag("--skip-plugins", validate_.skip_plugins,
                              "Plugins, and what steps use of them, are not checked");
  validate_command_->add_flag("--start-plugins", validate_.start_plugins,
                              "Start plugins whose operations neither lock nor cache knows, to ask them");
  validate_command_->footer(kValidateExamples);
}

// What has to do with runs that are over, or not quite.
void CommandLine::AddRuns() {
  resume_command_ = app_.add_subcommand("resume", "Go on with a run that was interrupted, cancelled or failed");
  resume_command_->add_option("run", resume_.run_id, "Run id or its beginning (default: the newest)")->type_name("RUN");
  resume_command_->add_flag("-l,--list", resume_.list, "List the runs that can be resumed");
  resume_command_->add_option("--from", resume_.from, "current (default), previous, or a state")
      ->check(Offered("current,previous"))
      ->type_name("WHERE");
  resume_command_->add_flag("--reload", resume_.reload, "With the present workflow file, not the stored one");
  AddRunFlags(*resume_command_, resume_.run);
  resume_command_->footer(kResumeExamples);
  resume_list_command_ = app_.add_subcommand("resume-list", "List the runs that can be resumed");

  Declare(app_, records_.Status());

  history_command_ = app_.add_subcommand("history", "List past runs, newest first");
  history_command_->add_option("-w,--workflow", history_.workflow, "Only of this workflow")->type_name("NAME");
  history_command_->add_option("-s,--status", history_.status, "Only of this status")
      ->check(Offered("running,interrupted,completed,failed,cancelled,damaged"))
      ->type_name("STATUS");
  history_command_->add_option("--since", history_.since, "24h, or a date: 2026-11-30")->type_name("WHEN");
  history_command_->add_option("-n,--limit", history_.limit, "How many at most (default 20; 0: all)")->type_name("N");
  history_command_->add_flag("--stats", history_.stats, "Counts, share of success and durations by workflow");
  history_command_->footer(kHistoryExamples);
}

void CommandLine::AddOthers() {
  list_command_ = app_.add_subcommand("list", "List workflows, or prompts");
  list_command_->add_option("what", list_what_, "prompts: the prompt files")
      ->check(OneOf("what is listed", {"prompts"}))
      ->type_name("prompts");

  error_command_ = app_.add_subcommand("error", "Explain an error code");
  error_command_->add_option("code", error_code_, "Code or the beginning of one; none lists all")->type_name("CODE");
  error_command_->footer("Example:  awf error EXECUTION.AGENT");

  schema_command_ = app_.add_subcommand("schema", "Print the JSON Schema of workflow files, for editors");
  schema_command_->footer("Example:  awf schema > .awf/workflow.schema.json");
}

void CommandLine::AddMcp() {
  CLI::App* mcp_command = app_.add_subcommand("mcp", "Serve the built-in tools to an MCP client: awf mcp serve --help");
  serve_command_ = mcp_command->add_subcommand(
      "serve", "Serve the built-in tools (Read, Write, Edit, Bash, Glob, Grep) over MCP on stdin and stdout");
  serve_command_->add_option("--root", mcp_serve_.root, "Where relative paths start and commands run (default: here)")
      ->check(NotEmpty("--root"))
      ->type_name("DIR");
  serve_command_->add_option("--sandbox", mcp_serve_.sandbox, "What the tools may reach, below")
      ->check(OneOf("--sandbox", {"workspace-write", "read-only", "strict", "off"}))
      ->type_name("MODE");
  serve_command_->add_option("--log", mcp_serve_.log, "One JSON line per call is appended (default: stderr)")
      ->check(NotEmpty("--log"))
      ->type_name("FILE");
  serve_command_->footer(kServeExamples);
  mcp_command->require_subcommand(1);
}

// What is printed from the definition of the command line itself.
void CommandLine::AddPrinted() {
  completion_command_ = app_.add_subcommand("completion", "Print a completion script for a shell");
  completion_command_->add_option("shell", shell_, "bash, zsh or fish")
      ->required()
      ->check(OneOf("the shell", {"bash", "zsh", "fish"}))
      ->type_name("SHELL");
  completion_command_->footer(kCompletionExamples);
  man_command_ = app_.add_subcommand("man", "Print the manual page, in the form that man reads");
  man_command_->footer("Example:  awf man | man -l -");
  version_command_ = app_.add_subcommand("version", "Print the version");
}

void CommandLine::AddHelp() {
  std::vector<std::string> names;
  for (const CLI::App* command : app_.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  help_command_ = app_.add_subcommand("help", "Show the help of a command, as awf COMMAND --help");
  help_command_->add_option("command", help_of_, "Which command")
      ->check(Offered(Joined(names, ",")))
      ->type_name("COMMAND");
}

// Reports a malformed command line as awf reports every error.
int CommandLine::Malformed(std::string message, std::string hint) {
  return ReportErrors({Fail("USER.INPUT.INVALID_FORMAT", std::move(message), std::move(hint)).error()}, global_);
}

DescribedOption Described(const CLI::Option& option) {
  DescribedOption described;
  if (!option.get_snames().empty()) described.short_flag = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) described.long_flag = "--" + option.get_lnames().front();
  described.description = option.get_description();
  if (option.get_items_expected_max() > 0) SetValue(described, option.get_type_name());
  described.repeatable = option.get_expected_max() > 1;
  described.required = option.get_required();
  return described;
}

DescribedCommand Described(const CLI::App& app) {
  DescribedCommand described{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? described.operands : described.options).push_back(Described(*option));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    described.commands.push_back(Described(*command));
  return described;
}

// What is left of the failed parse, without the library.
FailedParse Failed(const CLI::ParseError& error, const CLI::App& app) {
  FailedParse failed{{}, false, app.remaining(true), error.what(), FailedParse::Kind::kOther};
  const CLI::App* innermost = &app;
  while (!innermost->get_subcommands().empty()) {
    innermost = innermost->get_subcommands().front();
    failed.command += (failed.command.empty() ? "" : " ") + innermost->get_name();
  }
  failed.needs_command = !innermost->get_subcommands([](const CLI::App*) { return true; }).empty();
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) failed.kind = FailedParse::Kind::kNotANumber;
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) failed.kind = FailedParse::Kind::kUnknownWords;
  return failed;
}

int CommandLine::Unparsed(const CLI::ParseError& error, const std::vector<std::string>& words) {
  if (AsksForJson(words)) global_.format = OutputFormat::kJson;
  Refusal refusal = dynamic_cast<const CLI::ValidationError*>(&error) != nullptr ? refusal_ : Refusal{};
  Refusal other = RefusalOf(Failed(error, app_), WordsOf(Described(app_)), words);
  if (refusal.message.empty()) refusal.message = std::move(other.message);
  if (refusal.hint.empty()) refusal.hint = std::move(other.hint);
  return Malformed(std::move(refusal.message), std::move(refusal.hint));
}

int CommandLine::Help() {
  const int exit_code = PrintResult(app_.help(), global_);
  if (exit_code != 0 || !*run_command_ || run_.workflow.empty()) return exit_code;
  run_.global = global_;
  return RunHelpCommand(run_);
}

// `awf help COMMAND`: as if --help stood behind that command.
int CommandLine::HelpOfCommand() {
  if (const Refusal refusal = UnknownCommand(WordsOf(Described(app_)), help_of_); !refusal.message.empty())
    return Malformed(refusal.message, refusal.hint);
  std::vector<std::string> words = {"awf"};
  words.insert(words.end(), help_of_.begin(), help_of_.end());
  words.emplace_back("--help");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return CommandLine().Main(static_cast<int>(words.size()), argv.data());
}

std::expected<void, Error> CommandLine::Formats() {
  static constexpr std::array<std::pair<std::string_view, OutputFormat>, 4> kFormats = {{
      {"text", OutputFormat::kText},
      {"json", OutputFormat::kJson},
      {"table", OutputFormat::kTable},
      {"quiet", OutputFormat::kQuiet},
  }};
  if (format_.empty()) return {};
  for (const auto& [name, format] : kFormats) {
    if (name != format_) continue;
    global_.format = format;
    if (format == OutputFormat::kQuiet) global_.quiet = true;
    return {};
  }
  return Fail(
      "USER.INPUT.INVALID_FORMAT",
      format_ == "github" ? "--format github is not supported yet" : "--format: there is no format '" + format_ + "'",
      "use text, json, table or quiet");
}

std::unexpected<Error> NotAPair(const std::string& flag, const std::string& text, const std::string& example) {
  return Fail("USER.INPUT.INVALID_FORMAT", flag + ": '" + text + "' is not NAME=VALUE", "example: " + example);
}

std::expected<Pairs, Error> CommandLine::Split(const std::vector<std::string>& given, const std::string& flag,
                                               const std::string& example) const {
  Pairs pairs;
  for (const std::string& text : given) {
    std::string name, value;
    if (!SplitPair(text, name, value)) return NotAPair(flag, text, example);
    pairs.emplace_back(std::move(name), std::move(value));
  }
  return pairs;
}

std::expected<void, Error> CommandLine::FillRun(RunOptions& run) {
  auto inputs = Split(inputs_, "-i", "-i path=src");
  if (!inputs) return std::unexpected(inputs.error());
  auto mocks = Split(mocks_, "--mock", "--mock states.build.Output=fine");
  if (!mocks) return std::unexpected(mocks.error());
  run.inputs = std::move(*inputs);
  run.mocks = std::move(*mocks);
  run.global = global_;
  if (output_ == "buffered") run.output = OutputMode::kBuffered;
  if (output_ == "silent") run.output = OutputMode::kSilent;
  if (NonEmptyVariable("AWF_NO_INPUT")) run.no_input = true;
  return {};
}

int CommandLine::Main(int argc, char** argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return Help();
  } catch (const CLI::CallForVersion&) {
    return PrintResult(app_.version() + "\n", global_);
  } catch (const CLI::ParseError& error) {
    return Unparsed(error, std::vector<std::string>(argv + 1, argv + argc));
  }
  if (auto known = Formats(); !known) return ReportErrors({known.error()}, global_);
  return Dispatch();
}

int CommandLine::Dispatch() {
  const bool is_declared = std::ranges::any_of(declared_, [](const auto& each) { return each.first->parsed(); });
  if (is_declared || *run_command_ || *resume_command_ || *resume_list_command_ || *history_command_)
    return DispatchRun();
  if (*validate_command_) {
    if (validate_.workflow.empty() && validate_.folder.empty())
      return Malformed("validate needs a workflow, or --dir", "see awf validate --help");
    return DispatchValidate();
  }
  if (*list_command_) {
    list_.global = global_;
    list_.prompts = list_what_ == "prompts";
    return ListCommand(list_);
  }
  if (*error_command_) return ErrorCommand(global_, error_code_);
  if (*schema_command_) return SchemaCommand(global_);
  if (*serve_command_) {
    mcp_serve_.global = global_;
    mcp_serve_.log_level = given_.log_level;
    mcp_serve_.log_format = given_.log_format;
    return McpPublicServeCommand(mcp_serve_);
  }
  return DispatchPrinted();
}

int CommandLine::DispatchPrinted() {
  if (*help_command_) return HelpOfCommand();
  if (*completion_command_) return PrintResult(CompletionScript(Described(app_), shell_), global_);
  if (*man_command_) return PrintResult(ManPage(Described(app_), AWF_VERSION), global_);
  if (*version_command_) return PrintResult(app_.version() + "\n", global_);
  return PrintResult(app_.help(), global_);
}

int CommandLine::DispatchValidate() {
  auto config = ReadConfiguration(global_);
  if (!config) return ReportErrors(config.error(), global_);
  global_.masker = MaskerOfErrors(*config);
  if (auto settled = SettleGlobals(given_, *config, global_); !settled) return ReportErrors({settled.error()}, global_);
  validate_.config = std::move(*config);
  validate_.global = global_;
  return ValidateCommand(validate_);
}

// The commands that the configuration files have a say in.
int CommandLine::DispatchRun() {
  auto config = ReadConfiguration(global_);
  if (!config) return ReportErrors(config.error(), global_);
  global_.masker = MaskerOfErrors(*config);
  if (auto settled = SettleGlobals(given_, *config, global_); !settled) return ReportErrors({settled.error()}, global_);
  for (const auto& [command, run] : declared_)
    if (*command) return run(global_, *config);
  if (*history_command_) {
    history_.global = global_;
    return HistoryCommand(history_);
  }
  RunOptions& run = *run_command_ ? run_ : resume_.run;
  run.config = std::move(*config);
  if (auto filled = FillRun(run); !filled) return ReportErrors({filled.error()}, global_);
  if (*run_command_) return RunCommand(run_);
  resume_.list = resume_.list || *resume_list_command_;
  return ResumeCommand(resume_);
}

}  // namespace

int CommandLineMain(int argc, char** argv) { return CommandLine().Main(argc, argv); }

}  // namespace awf::cli

// The commands of awf, one function and one file each. command_line.cc parses the arguments (the only file that
// includes CLI11); main.cc recognises mcp-serve and keeper before anything else is built up.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/config.h"
#include "domain/masker.h"
#include "domain/run_observer.h"

namespace awf::cli {

enum class OutputFormat { kText, kJson, kTable, kQuiet };
// What of the output of commands is shown: as it comes, when the state has ended, or not at all.
enum class OutputMode { kStreaming, kBuffered, kSilent };

struct GlobalOptions {
  bool verbose = false;
  bool quiet = false;
  bool no_color = false;
  bool no_hints = false;
  LogLevel log_level = LogLevel::kInfo;
  bool json_log = false;    // --log-format json
  std::string config_file;  // --config
  std::string storage;      // --storage; default $AWF_STORAGE, else $XDG_DATA_HOME/awf, else ~/.local/share/awf
  OutputFormat format = OutputFormat::kText;
  std::shared_ptr<const Masker> masker;  // of errors that end the command; null: the environment's secrets alone
};

struct RunOptions {
  GlobalOptions global;
  std::string workflow;                                     // path or name
  std::vector<std::pair<std::string, std::string>> inputs;  // -i k=v, in order
  std::string input_file;                                   // --input-file
  bool no_input = false;                                    // never ask
  OutputMode output = OutputMode::kStreaming;
  bool dry_run = false;
  bool strict = false;
  bool skip_plugins = false;
  std::string only_state;                                  // --step
  std::vector<std::pair<std::string, std::string>> mocks;  // --mock states.S.Field=V: path and value
  std::optional<std::string> otel_exporter;                // as ChooseTrace (run_setup.h) takes it; empty: none
  bool trace_file = false;
  bool transcript = false;   // --transcript: messages without the input and output of tools
  std::string service_name;  // empty: of the environment, the configuration, awf
  std::string run_id;        // empty: drawn
  Config config;             // of the configuration files: what stands below flags and environment
};

struct ResumeOptions {
  RunOptions run;       // flags that resume shares with run; workflow is empty
  std::string run_id;   // id or prefix; empty: the newest that can be resumed
  bool list = false;    // -l
  std::string from;     // current (default), previous, or a state
  bool reload = false;  // the present workflow file
};

struct ValidateOptions {
  GlobalOptions global;
  std::string workflow;  // path or name
  std::string folder;    // --dir: all files in it
  bool strict = false;
  bool skip_plugins = false;
  bool start_plugins = false;
  Config config;  // of the configuration files: options of providers that a workflow need not give
};

struct ListOptions {
  GlobalOptions global;
  bool prompts = false;  // awf list prompts
};

struct StatusOptions {
  GlobalOptions global;
  std::string run_id;
};

struct HistoryOptions {
  GlobalOptions global;
  std::string workflow;  // -w
  std::string status;    // -s
  std::string since;     // duration (24h) or date (2026-11-30)
  int limit = 20;        // -n
  bool stats = false;
};

struct AuditVerifyOptions {
  GlobalOptions global;
  std::string target;               // run id or prefix, or a file
  std::optional<std::string> head;  // --head: a hash that was kept
  bool json = false;                // --json, as -f json
};

struct DoctorOptions {
  GlobalOptions global;
  std::vector<std::string> probe;  // --probe: providers as written; empty: a report on all
  std::string model;               // --model, of a probe
  bool json = false;               // --json, as -f json
  Config config;                   // of the configuration files: paths of programs, the telemetry endpoint
};

struct DemoOptions {
  GlobalOptions global;
  std::string provider = "openai_compatible";
  bool keep = false;
};

struct McpServeOptions {
  GlobalOptions global;
  std::string root, sandbox, log;     // empty: not given
  std::string log_level, log_format;  // as the flags say, or empty
};

// Each returns the exit code of the process.
int RunCommand(const RunOptions& options);
int ValidateCommand(const ValidateOptions& options);
int ResumeCommand(const ResumeOptions& options);
int ListCommand(const ListOptions& options);
int StatusCommand(const StatusOptions& options);
int HistoryCommand(const HistoryOptions& options);
int AuditVerifyCommand(const AuditVerifyOptions& options);
int SchemaCommand(const GlobalOptions& global);
int RunHelpCommand(const RunOptions& options);  // awf run WF --help: its inputs
int ErrorCommand(const GlobalOptions& global, const std::string& code_or_prefix);
int DoctorCommand(const DoctorOptions& options);
int DemoCommand(const DemoOptions& options);
int McpPublicServeCommand(const McpServeOptions& options);

// Without the command line library: these start fast. `arguments` are those after the command's name.
int McpServeCommand(const std::vector<std::string>& arguments);  // awf mcp-serve --config FILE
int KeeperCommand(const std::vector<std::string>& arguments);    // awf keeper FD

// Parses and runs everything else.
int CommandLineMain(int argc, char** argv);

// Prints errors as awf does everywhere (text block or JSON) and returns the exit code of the first by class order; or
// `exit_code`, when it is not 0.
int ReportErrors(const std::vector<Error>& errors, const GlobalOptions& global, int exit_code = 0);

}  // namespace awf::cli

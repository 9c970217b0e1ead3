// The commands of awf, one function and one file each. command_line.cc parses the arguments (the only file that
// includes CLI11); main.cc recognises mcp-serve, `mcp serve` and keeper before anything else is built up.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "domain/run_observer.h"

namespace awf::cli {

enum class OutputFormat { kText, kJson };

struct GlobalOptions {
  bool verbose = false;
  bool quiet = false;
  bool no_color = false;
  bool no_hints = false;
  LogLevel log_level = LogLevel::kInfo;
  bool json_log = false;  // --log-format json
  std::string storage;    // --storage; default $AWF_STORAGE, else $XDG_DATA_HOME/awf, else ~/.local/share/awf
  OutputFormat format = OutputFormat::kText;
};

struct RunOptions {
  GlobalOptions global;
  std::string workflow;                                     // path of a .yaml file
  std::vector<std::pair<std::string, std::string>> inputs;  // -i k=v, in order
  std::string otel_exporter;                                // none | file | file:PATH
  bool trace_file = false;
  std::string service_name = "awf";
  std::string run_id;  // empty: drawn
};

struct ValidateOptions {
  GlobalOptions global;
  std::string workflow;
  bool strict = false;
};

struct DemoOptions {
  GlobalOptions global;
  std::string provider = "openai_compatible";
  bool keep = false;
};

// Each returns the exit code of the process.
int RunCommand(const RunOptions& options);
int ValidateCommand(const ValidateOptions& options);
int ErrorCommand(const GlobalOptions& global, const std::string& code_or_prefix);
int DemoCommand(const DemoOptions& options);

// Without the command line library: these start fast. `arguments` are those after the command's name.
int McpServeCommand(const std::vector<std::string>& arguments);        // awf mcp-serve --config FILE
int McpPublicServeCommand(const std::vector<std::string>& arguments);  // awf mcp serve [--root] [--sandbox] [--log]
int KeeperCommand(const std::vector<std::string>& arguments);          // awf keeper FD

// Parses and runs everything else.
int CommandLineMain(int argc, char** argv);

// Prints errors as awf does everywhere (text block or JSON) and returns the exit code of the first by class order.
int ReportErrors(const std::vector<Error>& errors, const GlobalOptions& global);

}  // namespace awf::cli

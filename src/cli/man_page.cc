// The page awf(1). Commands and flags come from the definition of the command line; what cannot be derived is written
// here.
#include "cli/command_description.h"

namespace awf::cli {
namespace {

constexpr std::string_view kIntroduction = R"(.SH DESCRIPTION
.B awf
runs workflows that are written as state machines in YAML.
Steps run commands, agents (the Claude Code CLI, or any server with the Chat Completions API), parallel branches and
loops.
Between each agent and its tools stands a proxy: every call of a tool is logged, written to an audit record that is
chained by hashes and, if wanted, exported as an OpenTelemetry span.
.PP
Results go to standard output; states, calls, warnings and errors go to standard error.
)";

constexpr std::string_view kSections = R"(.SH EXIT STATUS
.TP
.B 0
Success; of
.BR "awf validate" :
no errors.
.TP
.B 1
The caller: flags, inputs, names, configuration
.RI ( USER.* ).
.TP
.B 2
The workflow file; with
.B \-\-strict
warnings too
.RI ( WORKFLOW.* ).
.TP
.B 3
Something failed while it ran
.RI ( EXECUTION.* ).
.TP
.B 4
The machine refused something, or a defect of awf
.RI ( SYSTEM.* ).
.TP
.B 1\(en255
What a workflow says with
.BR "on_failure: {status}" .
.PP
A run that was interrupted ends by the same signal (a shell shows 130 for Ctrl\-C, 143 for SIGTERM).
.B awf error
.I CODE
explains an error code.
.SH ENVIRONMENT
.TP
.B AWF_STORAGE
As
.BR \-\-storage .
.TP
.BR AWF_WORKFLOWS_PATH ", " AWF_PROMPTS_PATH ", " AWF_PLUGINS_PATH
Folders, separated by colons, in place of
.IR .awf/workflows ", " .awf/prompts " and " .awf/plugins
of the project and the folders of the user.
.TP
.BR AWF_CONFIG_PATH ", " AWF_CONFIG_HOME
The configuration file; the folder in place of
.IR ~/.config/awf .
.TP
.B AWF_AUDIT_LOG
As
.B audit.path
of the configuration: where the audit records of all runs are collected.
.TP
.BR AWF_LOG_LEVEL ", " AWF_LOG_FORMAT ", " AWF_NO_INPUT
As
.BR \-\-log\-level ", " \-\-log\-format " and " \-\-no\-input .
.TP
.B NO_COLOR
No colours.
.TP
.BR OTEL_* ", " TRACEPARENT
As in OpenTelemetry: exporter, service name, resource, and the parent of the run's trace.
.TP
.BR OPENAI_BASE_URL ", " OPENAI_MODEL ", " OPENAI_API_KEY
Defaults of the provider
.BR openai_compatible .
.SH FILES
.TP
.IR .awf/config.yaml ", " ~/.config/awf/config.yaml
Configuration of the project and of the user.
.TP
.IR .awf/workflows ", " ~/.config/awf/workflows
Workflows that can be named without a path.
.TP
.IR .awf/plugins.yaml ", " .awf/plugins.lock
Plugins of the project, and what they were when they were last looked at.
.TP
.IR .awf/plugins ", " ~/.local/share/awf/plugins
Folders of plugins, of the project and of the user.
.TP
.I ~/.local/share/awf/runs
One folder for each run with
.IR log.jsonl ", " audit.jsonl " and " run.json .
.SH EXAMPLES
.EX
awf demo
awf validate review.yaml
awf run review.yaml \-i test_command=\(aqmake test\(aq
awf history \-s failed \-\-since 24h
awf resume
awf error EXECUTION.AGENT
.EE
.SH NOTES
HTTP models and exporters that send over the network load libcurl (Debian: the package
.B libcurl4
or
.BR libcurl4t64 )
when they are first used; nothing else of awf needs it.
.SH SEE ALSO
.BR git (1),
.BR jq (1)
)";

std::string Escaped(std::string_view text) {
  std::string escaped;
  bool line_begin = true;
  for (const char c : text) {
    if (line_begin && (c == '.' || c == '\'')) escaped += "\\&";
    line_begin = c == '\n';
    switch (c) {
      case '\\':
        escaped += "\\e";
        break;
      case '-':
        escaped += "\\-";
        break;
      case '\'':
        escaped += "\\(aq";
        break;
      case '`':
        escaped += "\\(ga";
        break;
      case '^':
        escaped += "\\(ha";
        break;
      case '~':
        escaped += "\\(ti";
        break;
      case '"':
        escaped += "\\(dq";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Bold(std::string_view text) { return "\\fB" + Escaped(text) + "\\fR"; }
std::string Italic(std::string_view text) { return "\\fI" + Escaped(text) + "\\fR"; }

std::string OptionText(const DescribedOption& option) {
  std::string heading;
  for (const std::string& flag : option.Flags()) heading += (heading.empty() ? "" : ", ") + Bold(flag);
  if (option.IsOperand()) heading = Italic(option.value);
  if (!option.IsOperand() && !option.value.empty()) heading += " " + Italic(option.value);
  std::string text = ".TP\n" + heading + "\n" + Escaped(option.description) + ".\n";
  if (option.choices.empty() || option.IsOperand()) return text;
  std::string words;
  for (const std::string& choice : option.choices) words += (words.empty() ? "" : ", ") + Bold(choice);
  return text + "Values: " + words + ".\n";
}

// What stands before the heading of the examples, then the examples without that heading ("Examples:").
std::string ExampleText(const std::string& lines) {
  const std::size_t heading = lines.find("Example");
  if (heading == std::string::npos) return {};
  const std::string before = lines.substr(0, heading);
  std::string text = before.empty() ? "" : ".PP\n.EX\n" + Escaped(before) + ".EE\n";
  const std::size_t first = lines.find("  awf ", heading);
  if (first == std::string::npos) return text;
  return text + ".PP\n.EX\n" + Escaped(lines.substr(first)) + "\n.EE\n";
}

std::string CommandText(const DescribedCommand& command, const std::string& path) {
  std::string text;
  if (command.commands.empty()) {
    std::string usage = Bold(path);
    if (!command.options.empty()) usage += " [" + Italic("OPTIONS") + "]";
    for (const DescribedOption& operand : command.operands)
      usage += operand.required ? " " + Italic(operand.value) : " [" + Italic(operand.value) + "]";
    text = ".SS " + Escaped(path) + "\n" + usage + "\n.PP\n" + Escaped(command.description) + ".\n";
    for (const DescribedOption& operand : command.operands) text += OptionText(operand);
    for (const DescribedOption& option : command.options)
      if (option.long_flag != "--help") text += OptionText(option);
    text += ExampleText(command.examples);
  }
  for (const DescribedCommand& inner : command.commands) text += CommandText(inner, path + " " + inner.name);
  return text;
}

}  // namespace

// Without a date: the same sources make the same page.
std::string ManPage(const DescribedCommand& program, std::string_view version) {
  std::string page = ".TH AWF 1 \"\" \"awf " + std::string(version) +
                     "\" \"User Commands\"\n"
                     ".SH NAME\n"
                     "awf \\- run workflows of AI agents and see every tool call that they make\n"
                     ".SH SYNOPSIS\n" +
                     Bold("awf") + " " + Italic("COMMAND") + " [" + Italic("OPTIONS") + "] [" + Italic("ARGUMENT") +
                     "]\n" + std::string(kIntroduction) + ".SH OPTIONS\nThese stand before or after the command.\n";
  for (const DescribedOption& option : program.options) page += OptionText(option);
  page += ".SH COMMANDS\n";
  for (const DescribedCommand& command : program.commands) page += CommandText(command, "awf " + command.name);
  return page.append(kSections);
}

}  // namespace awf::cli

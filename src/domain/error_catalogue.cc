#include "domain/error_catalogue.h"

namespace awf {
namespace {

constexpr CatalogueEntry kEntries[] = {
    {"USER.INPUT.INVALID_FORMAT", "A flag, an argument or an -i value is malformed or unknown.",
     "See --help of the command.", "USER.INPUT.VALIDATION_FAILED"},
    {"USER.INPUT.VALIDATION_FAILED", "Inputs of the workflow are missing or were refused.",
     "Correct the inputs that the message lists; -i name=value sets one.", "USER.INPUT.INVALID_FORMAT"},
    {"USER.MCP_PROXY.EMPTY_PROXY",
     "mcp_proxy is enabled but offers no tool: the built-ins are not intercepted and no plugin operation is exposed.",
     "Set intercept_builtins: true, expose operations of a plugin, or remove the block.", "USER.MCP_PROXY.UNKNOWN_KEY"},
    {"USER.MCP_PROXY.NAME_COLLISION", "Two tools of a step would have the same name.", "Expose only one of them.",
     "USER.MCP_PROXY.EMPTY_PROXY"},
    {"USER.MCP_PROXY.UNKNOWN_KEY", "The mcp_proxy block, or a map inside it, holds a key that does not exist.",
     "Correct the key; the hint names the nearest one.", "WORKFLOW.PARSE.UNKNOWN_FIELD"},
    {"USER.MCP_PROXY.UNSUPPORTED_PROVIDER",
     "The step asks for something that cannot be had with this provider or on this machine, as isolation: required or "
     "an explicit sandbox.",
     "Use a provider or machine that can do it, or drop the requirement.", "EXECUTION.MCP_PROXY.BYPASS"},
    {"USER.PROVIDER.UNKNOWN", "The provider of an agent step does not exist.",
     "Use one of the providers that the message lists.", "EXECUTION.AGENT.NOT_INSTALLED"},
    {"USER.WORKFLOW.NOT_FOUND", "No workflow file of that name was found.", "Give the path of a .yaml file.", ""},
    {"WORKFLOW.PARSE.DUPLICATE_KEY", "A key stands twice in one map.", "Remove one of the two.",
     "WORKFLOW.PARSE.YAML_SYNTAX"},
    {"WORKFLOW.PARSE.INVALID_VALUE", "A value has the wrong type or lies outside what is allowed.",
     "Correct the value; the message tells what is allowed.", "WORKFLOW.PARSE.MISSING_FIELD"},
    {"WORKFLOW.PARSE.MISSING_FIELD", "A required key is absent.", "Add the key.", "WORKFLOW.PARSE.INVALID_VALUE"},
    {"WORKFLOW.PARSE.UNKNOWN_FIELD", "A key does not exist, or is not supported yet.",
     "Correct the key; the hint names the nearest one.", "USER.MCP_PROXY.UNKNOWN_KEY"},
    {"WORKFLOW.PARSE.YAML_SYNTAX", "The file is not valid YAML, or breaks a limit (4 MiB, 100 levels, 100 000 nodes).",
     "Correct the file at the position given.", "WORKFLOW.PARSE.DUPLICATE_KEY"},
    {"WORKFLOW.VALIDATION.CYCLE_DETECTED", "States repeat, and no success leaves the cycle.",
     "Give the cycle a transition that leads out of it.", "WORKFLOW.VALIDATION.NO_TERMINAL EXECUTION.RUN.STEP_LIMIT"},
    {"WORKFLOW.VALIDATION.FORWARD_REFERENCE",
     "A template refers to a state that has not run by then: never (error), or not on every way there (warning).",
     "Refer to a state that comes before, or give a value for that case with default.",
     "EXECUTION.TEMPLATE.UNDEFINED WORKFLOW.VALIDATION.UNDEFINED_REFERENCE"},
    {"WORKFLOW.VALIDATION.INVALID_TRANSITION", "A state has onward keys that make no sense, or lacks a way on.",
     "Give a working state on_success; give a terminal state none.", "WORKFLOW.VALIDATION.MISSING_STATE"},
    {"WORKFLOW.VALIDATION.MISSING_STATE", "A transition names a state that does not exist.",
     "Correct the name; the hint names the nearest state.", "WORKFLOW.VALIDATION.INVALID_TRANSITION"},
    {"WORKFLOW.VALIDATION.NO_TERMINAL", "No terminal state can be reached from the initial one.",
     "Add a state of type terminal and a transition to it.", "WORKFLOW.VALIDATION.UNREACHABLE_STATE"},
    {"WORKFLOW.VALIDATION.TEMPLATE_SYNTAX", "A template is malformed or uses something that is not supported.",
     "Correct it at the position given.", "WORKFLOW.VALIDATION.UNDEFINED_REFERENCE"},
    {"WORKFLOW.VALIDATION.UNDEFINED_REFERENCE",
     "A template names an input, state, field or namespace that does not exist.",
     "Correct the name; the hint names the nearest one.", "EXECUTION.TEMPLATE.UNDEFINED"},
    {"WORKFLOW.VALIDATION.UNESCAPED_OUTPUT", "The text of an agent goes into a shell command as it is.",
     "Pipe it into escape, so that the shell takes it as one word.", ""},
    {"WORKFLOW.VALIDATION.UNREACHABLE_STATE", "A state can never be reached.", "Remove it or add a transition to it.",
     "WORKFLOW.VALIDATION.NO_TERMINAL"},
    {"EXECUTION.AGENT.AUTH", "The agent's login or key was refused, or there is none.",
     "Log in with the CLI itself, or set the key in the environment.", "EXECUTION.AGENT.FAILED"},
    {"EXECUTION.AGENT.FAILED", "The agent reported an error, or ended without its final event.",
     "The provider's own text is shown; log.jsonl of the run has its last output.", "EXECUTION.AGENT.TIMEOUT"},
    {"EXECUTION.AGENT.NOT_INSTALLED", "The agent's CLI was not found, or its version cannot be used.",
     "Install it and make sure that it is on the PATH.", "USER.PROVIDER.UNKNOWN"},
    {"EXECUTION.AGENT.RATE_LIMITED", "The provider's quota is used up, after its own retries.", "Wait and run again.",
     "EXECUTION.AGENT.FAILED"},
    {"EXECUTION.AGENT.TIMEOUT", "The agent step ran into its timeout.", "Raise timeout of the state.",
     "EXECUTION.COMMAND.TIMEOUT"},
    {"EXECUTION.COMMAND.FAILED", "A command ended with a code other than 0.", "See its output.",
     "EXECUTION.COMMAND.SPAWN_FAILED"},
    {"EXECUTION.COMMAND.SPAWN_FAILED", "A command could not be started.", "Check the working directory and the shell.",
     "EXECUTION.COMMAND.FAILED"},
    {"EXECUTION.COMMAND.TIMEOUT", "A command ran into the timeout of its state.", "Raise timeout of the state.",
     "EXECUTION.AGENT.TIMEOUT"},
    {"EXECUTION.MCP_PROXY.BYPASS", "The agent used a native tool although isolation: required.",
     "Use another provider or version of it.", "USER.MCP_PROXY.UNSUPPORTED_PROVIDER"},
    {"EXECUTION.MCP_PROXY.LOOP_GUARD",
     "The model asked for tools more often than max_turns allows, or announced calls and sent none.",
     "Narrow the prompt, or raise options.max_turns.", "EXECUTION.AGENT.FAILED"},
    {"EXECUTION.MCP_PROXY.LOST", "The MCP server of the step died and none took its place, or calls were lost.",
     "log.jsonl of the run has the last lines of CLI and server.", "EXECUTION.MCP_PROXY.NOT_CONNECTED"},
    {"EXECUTION.MCP_PROXY.NOT_CONNECTED", "The agent worked without ever having connected to its MCP server.",
     "log.jsonl of the run has the last lines of CLI and server.", "EXECUTION.MCP_PROXY.LOST"},
    {"EXECUTION.RUN.CANCELLED", "The run was interrupted by a signal.", "Run it again.", ""},
    {"EXECUTION.RUN.STEP_LIMIT", "The run entered more than 10 000 states.", "Give the cycle a way out.", ""},
    {"EXECUTION.TEMPLATE.UNDEFINED", "A template needs a value that is not there at run time.",
     "Check that the state it comes from has run.", "WORKFLOW.VALIDATION.UNDEFINED_REFERENCE"},
    {"EXECUTION.WORKFLOW.FAILED", "The workflow reached a failure terminal.", "Its message tells why.", ""},
    {"SYSTEM.INTERNAL.UNMAPPED", "A defect of awf itself.", "Report it together with the run folder.", ""},
    {"SYSTEM.IO.PERMISSION_DENIED", "The file system refused awf access.", "The message names path and cause.",
     "SYSTEM.IO.READ_FAILED"},
    {"SYSTEM.IO.READ_FAILED", "awf could not read a file.", "The message names path and cause.",
     "SYSTEM.IO.WRITE_FAILED"},
    {"SYSTEM.IO.WRITE_FAILED", "awf could not write a file.", "The message names path and cause.",
     "SYSTEM.IO.READ_FAILED"},
};

}  // namespace

std::span<const CatalogueEntry> ErrorCatalogue() { return kEntries; }

const CatalogueEntry* FindErrorCode(std::string_view code) {
  for (const CatalogueEntry& entry : kEntries)
    if (entry.code == code) return &entry;
  return nullptr;
}

int ExitCodeOf(std::string_view code) {
  if (code.starts_with("USER.")) return 1;
  if (code.starts_with("WORKFLOW.")) return 2;
  if (code.starts_with("EXECUTION.")) return 3;
  return 4;
}

}  // namespace awf

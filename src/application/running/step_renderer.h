// Makes the request of one attempt out of a state: templates rendered, files read, folders resolved, options checked.
//
// Whatever is missing or wrong at that moment is an error of the state, with its position in the workflow file. What
// bounds the attempt (deadline, cancellation) is for the caller to set. Constant, so thread-safe.
#pragma once

#include <chrono>
#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "application/language/scope.h"
#include "application/running/workflow_runner.h"
#include "domain/agent.h"
#include "domain/command.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

class StepRenderer {
 public:
  // `scope` holds all values that templates may name, and the ports for environment and files. Both references are not
  // owned. `workflow_folder` is absolute: relative prompt and script files start there.
  StepRenderer(const RunRequest& run, const Scope& scope, std::filesystem::path workflow_folder)
      : run_(run), scope_(scope), workflow_folder_(std::move(workflow_folder)) {}

  std::expected<CommandRequest, Error> Command(const State& state, const CommandState& command,
                                               const StepContext& context) const;
  std::expected<AgentRequest, Error> Agent(const State& state, const AgentState& agent,
                                           const StepContext& context) const;
  // The inputs of an operation step: strings are templates, one that is a single action keeps the type of its value.
  std::expected<json::object, Error> Inputs(const State& state, const OperationState& operation) const;
  // A command of a hook: in the state's folder, with its environment.
  std::expected<CommandRequest, Error> HookCommand(const State& state, const TemplateText& command,
                                                   const StepContext& context) const;

  std::expected<std::string, Error> Text(const State& state, const TemplateText& text, const std::string& field) const;
  // As `Text`, but a single action keeps the type of its value.
  std::expected<json::value, Error> Value(const State& state, const TemplateText& text, const std::string& field) const;
  // Of one attempt: the state's own, else the configuration's for its type; nothing: unlimited.
  std::expected<std::optional<std::chrono::milliseconds>, Error> Timeout(const State& state) const;
  // What of an agent step is known when it starts; empty where it cannot be told.
  StepStart AgentStart(const State& state, const AgentState& agent) const;

 private:
  std::expected<CommandRequest, Error> Script(const State& state, const TemplateText& file,
                                              const StepContext& context) const;
  std::expected<CommandRequest, Error> WithoutText(const State& state, const StepContext& context) const;
  std::expected<std::string, Error> FileText(const State& state, const TemplateText& path, const std::string& field,
                                             std::filesystem::path& found) const;
  std::expected<std::string, Error> Prompt(const State& state, const AgentState& agent) const;
  std::expected<std::string, Error> Provider(const State& state, const AgentState& agent, std::string& written) const;
  std::expected<std::filesystem::path, Error> Folder(const State& state, std::string code) const;
  std::expected<json::object, Error> Options(const State& state, const AgentState& agent,
                                             const std::string& provider) const;
  std::expected<std::optional<McpProxySettings>, Error> Proxy(const State& state, const AgentState& agent,
                                                              const std::filesystem::path& folder) const;
  std::vector<std::pair<std::string, std::string>> Environment(const StepContext& context) const;

  const RunRequest& run_;
  const Scope& scope_;
  const std::filesystem::path workflow_folder_;
};

}  // namespace awf

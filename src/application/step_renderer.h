// Makes the request of one attempt out of a state: templates rendered, folders resolved, options checked, deadline set.
//
// Whatever is missing or wrong at that moment is an error of the state, with its position in the workflow file.
#pragma once

#include <expected>

#include "application/workflow_runner.h"
#include "domain/agent.h"
#include "domain/command.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

class StepRenderer {
 public:
  // `scope` holds inputs and the results so far; none is owned.
  StepRenderer(const RunRequest& run, const json::object& scope, const EnvironmentLookup& environment)
      : run_(run), scope_(scope), environment_(environment) {}

  std::expected<CommandRequest, Error> Command(const State& state, const CommandState& command,
                                               const StepContext& context) const;
  std::expected<AgentRequest, Error> Agent(const State& state, const AgentState& agent,
                                           const StepContext& context) const;
  std::expected<std::string, Error> Text(const State& state, const TemplateText& text, const std::string& field) const;

 private:
  std::expected<std::filesystem::path, Error> Folder(const State& state, std::string code) const;
  std::expected<Deadline, Error> DeadlineOf(const State& state, Deadline by_default) const;
  std::expected<json::object, Error> Options(const State& state, const AgentState& agent,
                                             const std::string& provider) const;
  std::expected<json::value, Error> OptionValue(const State& state, const AgentState& agent, const json::value& value,
                                                const std::string& path) const;
  std::expected<std::optional<McpProxySettings>, Error> Proxy(const State& state, const AgentState& agent,
                                                              const std::filesystem::path& folder) const;
  std::vector<std::pair<std::string, std::string>> Environment(const StepContext& context) const;

  const RunRequest& run_;
  const json::object& scope_;
  const EnvironmentLookup& environment_;
};

}  // namespace awf

// For tests: workflows built by hand, each state on a line of its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "application/validation/workflow_validator.h"
#include "domain/workflow.h"

namespace awf {

// Texts and targets stand at line N, column 10 of state number N (from 1); the state itself in column 1.
class WorkflowBuilder {
 public:
  WorkflowBuilder() {
    workflow_.name = "x";
    workflow_.file = "x.yaml";
  }

  // References to states are good until the next one is added.
  State& Step(const std::string& name, const std::string& on_success = {}) {
    State& state = Add(name);
    state.body = CommandState{Text("ls"), {}};
    if (!on_success.empty()) state.on_success = Target(on_success);
    return state;
  }
  State& Agent(const std::string& name, const std::string& prompt_file) {
    State& state = Add(name);
    AgentState agent;
    agent.provider = Text("claude");
    agent.prompt_file = Text(prompt_file);
    state.body = std::move(agent);
    return state;
  }
  State& Loop(const std::string& name, const std::vector<std::string>& body, const std::string& on_success = {}) {
    State& state = Add(name);
    ForEachState loop;
    loop.items = Text("inputs.list");
    for (const std::string& member : body) loop.body.push_back(Target(member));
    state.body = std::move(loop);
    if (!on_success.empty()) state.on_success = Target(on_success);
    return state;
  }
  State& Parallel(const std::string& name, const std::vector<std::string>& branches,
                  const std::string& on_success = {}) {
    State& state = Add(name);
    ParallelState parallel;
    for (const std::string& member : branches) parallel.branches.push_back(Target(member));
    state.body = std::move(parallel);
    if (!on_success.empty()) state.on_success = Target(on_success);
    return state;
  }
  State& Terminal(const std::string& name) {
    State& state = Add(name);
    state.body = TerminalState{};
    return state;
  }
  void Input(const std::string& name) {
    workflow_.inputs.push_back(
        {.name = name, .description = {}, .default_value = {}, .validation = {}, .position = {}});
  }

  TemplateText Text(std::string text) const { return {std::move(text), {"x.yaml", line_, 10}, {{0, line_, 10}}}; }
  StateTarget Target(std::string state) const { return {std::move(state), {"x.yaml", line_, 10}}; }

  State& At(std::size_t index) { return workflow_.states[index]; }

  // Begins with the first state.
  const Workflow& workflow() {
    if (!workflow_.states.empty()) workflow_.initial = {workflow_.states[0].name, {"x.yaml", 100000, 1}};
    return workflow_;
  }

 private:
  State& Add(const std::string& name) {
    ++line_;
    State state;
    state.name = name;
    state.position = {"x.yaml", line_, 1};
    workflow_.states.push_back(std::move(state));
    return workflow_.states.back();
  }

  Workflow workflow_;
  std::size_t line_ = 0;
};

}  // namespace awf

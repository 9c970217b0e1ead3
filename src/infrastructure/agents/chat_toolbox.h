// ChatToolbox: the tools of one agent step that run in this process, and the calls that its model makes of them.
//
// Used by one thread, which starts others for calls that may run together; all are over when Run returns. Every call is
// told to the observer through the router, also one that never ran.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "application/tools/tool_router.h"
#include "domain/agent.h"
#include "infrastructure/agents/chat_completions.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf::agents {

class ChatToolbox {
 public:
  // The request and the observer outlive it. `content`: arguments and results of calls are recorded.
  ChatToolbox(const AgentRequest& request, RunObserver& observer, bool content);

  std::optional<Error> Add(const std::vector<std::shared_ptr<ToolProvider>>& providers);
  std::vector<std::string> Names() const { return router_.Names(); }
  const std::vector<ToolDefinition>& Definitions() const { return router_.Definitions(); }

  // The messages of role tool that answer the calls, in their order. Neighbouring calls of read-only tools run at the
  // same time, at most 8; everything else one after another.
  json::array Run(const std::vector<ChatCall>& calls);

 private:
  // The router's reports become the step's.
  class Reporter final : public ToolObserver {
   public:
    Reporter(const StepContext& step, RunObserver& observer) : step_(step), observer_(observer) {}
    void Started(const CallRecord& call) override { observer_.CallStarted(step_, call); }
    void Finished(const CallRecord& call, const CallEnd& end) override { observer_.CallFinished(step_, call, end); }

   private:
    const StepContext& step_;
    RunObserver& observer_;
  };

  bool IsReadOnly(const std::string& name) const;
  std::string RunOne(const ChatCall& call);
  void RunTogether(const std::vector<ChatCall>& calls, std::size_t begin, std::size_t end,
                   std::vector<std::string>& texts);

  const AgentRequest& request_;
  Reporter reporter_;
  SchemaArgumentChecker checker_;
  ToolRouter router_;
};

}  // namespace awf::agents

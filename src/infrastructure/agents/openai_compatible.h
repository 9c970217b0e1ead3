// OpenAiCompatible: agent steps against a server of the Chat Completions format, without any CLI.
//
// The tools run in this process, behind the same ToolRouter as in mcp-serve, so the model can have no others: isolation
// is proven. Thread-safe: each Run has its own conversation, tools and requests; the requests are chat_endpoint.h's.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "domain/agent.h"
#include "domain/tool.h"
#include "domain/trace_context.h"
#include "infrastructure/http/http_client.h"

namespace awf::agents {

class OpenAiCompatible {
 public:
  // Makes the tools of one step, and tells what there is to tell of them; empty when it has none.
  using MakeTools = std::function<std::expected<std::vector<std::shared_ptr<ToolProvider>>, Error>(const AgentRequest&,
                                                                                                   RunObserver&)>;

  struct Settings {
    std::vector<std::string> environment;         // for OPENAI_BASE_URL, OPENAI_MODEL, OPENAI_API_KEY
    std::chrono::milliseconds first_retry{1000};  // then twice as long, three times in all
    http::HttpLimits limits{};
    Tracing tracing{};
  };

  OpenAiCompatible(Settings settings, MakeTools make_tools)
      : settings_(std::move(settings)), make_tools_(std::move(make_tools)) {}

  StepResult Run(const AgentRequest& request, RunObserver& observer) const;

 private:
  Settings settings_;
  MakeTools make_tools_;
};

}  // namespace awf::agents

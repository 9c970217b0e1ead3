// ForwardedTools: in mcp-serve, the tools that are operations of plugins. A call of one travels over the step channel
// to awf run, where the plugins live; the call waits for the result that comes back.
//
//   auto tools = std::make_shared<ForwardedTools>(channel, config.plugin_tools);
//   channel.ReadResults([tools](PluginResult result) { tools->Answer(std::move(result)); }, [tools] { tools->Lose();
//   });
//
// A cancelled call tells awf run and waits a moment for what the RPC came to, no longer. A call whose awf run is gone
// ends as lost. Thread-safe; calls run at the same time. Does not own the channel.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "domain/tool.h"
#include "infrastructure/mcp/forwarded_tool.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf {

class ForwardedTools final : public ToolProvider {
 public:
  ForwardedTools(channel::StepChannelClient& channel, std::vector<ForwardedTool> tools);

  std::vector<ToolDefinition> Tools() const override;
  ToolResult Call(const ToolCall& call) override;

  // A result that came; one that nobody waits for is dropped.
  void Answer(channel::PluginResult result);
  // awf run is gone: the calls that wait end, and so does every later one.
  void Lose();

 private:
  struct Waiting {
    std::condition_variable_any changed;
    std::optional<ToolResult> result;
  };

  const ForwardedTool* Find(std::string_view tool) const;
  ToolResult Await(const ForwardedTool& tool, const ToolCall& call, Waiting& waiting);

  channel::StepChannelClient& channel_;
  const std::vector<ForwardedTool> tools_;
  std::mutex mutex_;  // guards what follows, and each Waiting
  std::map<CallId, Waiting*> waiting_;
  bool lost_ = false;
};

}  // namespace awf

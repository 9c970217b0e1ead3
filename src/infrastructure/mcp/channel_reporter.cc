#include "infrastructure/mcp/channel_reporter.h"

#include <utility>

#include "domain/json.h"

namespace awf {
namespace {

// What the digest of the tool list is made of: a changed name, description or schema shows.
std::string DigestInput(const std::vector<ToolDefinition>& tools) {
  json::array list;
  for (const ToolDefinition& tool : tools) {
    list.push_back({{"name", tool.name}, {"description", tool.description}, {"inputSchema", tool.input_schema}});
  }
  return json::serialize(list);
}

}  // namespace

void ChannelReporter::Connected(const mcp::Implementation& client, std::string_view protocol_version) {
  Send(channel::Ready{client.name, client.version, std::string(protocol_version)});
}

void ChannelReporter::Listed(const std::vector<ToolDefinition>& tools) {
  channel::ToolsListed listed;
  listed.count = tools.size();
  for (const ToolDefinition& tool : tools) listed.names.push_back(tool.name);
  listed.digest_input = DigestInput(tools);
  Send(listed);
}

void ChannelReporter::Started(const CallRecord& call) { Send(channel::CallStarted{call}); }

void ChannelReporter::Finished(const CallRecord& call, const CallEnd& end) {
  Send(channel::CallFinished{call.call, end});
}

void ChannelReporter::Bye() { Send(channel::Bye{}); }

void ChannelReporter::Send(const channel::Message& message) {
  if (!channel_.Send(message)) reachable_ = false;
}

}  // namespace awf

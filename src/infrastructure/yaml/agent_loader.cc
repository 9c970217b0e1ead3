#include <array>
#include <string_view>
#include <utility>

#include "infrastructure/yaml/body_loaders.h"
#include "infrastructure/yaml/mcp_proxy_loader.h"
#include "infrastructure/yaml/value_reader.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 2> kFormats = {"text", "json"};
constexpr std::string_view kConversationKeys[] = {"continue_from"};

void LoadOptions(const YamlNode& map, YamlReader& reader, AgentState& agent) {
  if (!reader.IsMap(map, "options")) return;
  ReadValues read;
  agent.options = ReadEntries(map, "options", reader, read);
  agent.option_positions = std::move(read.positions);
  agent.option_sources = std::move(read.sources);
  agent.option_templates = std::move(read.templates);
}

void LoadConversation(const YamlNode& map, YamlReader& reader, AgentState& agent) {
  constexpr char kField[] = "conversation.continue_from";
  if (!reader.IsMap(map, "conversation")) return;
  const auto meant = reader.CheckKeys(map, {kConversationKeys, {}, {}}, "conversation");
  if (const YamlNode* state = YamlReader::FindValue(map, "continue_from")) {
    if (auto name = reader.NonEmpty(*state, kField)) {
      agent.continue_from = StateTarget{std::move(*name), reader.PositionOf(*state)};
    }
  } else if (meant.empty()) {
    reader.Report(map, "WORKFLOW.PARSE.MISSING_FIELD", "a conversation names the step that it goes on from", kField,
                  "as in 'conversation: {continue_from: STATE}'");
  }
}

}  // namespace

AgentState LoadAgent(StateReader& reader) {
  AgentState agent;
  agent.provider = reader.Required("provider");
  // With a mode the turns may come from the terminal; that it is not supported has been told.
  if (reader.Find("mode") != nullptr && reader.Find("prompt") == nullptr && reader.Find("prompt_file") == nullptr) {
    reader.LoseFlow();
  } else {
    reader.OneOf("prompt", agent.prompt, "prompt_file", agent.prompt_file);
  }
  agent.system_prompt = reader.OptionalText("system_prompt");
  if (const YamlNode* node = reader.Find("output_format")) {
    const bool json = reader.yaml.Word(*node, "output_format", kFormats).value_or("text") == "json";
    agent.output_format = json ? AgentOutputFormat::kJson : AgentOutputFormat::kText;
  }
  if (const YamlNode* node = reader.Find("conversation")) LoadConversation(*node, reader.yaml, agent);
  if (const YamlNode* node = reader.Find("options")) LoadOptions(*node, reader.yaml, agent);
  if (const YamlEntry* entry = YamlReader::Find(reader.map, "mcp_proxy")) {
    agent.mcp_proxy = LoadMcpProxy(*entry->value, reader.yaml, "mcp_proxy");
    agent.mcp_proxy_position = reader.yaml.PositionOf(*entry->key);
  }
  return agent;
}

}  // namespace awf

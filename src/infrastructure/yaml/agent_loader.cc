#include <array>
#include <string_view>
#include <utility>

#include "infrastructure/yaml/body_loaders.h"
#include "infrastructure/yaml/mcp_proxy_loader.h"
#include "infrastructure/yaml/value_reader.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 2> kFormats = {"text", "json"};

void LoadOptions(const YamlNode& map, YamlReader& reader, AgentState& agent) {
  if (!reader.IsMap(map, "options")) return;
  ReadValues read;
  agent.options = ReadEntries(map, "options", reader, read);
  agent.option_positions = std::move(read.positions);
  agent.option_sources = std::move(read.sources);
  agent.option_templates = std::move(read.templates);
}

}  // namespace

AgentState LoadAgent(StateReader& reader) {
  AgentState agent;
  agent.provider = reader.Required("provider");
  // A conversation may take its turns from the terminal; that it is not supported has been told.
  if (reader.Find("conversation") != nullptr && reader.Find("prompt") == nullptr &&
      reader.Find("prompt_file") == nullptr) {
    reader.LoseFlow();
  } else {
    reader.OneOf("prompt", agent.prompt, "prompt_file", agent.prompt_file);
  }
  agent.system_prompt = reader.OptionalText("system_prompt");
  if (const YamlNode* node = reader.Find("output_format")) {
    const bool json = reader.yaml.Word(*node, "output_format", kFormats).value_or("text") == "json";
    agent.output_format = json ? AgentOutputFormat::kJson : AgentOutputFormat::kText;
  }
  if (const YamlNode* node = reader.Find("options")) LoadOptions(*node, reader.yaml, agent);
  if (const YamlEntry* entry = YamlReader::Find(reader.map, "mcp_proxy")) {
    agent.mcp_proxy = LoadMcpProxy(*entry->value, reader.yaml, "mcp_proxy");
    agent.mcp_proxy_position = reader.yaml.PositionOf(*entry->key);
  }
  return agent;
}

}  // namespace awf

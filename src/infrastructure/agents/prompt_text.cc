#include "infrastructure/agents/prompt_text.h"

#include "infrastructure/agents/isolation.h"

namespace awf::agents {

std::string SystemBlock(std::string_view system, bool mitigate) {
  std::string block(system);
  if (!mitigate) return block;
  if (!block.empty()) block += "\n\n";
  return block += kMcpOnlySentence;
}

std::string PromptText(const PromptParts& parts) {
  std::string text;
  const auto add = [&text](std::string_view block) {
    if (!text.empty() && !block.empty()) text += "\n\n";
    text += block;
  };
  const std::string system = SystemBlock(parts.system, parts.mitigate);
  if (!system.empty()) add("<system>\n" + system + "\n</system>");
  add(parts.memory);
  add(parts.prompt);
  return text;
}

}  // namespace awf::agents

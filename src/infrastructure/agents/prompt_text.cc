#include "infrastructure/agents/prompt_text.h"

#include "domain/utf8.h"
#include "infrastructure/agents/isolation.h"

namespace awf::agents {
namespace {

std::expected<void, Error> Check(std::string_view name, std::size_t size, std::size_t most, std::string_view unit) {
  if (most == 0 || size <= most) return {};
  std::string message(name);
  message += ": the prompt has " + std::to_string(size) + " ";
  message += unit;
  return Fail("EXECUTION.AGENT.FAILED", message + ", and the CLI reads only " + std::to_string(most),
              "Let the agent read large inputs from files.");
}

}  // namespace

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

std::expected<void, Error> CheckPromptLength(std::string_view name, std::string_view text, const PromptLimit& limit) {
  if (auto fits = Check(name, text.size(), limit.bytes, "bytes"); !fits) return fits;
  return Check(name, limit.characters == 0 ? 0 : CountCharacters(text), limit.characters, "characters");
}

}  // namespace awf::agents

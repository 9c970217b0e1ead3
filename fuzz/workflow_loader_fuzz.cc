// Any bytes as a workflow file: loading and checking must end, with a model or with findings that say where.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "infrastructure/regex/re2_regex.h"
#include "infrastructure/yaml/workflow_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const awf::Re2Compiler regexes;
  awf::ValidationContext context;
  context.environment = [](const std::string&) -> std::optional<std::string> { return std::nullopt; };
  context.regexes = &regexes;
  const awf::LoadedWorkflow loaded = awf::LoadWorkflowText(text, "fuzz.yaml", context);
  if (!loaded.workflow && loaded.findings.empty()) std::abort();
  for (const awf::Finding& finding : loaded.findings) {
    if (!finding.error.position.known() || finding.error.message.empty()) std::abort();
  }
  return 0;
}

// Any bytes as a configuration file and as an input file: a value, or findings that say where.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "infrastructure/yaml/config_loader.h"
#include "infrastructure/yaml/input_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "HOME") return "/home/fuzz";
    return std::nullopt;
  };
  awf::LoadedConfig loaded = awf::LoadConfigText(text, "fuzz.yaml", environment);
  if (!loaded.config && loaded.findings.empty()) std::abort();
  for (const awf::Finding& finding : loaded.findings) {
    const awf::Error& error = finding.error;
    if (error.code != "USER.CONFIG.INVALID" || !error.position.known() || error.message.empty()) std::abort();
  }
  if (loaded.config) {
    const std::size_t inputs = loaded.config->inputs.size();
    if (awf::MergeConfig(*loaded.config, *loaded.config).inputs.size() != inputs) std::abort();
  }
  for (const char* file : {"fuzz.yaml", "fuzz.json"}) {
    const auto given = awf::ReadInputText(text, file);
    if (!given && (!given.error().position.known() || given.error().message.empty())) std::abort();
  }
  return 0;
}

// Bytes as any message of a plugin. What is read of them is valid UTF-8 and can be sent again as JSON.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

#include "domain/parse_json.h"
#include "domain/utf8.h"
#include "infrastructure/plugins/plugin_messages.h"

namespace {

using namespace awf::plugins;

void CheckTexts(std::initializer_list<std::string_view> texts) {
  for (const std::string_view text : texts) {
    if (!awf::IsValidUtf8(text)) std::abort();
  }
}

void CheckOperations(std::string_view message) {
  const auto operations = ReadOperationsReply(message);
  if (!operations) return;
  for (const awf::Operation& operation : *operations) {
    CheckTexts({operation.name, operation.description});
    for (const auto& input : operation.inputs)
      CheckTexts({input.name, input.type, input.default_value, input.description, input.validation});
    for (const auto& output : operation.outputs) CheckTexts({output.name, output.type, output.description});
  }
}

void CheckResult(std::string_view message) {
  const auto result = ReadExecuteReply(message);
  if (!result) return;
  CheckTexts({result->output, result->error});
  for (const auto& [key, value] : result->data) {
    CheckTexts({key});
    const std::string text = JsonText(value);
    const auto again = awf::ParseJson(text);
    if (!again || JsonText(*again) != text) std::abort();
  }
  if (InitRequestOf(result->data).empty() != result->data.empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  if (const auto info = ReadInfoReply(message)) {
    CheckTexts({info->name, info->version, info->description});
    for (const std::string& capability : info->capabilities) CheckTexts({capability});
  }
  CheckOperations(message);
  CheckResult(message);
  if (const auto printed = ReadStdioMessage(message); printed && printed->bytes.size() > size) std::abort();
  if (const auto health = ReadHealthReply(message); health && health->empty()) std::abort();
  return 0;
}

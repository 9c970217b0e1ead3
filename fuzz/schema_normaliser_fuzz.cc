// Any JSON object as a schema: it must be refused with a sentence, or become one that all clients take and that stays
// as it is when it is normalised again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "application/operations/schema_normaliser.h"
#include "application/operations/schema_rules_for_tests.h"
#include "domain/parse_json.h"
#include "domain/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = awf::ParseJson(text);
  if (!value || !value->is_object()) return 0;
  const auto normalised = awf::NormaliseSchema(value->get_object());
  if (!normalised) {
    if (normalised.error().empty() || !awf::IsValidUtf8(normalised.error())) std::abort();
    return 0;
  }
  if (!awf::FaultOfSent(normalised->schema).empty()) std::abort();
  const auto again = awf::NormaliseSchema(normalised->schema);
  if (!again || again->schema != normalised->schema || !again->warnings.empty()) std::abort();
  return 0;
}

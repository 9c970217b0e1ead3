#include "infrastructure/otlp/key_values.h"

#include <algorithm>
#include <cstddef>

#include "domain/trimmed.h"
#include "infrastructure/otlp/percent_decoding.h"

namespace awf::otlp {
std::vector<KeyValue> ParseKeyValues(std::string_view list) {
  std::vector<KeyValue> pairs;
  while (!list.empty()) {
    const std::string_view piece = list.substr(0, list.find(','));
    list.remove_prefix(std::min(piece.size() + 1, list.size()));
    if (Trimmed(piece).empty()) continue;
    const std::size_t equals = piece.find('=');
    if (equals == std::string_view::npos) {
      pairs.push_back({{}, {}, false, true});
    } else {
      const std::string_view value = Trimmed(piece.substr(equals + 1));
      pairs.push_back(
          {std::string(Trimmed(piece.substr(0, equals))), PercentDecoded(value), true, IsPercentEncoded(value)});
    }
  }
  return pairs;
}

}  // namespace awf::otlp

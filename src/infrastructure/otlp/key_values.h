// Lists of pairs as OpenTelemetry's variables of the environment have them: k=v,k=v, values percent-encoded. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace awf::otlp {

struct KeyValue {
  std::string key, value;  // without spaces around them; the value is decoded
  bool complete = true;    // false: there was no '=', and both are empty
  bool decoded = true;     // false: a '%' of the value begins no "%XX"; it stays as it is
};

// Empty pieces, as behind a last comma, are left out.
std::vector<KeyValue> ParseKeyValues(std::string_view list);

}  // namespace awf::otlp

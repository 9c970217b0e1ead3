// Any file, old_string and new_string (separated by 0xFE bytes): Edit must never touch a byte outside of its matches.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "domain/result_text.h"
#include "infrastructure/builtins/edit_text.h"
#include "infrastructure/regex/re2_regex.h"

namespace {

using namespace awf::builtins;

std::string_view TakePart(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\xFE'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

std::size_t CommonPrefix(std::string_view a, std::string_view b) {
  std::size_t n = 0;
  while (n < std::min(a.size(), b.size()) && a[n] == b[n]) ++n;
  return n;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string old_string = awf::CleanText(TakePart(rest));  // arguments are valid UTF-8
  const std::string new_string = awf::CleanText(TakePart(rest));
  if (old_string.empty() || old_string == new_string) return 0;
  const awf::Re2Compiler compiler;
  for (const bool regex : {false, true}) {
    const auto edited = EditText(rest, {old_string, new_string, false, regex}, "f", compiler);
    if (!edited || regex) continue;
    // One literal match: what differs can be no longer than the strings, CR LF counted.
    const std::size_t before = CommonPrefix(rest, edited->bytes);
    std::size_t after = 0;
    while (after < std::min(rest.size(), edited->bytes.size()) - before &&
           rest[rest.size() - 1 - after] == edited->bytes[edited->bytes.size() - 1 - after])
      ++after;
    if (rest.size() - before - after > 2 * old_string.size()) std::abort();
    if (edited->bytes.size() - before - after > 2 * new_string.size()) std::abort();
    (void)EditText(rest, {old_string, new_string, true, regex}, "f", compiler);
  }
  return 0;
}

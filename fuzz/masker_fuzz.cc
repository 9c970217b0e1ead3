// Any text with any splits: a masker that gets it in pieces must say what it says of the whole, and show none of the
// secrets.
//
// The first byte is the length of the pieces; the text follows.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "domain/masker.h"

namespace {

constexpr std::string_view kSecrets[] = {"hunter2hunter2", "a b%c+d'e\\f\"g", "\xc3\xa9-secret", "aXbXaXbXaX",
                                         "two lines\nof a secret"};

const awf::Masker& Knowing() {
  static const awf::Masker masker = [] {
    awf::Masker made;
    for (const std::string_view secret : kSecrets) made.AddSecret(secret);
    return made;
  }();
  return masker;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t length = data[0] % 64 + 1U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const awf::Masker& masker = Knowing();
  std::string got;
  awf::StreamMasker stream(masker);
  for (std::size_t at = 0; at < text.size(); at += length) got += stream.Feed(text.substr(at, length));
  got += stream.Flush();
  // Marks of a cut are for whole texts alone.
  const bool marked = text.ends_with("…") || text.find("\n[... ") != std::string_view::npos;
  const std::string whole = masker.MaskText(text, awf::TextBegin::kWhole);
  if (!marked && got != whole) std::abort();
  for (const std::string_view secret : kSecrets)
    if (got.find(secret) != std::string::npos || whole.find(secret) != std::string::npos) std::abort();
  masker.MaskText(text);  // what may have been cut
  return 0;
}

// Any bytes as a text file: decoding, cleaning and paging must end in valid UTF-8 within the limits, and must not
// depend on how the bytes come in pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "domain/utf8.h"
#include "infrastructure/builtins/line_page.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/text_decoding.h"

namespace {

using namespace awf;
using namespace awf::builtins;

void Require(bool holds) {
  if (!holds) std::abort();
}

LinePage Paged(std::string_view text, std::size_t piece) {
  LinePage page({.first = 2, .count = 5, .line_width = 7, .characters = 60, .bytes = 80});
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
    page.Feed(rest.substr(0, piece));
  page.Finish();
  return page;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string clean = CleanText(bytes);
  Require(IsValidUtf8(clean) && clean.find('\0') == std::string::npos && CleanText(clean) == clean);
  Require(IsValidUtf8(ShownName(bytes)));
  Require(CountCharacters(PrefixWithin(clean, 5, 9)) <= 5 && IsValidUtf8(PrefixWithin(clean, 5, 9)));
  Require(SuffixWithin(clean, 5, 9).size() <= 9 && IsValidUtf8(SuffixWithin(clean, 5, 9)));
  Require(UnfinishedUtf8(bytes) <= 3);
  if (bytes.find('\r') == std::string_view::npos) Require(WithLf(WithCrLf(bytes)) == bytes);

  const std::string text = DecodeText(bytes);
  const LinePage whole = Paged(text, text.size() + 1);
  const LinePage single = Paged(text, 1);
  Require(IsValidUtf8(whole.text()) && whole.text().size() <= 80 && CountCharacters(whole.text()) <= 60);
  Require(whole.text() == single.text() && whole.lines() == single.lines() && whole.line_ends() == single.line_ends() &&
          whole.bad_bytes() == single.bad_bytes());
  return 0;
}

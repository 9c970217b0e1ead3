#include "infrastructure/builtins/literal_search.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace awf::builtins {
namespace {

constexpr std::size_t kStep = 32;  // bytes of an AVX2 register

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool HasWideRegisters(ScanEngine engine) {
#if defined(__x86_64__)
  return engine == ScanEngine::kBest && __builtin_cpu_supports("avx2") != 0;
#else
  (void)engine;
  return false;
#endif
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) std::size_t CountLineFeedsWide(std::string_view text) {
  const __m256i line_feed = _mm256_set1_epi8('\n');
  const std::size_t whole = text.size() - text.size() % kStep;
  std::size_t count = 0, i = 0;
  while (i < whole) {
    // Each byte of `sums` can take 255 hits before it would overflow.
    __m256i sums = _mm256_setzero_si256();
    for (const std::size_t end = std::min(whole, i + 255 * kStep); i < end; i += kStep) {
      const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + i));
      sums = _mm256_sub_epi8(sums, _mm256_cmpeq_epi8(block, line_feed));
    }
    const __m256i lanes = _mm256_sad_epu8(sums, _mm256_setzero_si256());
    count += static_cast<std::size_t>(_mm256_extract_epi64(lanes, 0) + _mm256_extract_epi64(lanes, 1) +
                                      _mm256_extract_epi64(lanes, 2) + _mm256_extract_epi64(lanes, 3));
  }
  return count + static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), '\n'));
}

__attribute__((target("avx2"))) bool AllAsciiWide(std::string_view text) {
  std::size_t i = 0;
  for (; i + kStep <= text.size(); i += kStep) {
    const __m256i block = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text.data() + i));
    if (_mm256_movemask_epi8(block) != 0) return false;
  }
  return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}
#endif

}  // namespace

LiteralSearch::LiteralSearch(std::string literal, bool ignore_case, ScanEngine engine)
    : literal_(std::move(literal)),
      ignore_case_(ignore_case && std::ranges::any_of(literal_, IsLetter)),
      wide_(HasWideRegisters(engine)) {
  if (ignore_case_) std::ranges::transform(literal_, literal_.begin(), Lower);
}

bool LiteralSearch::SameAt(const char* place) const {
  if (!ignore_case_) return std::memcmp(place, literal_.data(), literal_.size()) == 0;
  return std::equal(literal_.begin(), literal_.end(), place, [](char a, char b) { return a == Lower(b); });
}

std::size_t LiteralSearch::Find(std::string_view text, std::size_t from) const {
  if (literal_.empty() || from > text.size() || text.size() - from < literal_.size()) return std::string_view::npos;
  if (literal_.size() == 1 && !ignore_case_) {
    const void* place = std::memchr(text.data() + from, literal_[0], text.size() - from);
    return place == nullptr ? std::string_view::npos
                            : static_cast<std::size_t>(static_cast<const char*>(place) - text.data());
  }
  return wide_ ? FindWide(text, from) : FindScalar(text, from);
}

std::size_t LiteralSearch::FindScalar(std::string_view text, std::size_t from) const {
  if (!ignore_case_) return text.find(literal_, from);
  for (std::size_t i = from; i + literal_.size() <= text.size(); ++i) {
    if (Lower(text[i]) == literal_[0] && SameAt(text.data() + i)) return i;
  }
  return std::string_view::npos;
}

#if defined(__x86_64__)
// With letters folded by setting bit 5, other bytes may look alike too; the full comparison sorts those out.
__attribute__((target("avx2"))) std::size_t LiteralSearch::FindWide(std::string_view text, std::size_t from) const {
  const std::size_t last = literal_.size() - 1;
  const bool fold_first = ignore_case_ && IsLetter(literal_[0]);
  const bool fold_last = ignore_case_ && IsLetter(literal_[last]);
  const __m256i first_byte = _mm256_set1_epi8(literal_[0]);
  const __m256i last_byte = _mm256_set1_epi8(literal_[last]);
  const __m256i first_fold = _mm256_set1_epi8(fold_first ? 0x20 : 0);
  const __m256i last_fold = _mm256_set1_epi8(fold_last ? 0x20 : 0);
  std::size_t i = from;
  for (; i + last + kStep <= text.size(); i += kStep) {
    const char* place = text.data() + i;
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(place));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(place + last));
    const __m256i same_a = _mm256_cmpeq_epi8(_mm256_or_si256(a, first_fold), first_byte);
    const __m256i same_b = _mm256_cmpeq_epi8(_mm256_or_si256(b, last_fold), last_byte);
    auto hits = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_and_si256(same_a, same_b)));
    for (; hits != 0; hits &= hits - 1) {
      const auto offset = static_cast<std::size_t>(std::countr_zero(hits));
      if (SameAt(place + offset)) return i + offset;
    }
  }
  return FindScalar(text, i);
}
#else
std::size_t LiteralSearch::FindWide(std::string_view text, std::size_t from) const { return FindScalar(text, from); }
#endif

std::size_t CountLineFeeds(std::string_view text, ScanEngine engine) {
#if defined(__x86_64__)
  if (HasWideRegisters(engine)) return CountLineFeedsWide(text);
#endif
  (void)engine;
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

bool AllAscii(std::string_view text, ScanEngine engine) {
#if defined(__x86_64__)
  if (HasWideRegisters(engine)) return AllAsciiWide(text);
#endif
  (void)engine;
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace awf::builtins

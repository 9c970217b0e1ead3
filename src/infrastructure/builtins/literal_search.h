// Fast scans of bytes: a literal, line feeds, non-ASCII bytes. With AVX2 where the processor has it (asked at run
// time), else without. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace awf::builtins {

// The scalar engine is for processors without AVX2, and for tests that compare the two.
enum class ScanEngine : std::uint8_t { kBest, kScalar };

// Finds one literal: candidates are places where its first and last byte stand at the right distance, 32 places a step;
// only those are compared in full.
class LiteralSearch {
 public:
  LiteralSearch() = default;
  // `ignore_case` folds ASCII letters only.
  explicit LiteralSearch(std::string literal, bool ignore_case = false, ScanEngine engine = ScanEngine::kBest);

  // An empty literal finds nothing and tells nothing.
  bool empty() const { return literal_.empty(); }
  const std::string& literal() const { return literal_; }

  // The first place at or after `from`, or npos.
  std::size_t Find(std::string_view text, std::size_t from) const;

 private:
  std::size_t FindScalar(std::string_view text, std::size_t from) const;
  std::size_t FindWide(std::string_view text, std::size_t from) const;
  bool SameAt(const char* place) const;

  std::string literal_;  // in lower case when ignore_case_
  bool ignore_case_ = false;
  bool wide_ = false;
};

std::size_t CountLineFeeds(std::string_view text, ScanEngine engine = ScanEngine::kBest);
bool AllAscii(std::string_view text, ScanEngine engine = ScanEngine::kBest);

}  // namespace awf::builtins

// Masking of secrets, applied by every sink before it writes: log, audit, spans, console, run.json.
//
// By key: a value under a name that speaks of a secret. By value: exact values known to be secret, anywhere in a text,
// also as base64 (both alphabets, all three alignments), percent-encoded, JSON-escaped and shell-quoted. Secrets that
// were hashed, split or encoded in other ways are not found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"

namespace awf {

inline constexpr std::string_view kMask = "***";

// True when a key, split at _ - . and case changes, contains secret, token, password, passwd, passphrase,
// credential(s), apikey or api+key, private+key, access+key, authorization, cookie. A part also counts in the plural
// and with something glued before it (PGPASSWORD, authtoken).
bool IsSecretName(std::string_view name);

// Constant after the last Add; Mask* are thread-safe then.
class Masker {
 public:
  // Values shorter than 8 characters are not searched inside text. Multi-line values also count line by line (lines of
  // at least 16 characters).
  void AddSecret(std::string_view value);
  // The values of environment variables with a secret name.
  void AddEnvironment(char** environment);

  std::string MaskText(std::string_view text) const;
  // Strings anywhere inside are masked by value, strings under a secret key altogether.
  json::value MaskJson(const json::value& value) const;

 private:
  friend class StreamMasker;
  void Learn(std::string_view value);  // one value with all its encodings
  void Index();
  // Length of the longest secret at the start of `text`, 0 for none. `undecided`: a longer one may follow with more
  // text.
  std::size_t Match(std::string_view text, bool final, bool& undecided) const;
  // Appends the masked text to `out` and returns how much of it was consumed: all when `final`, else not what could
  // still become a secret with more text.
  std::size_t Scan(std::string_view text, bool final, std::string& out) const;
  json::value MaskBelow(const json::value& value, bool secret_key) const;

  std::vector<std::string> secrets_;                        // longest first, no two equal
  std::array<std::vector<std::uint32_t>, 256> by_first_{};  // positions in secrets_, by first byte
};

// Masks text that comes in pieces; holds back only what may be the beginning of a secret. Used by one thread. Does not
// own the masker.
class StreamMasker {
 public:
  explicit StreamMasker(const Masker& masker) : masker_(&masker) {}
  std::string Feed(std::string_view piece);
  std::string Flush();  // what was held back

 private:
  const Masker* masker_;
  std::string held_;
};

}  // namespace awf

// Masking of secrets, applied by every sink before it writes: log, audit, spans, conversation, console, run.json.
//
// By key: a string under a name that speaks of a secret (domain/secret_names.h). By value: values known to be secret,
// anywhere in a text, as they are and in the encodings of domain/secret_values.h. By shape: private keys, bearer
// tokens, keys of services (domain/secret_shapes.h), and patterns of the user's. What lies side by side becomes one
// "***". Secrets that were hashed, split or encoded in other ways are not found.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"
#include "domain/regex.h"
#include "domain/secret_names.h"
#include "domain/secret_shapes.h"
#include "domain/secret_values.h"

namespace awf {

inline constexpr std::string_view kMask = "***";

// Whether the beginning of a text may have been cut off, as from the last lines of an output. Then an end of a secret,
// and the lines of a private key before its END, are masked there as well.
enum class TextBegin { kWhole, kMaybeCut, kCut };

// Constant after the last Add; Mask* are thread-safe then. Copies share the compiled patterns.
class Masker {
 public:
  Masker();

  // Values shorter than 8 characters are not searched inside text. White space at the ends does not count. Multi-line
  // values also count line by line (lines of at least 16 characters).
  void AddSecret(std::string_view value);
  // The values of environment variables with a secret name, and passwords in URLs in any of them.
  void AddEnvironment(char** environment);
  // The passwords in URLs inside `text`.
  void AddUrlPasswords(std::string_view text);
  // As SecretNames::Add. Before AddEnvironment, which asks for names.
  bool AddName(std::string_view word) { return names_.Add(word); }
  // What it matches is masked. In streams line by line.
  void AddPattern(std::shared_ptr<const Regex> pattern) { patterns_.push_back(std::move(pattern)); }

  const SecretNames& names() const { return names_; }
  // A text that ends in "…" was cut there, one with a line "[... N bytes cut ...]" at that line: what stands beside it
  // is masked when it may be part of a secret, from 4 bytes on; of a key behind it as much as tells of sk-. Where
  // nothing says so, half of a value at an end of the text, or 16 bytes, are taken for it, at least 8.
  std::string MaskText(std::string_view text, TextBegin begin = TextBegin::kMaybeCut) const;
  // Strings anywhere inside are masked as texts, strings under a secret key altogether. Numbers and booleans stay.
  json::value MaskJson(const json::value& value) const;

 private:
  friend class StreamMasker;

  struct Range {
    std::size_t begin = 0, end = 0;
  };
  // How far a text has been looked at. Positions are those of the stream; the text given to Scan begins at `offset`.
  struct Progress {
    std::size_t offset = 0;
    std::size_t hidden_until = 0;  // by values
    std::vector<Shape> shapes;     // that have not ended
    std::vector<Range> marks;      // of the user's patterns, in order, apart
    std::size_t next_mark = 0;
    bool in_mask = false;  // the byte before was hidden

    // Whether the byte there is hidden; to be asked for one after the other.
    bool Hides(std::string_view text, std::size_t at) {
      return (offset + at < hidden_until || !shapes.empty() || !marks.empty()) && HidesAmongAll(text, at);
    }
    bool HidesAmongAll(std::string_view text, std::size_t at);
    void Add(const Shape& shape);
  };

  void Learn(std::string_view value);
  std::string MaskPiece(std::string_view text, TextBegin begin, bool goes_on) const;
  void Mark(std::string_view text, std::size_t offset, std::vector<Range>& marks) const;
  // Adds what begins at that place; false: that is undecided as long as the text does not go on.
  bool Open(std::string_view text, std::size_t at, bool final, Progress& progress) const;
  // Appends the masked text from `from` on to `out` and returns where it stopped: at the end when `final`, else before
  // what could still become a secret with more text. What stands before `from` is context.
  std::size_t Scan(std::string_view text, std::size_t from, bool final, Progress& progress, std::string& out) const;
  json::value MaskBelow(const json::value& value, bool secret_key) const;

  SecretNames names_;
  SecretValues values_;
  StartFilter starts_;
  std::vector<std::shared_ptr<const Regex>> patterns_;
};

// Masks text that comes in pieces: the pieces give what MaskText gives for the whole, from its true beginning. Holds
// back only what may be the beginning of a secret, so at most the longest secret and 1 KiB; with patterns of the user's
// the line, up to kLongestLine (a longer one is masked in pieces). Used by one thread. Does not own the masker.
class StreamMasker {
 public:
  static constexpr std::size_t kLongestLine = 16U << 10;

  explicit StreamMasker(const Masker& masker) : masker_(&masker) {}
  std::string Feed(std::string_view piece);
  std::string Flush();  // what was held back; what follows is another text

 private:
  std::string Take(std::string_view text, bool final);
  void MarkLines(std::string_view lines);

  const Masker* masker_;
  Masker::Progress progress_;
  std::string buffer_;    // context, then what is held back
  std::size_t done_ = 0;  // length of the context
  std::string line_;      // not yet searched for patterns
};

}  // namespace awf

// What is secret by its shape, whatever its value: private keys, bearer tokens, passwords in URLs, keys of well-known
// services.
//
// * PEM block of a private key (label ends in PRIVATE KEY): all of it, to its END line or else to the end of the text.
// * Bearer TOKEN, in any case: the token, of 8 characters with a digit, or with 20 letters in a row.
// * scheme://user:password@: the password, which has no blank, quote or slash and at most 256 characters.
// * sk-, ghp_ gho_ ghu_ ghs_ ghr_, github_pat_, glpat-: the key, of 16 characters with a digit, or with 20 letters in a
//   row.
// * xox?- (any letter), xapp-: the key, of 10 characters with a digit, or with 20 letters in a row.
// * AKIA, ASIA: the key, of 16 capitals and digits.
// * AIza, npm_, hf_: the key, of 30 characters with a digit, or with 30 letters in a row.
// * JSON web token: all parts, from eyJ and 8 characters, a dot, 8 characters on.
//
// A key begins where no letter or digit stands before it (that of an escape, \n or %3D, is none). Hand-written
// scanners: linear in the text, and the end of a piece is decided with at most 1 KiB more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "domain/secret_values.h"

namespace awf {

// How a match goes on behind what was needed to know it.
enum class Tail : std::uint8_t {
  kNone,
  kWord,     // letters, digits, _
  kDashed,   // and -
  kDotted,   // and .
  kToken68,  // and + / ~ =, as in RFC 7235
  kCapitals,
  kPem  // anything, to behind the END line
};

struct Shape {
  std::size_t begin = 0, end = 0;  // at least so much
  Tail tail = Tail::kNone;
};

enum class ShapeFound { kNo, kUndecided, kYes };

// How far back the functions below look.
inline constexpr std::size_t kShapeContext = 256;

void AddShapeStarts(StartFilter& filter);

// Whether a shape is to be seen at that place; what it hides begins there or later. `final`: nothing follows the text.
ShapeFound MatchShape(std::string_view text, std::size_t at, bool final, Shape& shape);

// Whether a match that reaches up to that place goes on with its byte.
bool TailGoesOn(Tail tail, std::string_view text, std::size_t at);

// What is left of a private key in a text whose beginning was cut off: up to where the END line that has no BEGIN
// begins, from `begin` on. Empty when there is none.
Shape OrphanedKey(std::string_view text);

// What a text begins with that may be the end of a key, its prefix having been cut off. Empty when there is none.
Shape KeyEndAtBegin(std::string_view text);

}  // namespace awf

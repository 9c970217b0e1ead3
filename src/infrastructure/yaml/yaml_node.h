// A YAML document as a tree in which every node knows where it stands.
//
// Plain data, constant once composed; aliases share the anchored node, so that nothing is copied by expansion. Lines
// and columns count from 1, columns in characters; begin and end are byte offsets into the source that was composed.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace awf {

struct YamlNode;
using YamlNodePtr = std::shared_ptr<const YamlNode>;

struct YamlEntry {
  YamlNodePtr key;  // a scalar
  YamlNodePtr value;
};

struct YamlNode {
  enum class Kind { kScalar, kSequence, kMapping };
  enum class Style { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral, kFolded };

  Kind kind = Kind::kScalar;
  Style style = Style::kPlain;
  bool forced_string = false;  // tagged !!str or !
  std::size_t line = 1, column = 1;
  std::size_t begin = 0, end = 0;
  std::string text;                // scalars
  std::vector<YamlNodePtr> items;  // sequences
  std::vector<YamlEntry> entries;  // mappings, keys unique, in file order

  // Of this node and all below it, aliases expanded.
  std::size_t nodes = 1, height = 1, bytes = 0;
};

// What a scalar means: quoted and block scalars are always strings.
enum class ScalarType { kNull, kBool, kInteger, kFloat, kString };
ScalarType TypeOf(const YamlNode& scalar);

}  // namespace awf

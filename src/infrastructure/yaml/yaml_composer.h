// Builds the tree of a YAML document from libyaml's events, within limits.
//
// One document, UTF-8, at most 4 MiB, 100 levels, 100 000 nodes and 16 MiB of text after alias expansion; keys are
// scalars and unique. Every breach is a finding with its position: a duplicate key leaves a usable tree (the first of
// the two counts), everything else ends the reading.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/workflow.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_source.h"

namespace awf {

inline constexpr std::size_t kMaxYamlBytes = 4U << 20;
inline constexpr std::size_t kMaxYamlDepth = 100;
inline constexpr std::size_t kMaxYamlNodes = 100'000;
inline constexpr std::size_t kMaxYamlText = 16U << 20;

struct ComposedYaml {
  std::unique_ptr<YamlSource> source;
  YamlNodePtr root;    // null when the text could not be read
  bool empty = false;  // nothing but white space and comments, which is a finding too
  std::vector<Finding> findings;
};

ComposedYaml ComposeYaml(std::string_view bytes, const std::string& file);

}  // namespace awf

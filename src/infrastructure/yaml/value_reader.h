// YAML values taken over as JSON: provider options, items of loops. What the JSON value loses is kept by path.
//
// The path of a value is its key, "env.NAME" or "tools[0]"; the first part of it is chosen by the caller.
#pragma once

#include <map>
#include <string>

#include "domain/json.h"
#include "domain/workflow.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

struct ReadValues {
  std::map<std::string, Position> positions;      // of every value
  std::map<std::string, std::string> sources;     // numbers, booleans and null as spelt in the file
  std::map<std::string, TemplateText> templates;  // strings that hold templates
  bool complete = true;                           // false: some value could not be held, which was told
};

// `field` is the path for findings. Values that JSON cannot hold are findings and become null.
json::value ReadValue(const YamlNode& node, const std::string& path, const std::string& field, YamlReader& reader,
                      ReadValues& read);

// The values of a map, each by itself: one that cannot be held is left out. The position of a key is that of the key.
json::object ReadEntries(const YamlNode& map, const std::string& field, YamlReader& reader, ReadValues& read);

}  // namespace awf

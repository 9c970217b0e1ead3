#include <optional>
#include <string>
#include <utility>

#include "application/language/template.h"
#include "infrastructure/yaml/body_loaders.h"
#include "infrastructure/yaml/value_reader.h"

namespace awf {
namespace {

constexpr const char* kForm = "must be PLUGIN.OPERATION, as in github.create_issue";

// The name of a plugin holds no dot; that of an operation may.
void LoadName(StateReader& reader, OperationState& operation) {
  const YamlNode* node = reader.Find("operation");
  if (node == nullptr) return reader.Missing("operation", "no operation", "as in 'operation: github.create_issue'");
  operation.position = reader.yaml.PositionOf(*node);
  const std::optional<std::string> name = reader.yaml.NonEmpty(*node, "operation");
  if (!name) return;
  if (HasTemplate(*name)) {
    return reader.yaml.Invalid(*node, "must be written out: what runs has to be known before the run", "operation");
  }
  const std::size_t dot = name->find('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == name->size()) {
    return reader.yaml.Invalid(*node, kForm, "operation");
  }
  operation.plugin = name->substr(0, dot);
  operation.operation = name->substr(dot + 1);
}

}  // namespace

OperationState LoadOperation(StateReader& reader) {
  OperationState operation;
  LoadName(reader, operation);
  const YamlNode* inputs = reader.Find("inputs");
  if (inputs == nullptr || !reader.yaml.IsMap(*inputs, "inputs")) return operation;
  ReadValues read;
  operation.inputs = ReadEntries(*inputs, "inputs", reader.yaml, read);
  operation.input_positions = std::move(read.positions);
  operation.input_sources = std::move(read.sources);
  operation.input_templates = std::move(read.templates);
  return operation;
}

}  // namespace awf

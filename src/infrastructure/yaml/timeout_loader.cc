#include <utility>

#include "application/language/template.h"
#include "infrastructure/yaml/setting_loaders.h"

namespace awf {

std::optional<TimeoutSetting> LoadTimeout(const YamlNode& node, StateReader& reader) {
  TimeoutSetting timeout;
  timeout.position = reader.yaml.PositionOf(node);
  if (node.kind == YamlNode::Kind::kScalar && HasTemplate(node.text)) {
    timeout.text = reader.yaml.TextOf(node);
    return timeout;
  }
  timeout.value = reader.yaml.Duration(node, "timeout");
  if (!timeout.value) return std::nullopt;
  return timeout;
}

}  // namespace awf

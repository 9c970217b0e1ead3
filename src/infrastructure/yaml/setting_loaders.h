// Reads the settings that every working state may have. What could not be read keeps its default and is a finding.
#pragma once

#include <optional>

#include "domain/workflow.h"
#include "infrastructure/yaml/state_reader.h"
#include "infrastructure/yaml/yaml_node.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {

// on_success, on_failure, on_complete, transitions, continue_on_error, into the state.
void LoadOnward(StateReader& reader);

std::optional<TimeoutSetting> LoadTimeout(const YamlNode& node, StateReader& reader);
RetryPolicy LoadRetry(const YamlNode& node, YamlReader& reader);
StateHooks LoadHooks(const YamlNode& node, StateReader& reader);
CaptureSettings LoadCapture(const YamlNode& node, YamlReader& reader);

}  // namespace awf

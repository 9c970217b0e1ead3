#include "cli/input_file.h"

#include <utility>

#include "domain/json.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"

namespace awf::cli {
namespace {

constexpr char kHint[] = "The file holds one map of input names to values, as JSON or YAML.";

std::unexpected<Error> Malformed(const std::string& name, const YamlNode& at, std::string message) {
  Error error{"USER.INPUT.INVALID_FORMAT", "--input-file: " + std::move(message), kHint, {}, {}, {}};
  error.position = {name, at.line, at.column};
  return std::unexpected(std::move(error));
}

bool IsNull(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar && TypeOf(node) == ScalarType::kNull && !node.forced_string;
}

// JSON that is no YAML: indented by tabs.
std::optional<GivenInputs> ParseJson(std::string_view text) {
  boost::system::error_code fault;
  const json::value value = json::parse(text, fault);
  if (fault || !value.is_object()) return std::nullopt;
  GivenInputs inputs;
  for (const auto& [key, member] : value.get_object()) {
    if (member.is_object() || member.is_array()) return std::nullopt;
    if (member.is_null()) continue;
    inputs.push_back({std::string(key), member.is_string() ? std::string(member.get_string()) : json::serialize(member),
                      InputSource::kFile});
  }
  return inputs;
}

}  // namespace

std::expected<GivenInputs, Error> ReadInputFile(const std::filesystem::path& path) {
  const auto text = ReadYamlFile(path.string());
  if (!text) {
    return Fail("USER.INPUT.MISSING_FILE", "--input-file: " + path.string() + " " + text.error().message(), kHint);
  }
  return ParseInputFile(*text, path.string());
}

std::expected<GivenInputs, Error> ParseInputFile(std::string_view text, const std::string& name) {
  const ComposedYaml composed = ComposeYaml(text, name);
  if (!composed.findings.empty() || !composed.root) {
    if (auto inputs = ParseJson(text)) return *inputs;
    if (composed.empty || composed.findings.empty()) {
      return Fail("USER.INPUT.INVALID_FORMAT", "--input-file: " + name + " is empty", kHint);
    }
    Error error = composed.findings.front().error;
    error.code = "USER.INPUT.INVALID_FORMAT";
    error.message = "--input-file: " + error.message;
    return std::unexpected(std::move(error));
  }
  const YamlNode& root = *composed.root;
  if (root.kind != YamlNode::Kind::kMapping) return Malformed(name, root, "it is no map");
  GivenInputs inputs;
  for (const YamlEntry& entry : root.entries) {
    const YamlNode& value = *entry.value;
    if (value.kind != YamlNode::Kind::kScalar) {
      return Malformed(name, value, "the value of '" + entry.key->text + "' is neither text nor number nor boolean");
    }
    if (!IsNull(value)) inputs.push_back({entry.key->text, value.text, InputSource::kFile});
  }
  return inputs;
}

}  // namespace awf::cli

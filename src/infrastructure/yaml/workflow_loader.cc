#include "infrastructure/yaml/workflow_loader.h"

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "application/language/inputs.h"
#include "application/validation/findings.h"
#include "infrastructure/yaml/input_loader.h"
#include "infrastructure/yaml/state_loader.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_file.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {
namespace {

constexpr std::string_view kMissing = "WORKFLOW.PARSE.MISSING_FIELD";
constexpr std::array<std::string_view, 5> kTopKeys = {"name", "version", "description", "inputs", "states"};
constexpr std::array<std::string_view, 6> kPlannedTopKeys = {"author", "tags", "hooks", "env", "outputs", "plugins"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> kTopHints = {
    {{"initial", "it stands in 'states'"}}};

class WorkflowLoader {
 public:
  WorkflowLoader(YamlReader& reader, std::string file, const ValidationContext& context)
      : reader_(reader), context_(context) {
    workflow_.file = std::move(file);
  }

  Workflow Load(const YamlNode& root) {
    reader_.CheckKeys(root, {kTopKeys, kPlannedTopKeys, kTopHints}, "");
    if (const YamlNode* node = YamlReader::FindValue(root, "name")) {
      workflow_.name = reader_.NonEmpty(*node, "name").value_or("");
    } else {
      reader_.Report(root, kMissing, "the workflow has no name", "name");
    }
    if (const YamlNode* node = YamlReader::FindValue(root, "version"))
      workflow_.version = reader_.String(*node, "version").value_or("");
    if (const YamlNode* node = YamlReader::FindValue(root, "description")) {
      workflow_.description = reader_.String(*node, "description").value_or("");
    }
    if (const YamlNode* node = YamlReader::FindValue(root, "inputs")) Inputs(*node);
    if (const YamlNode* node = YamlReader::FindValue(root, "states")) {
      States(*node);
    } else {
      reader_.Report(root, kMissing, "the workflow has no states", "states");
    }
    return std::move(workflow_);
  }

 private:
  void Inputs(const YamlNode& list) {
    std::error_code fault;
    const InputContext context{context_.regexes, context_.folders.prompts, std::filesystem::current_path(fault)};
    workflow_.inputs = LoadInputs(list, reader_, context);
  }

  void States(const YamlNode& map) {
    if (!reader_.IsMap(map, "states")) return;
    const YamlEntry* initial = YamlReader::Find(map, "initial");
    if (initial == nullptr) {
      reader_.Report(map, kMissing, "states has no key 'initial' that names the first state", "states.initial");
    } else if (auto name = reader_.NonEmpty(*initial->value, "states.initial")) {
      workflow_.initial = {std::move(*name), reader_.PositionOf(*initial->value)};
    }
    for (const YamlEntry& entry : map.entries) {
      if (entry.key->text != "initial") workflow_.states.push_back(LoadState(entry, reader_));
    }
  }

  YamlReader& reader_;
  const ValidationContext& context_;
  Workflow workflow_;
};

LoadedWorkflow Refused(const std::string& path, std::string code, std::string message, std::string hint = {}) {
  LoadedWorkflow loaded;
  loaded.findings.push_back(
      {Severity::kError, {std::move(code), std::move(message), std::move(hint), {path, 0, 0}, {}, {}}});
  return loaded;
}

LoadedWorkflow Refused(const std::string& path, const FileFault& fault) {
  static constexpr const char* kGivePath = "give the path of a .yaml file";
  if (fault.absent()) return Refused(path, "USER.WORKFLOW.NOT_FOUND", "there is no file " + path, kGivePath);
  if (fault.number == 0) return Refused(path, "USER.WORKFLOW.NOT_FOUND", path + " " + fault.message(), kGivePath);
  const bool denied = fault.number == EACCES || fault.number == EPERM;
  return Refused(path, denied ? "SYSTEM.IO.PERMISSION_DENIED" : "SYSTEM.IO.READ_FAILED", path + " " + fault.message());
}

}  // namespace

bool LoadedWorkflow::Runnable() const { return workflow.has_value() && !HasErrors(findings); }

LoadedWorkflow LoadWorkflow(const std::string& path, const ValidationContext& context) {
  if (!path.ends_with(".yaml") && !path.ends_with(".yml")) {
    return Refused(path, "USER.WORKFLOW.NOT_FOUND", path + " is not the path of a workflow file",
                   "workflow files end in .yaml or .yml");
  }
  const auto text = ReadYamlFile(path);
  if (!text) return Refused(path, text.error());
  return LoadWorkflowText(*text, path, context);
}

LoadedWorkflow LoadWorkflowText(std::string_view text, const std::string& file, const ValidationContext& context) {
  LoadedWorkflow loaded;
  loaded.source = text;
  ComposedYaml yaml = ComposeYaml(text, file);
  loaded.findings = std::move(yaml.findings);
  if (yaml.root != nullptr) {
    YamlReader reader(*yaml.source, file, loaded.findings);
    if (reader.IsMap(*yaml.root, "")) {
      loaded.workflow = WorkflowLoader(reader, file, context).Load(*yaml.root);
      ValidateWorkflow(*loaded.workflow, context, loaded.findings);
    }
  }
  SortFindings(loaded.findings);
  return loaded;
}

}  // namespace awf

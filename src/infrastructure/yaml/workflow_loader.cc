#include "infrastructure/yaml/workflow_loader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "application/findings.h"
#include "application/inputs.h"
#include "infrastructure/yaml/state_loader.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "infrastructure/yaml/yaml_reader.h"

namespace awf {
namespace {

constexpr std::string_view kMissing = "WORKFLOW.PARSE.MISSING_FIELD";
constexpr std::array<std::string_view, 5> kTopKeys = {"name", "version", "description", "inputs", "states"};
constexpr std::array<std::string_view, 6> kPlannedTopKeys = {"author", "tags", "hooks", "env", "outputs", "plugins"};
constexpr std::array<std::string_view, 6> kInputKeys = {"name", "type", "description", "required", "default", "secret"};
constexpr std::array<std::string_view, 1> kPlannedInputKeys = {"validation"};
constexpr std::array<std::string_view, 3> kInputTypes = {"string", "integer", "boolean"};

class WorkflowLoader {
 public:
  WorkflowLoader(YamlReader& reader, std::string file) : reader_(reader) { workflow_.file = std::move(file); }

  Workflow Load(const YamlNode& root) {
    reader_.CheckKeys(root, {kTopKeys, kPlannedTopKeys, {}}, "");
    if (const YamlNode* node = Find(root, "name")) {
      workflow_.name = reader_.NonEmpty(*node, "name").value_or("");
    } else {
      reader_.Report(root, kMissing, "the workflow has no name", "name");
    }
    if (const YamlNode* node = Find(root, "version")) workflow_.version = reader_.String(*node, "version").value_or("");
    if (const YamlNode* node = Find(root, "description")) {
      workflow_.description = reader_.String(*node, "description").value_or("");
    }
    if (const YamlNode* node = Find(root, "inputs")) Inputs(*node);
    if (const YamlNode* node = Find(root, "states")) {
      States(*node);
    } else {
      reader_.Report(root, kMissing, "the workflow has no states", "states");
    }
    return std::move(workflow_);
  }

 private:
  static const YamlNode* Find(const YamlNode& map, std::string_view key) {
    const YamlEntry* entry = YamlReader::Find(map, key);
    return entry == nullptr ? nullptr : entry->value.get();
  }

  void Inputs(const YamlNode& list) {
    if (list.kind == YamlNode::Kind::kMapping) {
      reader_.Invalid(list, "must be a list, but is a map", "inputs", "write each input as '- name: …'");
      return;
    }
    if (!reader_.IsList(list, "inputs")) return;
    for (std::size_t i = 0; i < list.items.size(); ++i) Input(*list.items[i], "inputs[" + std::to_string(i) + "]");
  }

  void Input(const YamlNode& node, const std::string& field) {
    if (!reader_.IsMap(node, field)) return;
    reader_.CheckKeys(node, {kInputKeys, kPlannedInputKeys, {}}, field);
    WorkflowInput input;
    input.position = reader_.PositionOf(node);
    if (const YamlNode* type = Find(node, "type")) {
      input.type = reader_.Word(*type, JoinPath(field, "type"), kInputTypes).value_or("string");
    }
    if (const YamlNode* text = Find(node, "description")) {
      input.description = reader_.String(*text, JoinPath(field, "description")).value_or("");
    }
    if (const YamlNode* required = Find(node, "required")) {
      input.required = reader_.Bool(*required, JoinPath(field, "required")).value_or(false);
    }
    if (const YamlNode* secret = Find(node, "secret")) {
      input.secret = reader_.Bool(*secret, JoinPath(field, "secret")).value_or(false);
    }
    if (const YamlNode* value = Find(node, "default")) Default(*value, JoinPath(field, "default"), input);
    if (InputName(node, field, input)) workflow_.inputs.push_back(std::move(input));
  }

  void Default(const YamlNode& node, const std::string& field, WorkflowInput& input) {
    std::optional<std::string> text = reader_.String(node, field);
    if (!text) return;
    if (const auto coerced = CoerceInput(input, *text); !coerced) {
      reader_.Invalid(node, "the default " + coerced.error(), field);
      return;
    }
    input.default_value = std::move(*text);
  }

  bool InputName(const YamlNode& node, const std::string& field, WorkflowInput& input) {
    const YamlNode* name = Find(node, "name");
    if (name == nullptr) {
      reader_.Report(node, kMissing, "the input has no name", JoinPath(field, "name"));
      return false;
    }
    const std::optional<std::string> text = reader_.NonEmpty(*name, JoinPath(field, "name"));
    if (!text) return false;
    if (!IsIdentifier(*text)) {
      reader_.Invalid(*name, "'" + *text + "' is no name for an input", JoinPath(field, "name"),
                      "names are letters, digits and '_', and begin with a letter or '_'");
      return false;
    }
    // Commands see AWF_INPUT_NAME, which cannot tell names that differ in case only.
    const auto [first, added] = input_names_.emplace(InputVariable(*text), *text);
    if (!added) {
      reader_.Invalid(*name,
                      first->second == *text ? "input '" + *text + "' is declared twice"
                                             : "inputs '" + first->second + "' and '" + *text + "' differ in case only",
                      JoinPath(field, "name"));
      return false;
    }
    input.name = *text;
    return true;
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
  Workflow workflow_;
  std::map<std::string, std::string> input_names_;  // variable → name
};

LoadedWorkflow Refused(const std::string& path, std::string code, std::string message, std::string hint = {}) {
  LoadedWorkflow loaded;
  loaded.findings.push_back(
      {Severity::kError, {std::move(code), std::move(message), std::move(hint), {path, 0, 0}, {}, {}}});
  return loaded;
}

LoadedWorkflow RefusedByErrno(const std::string& path, int fault) {
  if (fault == ENOENT || fault == ENOTDIR) {
    return Refused(path, "USER.WORKFLOW.NOT_FOUND", "there is no file " + path, "give the path of a .yaml file");
  }
  const bool denied = fault == EACCES || fault == EPERM;
  return Refused(path, denied ? "SYSTEM.IO.PERMISSION_DENIED" : "SYSTEM.IO.READ_FAILED",
                 path + " cannot be read: " + std::strerror(fault));
}

class File {
 public:
  explicit File(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

}  // namespace

bool LoadedWorkflow::Runnable() const { return workflow.has_value() && !HasErrors(findings); }

LoadedWorkflow LoadWorkflow(const std::string& path, const EnvironmentLookup& environment) {
  if (!path.ends_with(".yaml") && !path.ends_with(".yml")) {
    return Refused(path, "USER.WORKFLOW.NOT_FOUND", path + " is not the path of a workflow file",
                   "workflow files end in .yaml or .yml");
  }
  const File file(path);
  if (file.fd() < 0) return RefusedByErrno(path, errno);
  struct stat status{};
  if (::fstat(file.fd(), &status) != 0) return RefusedByErrno(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return Refused(path, "USER.WORKFLOW.NOT_FOUND", path + " is not a regular file", "give the path of a .yaml file");
  }
  std::string text;
  std::array<char, 65536> buffer;
  while (text.size() <= kMaxYamlBytes + 3) {  // a byte order mark does not count
    const ssize_t got = ::read(file.fd(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return RefusedByErrno(path, errno);
    if (got == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return LoadWorkflowText(text, path, environment);
}

LoadedWorkflow LoadWorkflowText(std::string_view text, const std::string& file, const EnvironmentLookup& environment) {
  LoadedWorkflow loaded;
  loaded.source = text;
  ComposedYaml yaml = ComposeYaml(text, file);
  loaded.findings = std::move(yaml.findings);
  if (yaml.root != nullptr) {
    YamlReader reader(*yaml.source, file, loaded.findings);
    if (reader.IsMap(*yaml.root, "")) {
      loaded.workflow = WorkflowLoader(reader, file).Load(*yaml.root);
      ValidateWorkflow(*loaded.workflow, environment, loaded.findings);
    }
  }
  SortFindings(loaded.findings);
  return loaded;
}

}  // namespace awf

// `awf schema` and the loader must agree: what runs without a warning about its keys is valid by the schema, and a key
// that the loader does not know, or misses, makes a file invalid by the schema as well. Over every fixture and every
// example.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "domain/test_folder.h"
#include "infrastructure/yaml/workflow_loader.h"
#include "infrastructure/yaml/yaml_composer.h"
#include "tests/workflow_schema/draft7_checker.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

std::string SchemaText() {
  const char* program = std::getenv("AWF_PROGRAM");
  std::FILE* pipe = ::popen((std::string(program == nullptr ? "awf" : program) + " schema").c_str(), "r");
  std::string text;
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  EXPECT_EQ(::pclose(pipe), 0);
  return text;
}

json::value ScalarOf(const YamlNode& node) {
  switch (TypeOf(node)) {
    case ScalarType::kNull:
      return nullptr;
    case ScalarType::kBool:
      return node.text == "true";
    case ScalarType::kInteger:
      return std::strtoll(node.text.c_str(), nullptr, 0);
    case ScalarType::kFloat:
      return std::strtod(node.text.c_str(), nullptr);
    case ScalarType::kString:
      return json::value(node.text);
  }
  return nullptr;
}

json::value JsonOf(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kScalar) return ScalarOf(node);
  if (node.kind == YamlNode::Kind::kSequence) {
    json::array list;
    for (const YamlNodePtr& item : node.items) list.push_back(JsonOf(*item));
    return list;
  }
  json::object map;
  for (const YamlEntry& entry : node.entries) map[entry.key->text] = JsonOf(*entry.value);
  return map;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// Findings about keys, which a schema can see as well; `options` depend on the provider, which it leaves open.
bool IsAboutKeys(const Finding& finding) {
  const std::string& code = finding.error.code;
  const bool keys = code == "WORKFLOW.PARSE.UNKNOWN_FIELD" || code == "WORKFLOW.PARSE.MISSING_FIELD" ||
                    code == "USER.MCP_PROXY.UNKNOWN_KEY";
  return finding.severity == Severity::kError && keys && !finding.error.field.starts_with("options");
}

class WorkflowSchema : public ::testing::Test {
 protected:
  static const Draft7Checker& Schema() {
    static const Draft7Checker schema(json::parse(SchemaText()));
    return schema;
  }

  static void CheckFile(const fs::path& path) {
    const std::string text = FileText(path);
    ComposedYaml yaml = ComposeYaml(text, path.string());
    if (yaml.root == nullptr || !yaml.findings.empty()) return;  // no document that a schema could judge
    const LoadedWorkflow loaded = LoadWorkflowText(text, path.string(), {});
    const std::vector<std::string> faults = Schema().Check(JsonOf(*yaml.root));
    // A key that has no effect is a warning of the loader, and an error for an editor.
    const bool idle_keys = std::ranges::any_of(
        loaded.findings, [](const Finding& finding) { return finding.error.code == "WORKFLOW.PARSE.INVALID_VALUE"; });
    if (loaded.Runnable() && !idle_keys) {
      EXPECT_EQ(Joined(faults), "") << path << " runs, but is not valid by the schema";
    }
    for (const Finding& finding : loaded.findings) {
      if (!IsAboutKeys(finding)) continue;
      EXPECT_FALSE(faults.empty()) << path << " is valid by the schema, but: " << finding.error.code << " "
                                   << finding.error.message;
    }
  }

  static int CheckFolder(const std::string& folder) {
    const char* root = std::getenv("AWF_SOURCE_DIR");
    int files = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(root == nullptr ? "." : root) / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      ++files;
      CheckFile(entry.path());
    }
    return files;
  }
};

TEST_F(WorkflowSchema, AgreesWithTheLoaderOnEveryFixture) { EXPECT_GE(CheckFolder("tests/fixtures/workflows"), 150); }

TEST_F(WorkflowSchema, AcceptsEveryExample) { EXPECT_GE(CheckFolder("examples/workflows"), 6); }

TEST_F(WorkflowSchema, RefusesWhatIsNotAWorkflow) {
  for (const char* text : {"[]", "{}", R"({"name": "x"})", R"({"name": "x", "states": {}})",
                           R"({"name": "x", "states": {"initial": "a", "a": {"type": "robot"}}})",
                           R"({"name": "x", "states": {"initial": "a", "a": {"type": "terminal", "command": "true"}}})",
                           R"({"name": "x", "states": {"initial": "a", "a": {"type": "step"}}})",
                           R"({"name": "x", "states": {"initial": "a", "a b": {"type": "terminal"}}})"}) {
    EXPECT_FALSE(Schema().Check(json::parse(text)).empty()) << text;
  }
  EXPECT_EQ(
      Joined(Schema().Check(json::parse(R"({"name": "x", "states": {"initial": "a", "a": {"type": "terminal"}}})"))),
      "");
}

}  // namespace
}  // namespace awf

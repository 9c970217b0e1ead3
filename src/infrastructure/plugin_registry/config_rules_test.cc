#include "infrastructure/plugin_registry/config_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "infrastructure/plugin_registry/manifest.h"
#include "infrastructure/plugin_registry/plugins_file.h"
#include "infrastructure/plugin_registry/test_findings.h"

namespace awf::plugin_registry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The `config` of a manifest.
ConfigRules Rules(const std::string& config) {
  const ReadManifest read = ParseManifest(
      "name: k\nversion: 1.0.0\nawf_version: 0.11.0\ncapabilities: [operations]\nconfig:\n" + config, "plugin.yaml");
  EXPECT_THAT(Told(read.findings), IsEmpty());
  return read.manifest.config;
}

// The `config` of .awf/plugins.yaml, its values in line 4.
GivenConfig Given(const std::string& config) {
  const auto plugins = ParsePluginsFile("plugins:\n  k:\n    config:\n      " + config + "\n", "plugins.yaml");
  EXPECT_TRUE(plugins) << plugins.error().message;
  return plugins->at("k").config;
}

GivenConfig State(const json::value& values) { return {values.get_object(), {}, {}, "k.config", "~/plugins.json"}; }

std::string Merged(const ConfigRules& rules, const std::vector<const GivenConfig*>& given) {
  const auto merged = MergeConfig("k", rules, given, {"plugins.yaml", 2, 3});
  return merged ? json::serialize(*merged) : "none: " + merged.error().message;
}

std::string Fault(const ConfigRules& rules, const GivenConfig& given) {
  const auto merged = MergeConfig("k", rules, {&given}, {"plugins.yaml", 2, 3});
  if (merged) return "none";
  EXPECT_EQ(merged.error().code, "EXECUTION.PLUGIN.CONFIG");
  return Told(merged.error());
}

TEST(ConfigRules, TheStrongestValueCounts) {
  const ConfigRules rules = Rules("  a: {default: 1}\n  b: {default: 1}\n  c: {default: 1}\n  d: {type: string}\n");
  const GivenConfig state = State({{"b", 2}, {"c", 2}, {"x", 2}}), file = Given("{c: 3, y: 3}");
  EXPECT_EQ(Merged(rules, {}), R"({"a":1,"b":1,"c":1})");
  EXPECT_EQ(Merged(rules, {&state}), R"({"b":2,"c":2,"x":2,"a":1})");
  EXPECT_EQ(Merged(rules, {&state, &file}), R"({"b":2,"c":3,"x":2,"y":3,"a":1})");
  EXPECT_EQ(Merged({}, {&state, &file}), R"({"b":2,"c":3,"x":2,"y":3})");
}

TEST(ConfigRules, NullIsNoValue) {
  const ConfigRules rules = Rules("  a: {default: 1}\n  b: {required: true}\n");
  const GivenConfig state = State({{"b", 2}}), file = Given("{a: , b: null}");
  EXPECT_EQ(Merged(rules, {&state, &file}), R"({"b":2,"a":1})");
}

TEST(ConfigRules, ValuesStayTextAndKeepTheirSpelling) {
  const ConfigRules rules =
      Rules("  s: {type: string}\n  t: {type: string}\n  i: {type: integer}\n  n: {type: number}\n");
  const GivenConfig file = Given("{s: 1.10, t: \"${HOME}/~/x\", i: 2.0, n: 3}");
  EXPECT_EQ(Merged(rules, {&file}), R"({"s":"1.10","t":"${HOME}/~/x","i":2,"n":3})");
  const GivenConfig flag = Given("{s: true, t: ~/.kube/config}");
  EXPECT_EQ(Merged(rules, {&flag}), R"({"s":"true","t":"~/.kube/config"})");
}

TEST(ConfigRules, ARequiredFieldIsMissing) {
  const ConfigRules rules = Rules("  kubeconfig: {type: string, required: true, description: path of the file}\n");
  EXPECT_EQ(Fault(rules, Given("{}")),
            "2:3 plugins.k.config.kubeconfig: plugins.k.config.kubeconfig: required by k (set it in .awf/plugins.yaml: "
            "path of the file)");
  EXPECT_EQ(Fault(Rules("  a: {required: true, default: x}\n"), Given("{}")), "none");
}

TEST(ConfigRules, AValueDoesNotFit) {
  EXPECT_EQ(Fault(Rules("  port: {type: integer}\n"), Given("{port: secret}")),
            "4:8 plugins.k.config.port: plugins.k.config.port: must be an integer, but is a string");
  EXPECT_EQ(Fault(Rules("  port: {type: integer}\n"), Given("{port: 0.5}")),
            "4:8 plugins.k.config.port: plugins.k.config.port: must be an integer, but is a fraction");
  EXPECT_EQ(Fault(Rules("  s: {type: string}\n"), Given("{s: [a]}")),
            "4:8 plugins.k.config.s: plugins.k.config.s: must be a string, but is a list");
  EXPECT_EQ(Fault(Rules("  n: {type: number}\n"), Given("{n: true}")),
            "4:8 plugins.k.config.n: plugins.k.config.n: must be a number, but is a boolean");
  EXPECT_EQ(Fault(Rules("  b: {type: boolean}\n"), Given("{b: {}}")),
            "4:8 plugins.k.config.b: plugins.k.config.b: must be true or false, but is a map");
  EXPECT_EQ(Fault(Rules("  mode: {type: string, enum: [read, write]}\n"), Given("{mode: wrte}")),
            "4:8 plugins.k.config.mode: plugins.k.config.mode: must be one of read, write (did you mean 'write'?)");
  EXPECT_EQ(Fault(Rules("  n: {type: integer, enum: [1, 2]}\n"), Given("{n: 3}")),
            "4:8 plugins.k.config.n: plugins.k.config.n: must be one of 1, 2");
  EXPECT_EQ(Fault(Rules("  n: {type: number, enum: [1, 2]}\n"), Given("{n: 2.0}")), "none");
  EXPECT_EQ(Fault(Rules("  s: {type: string}\n"), State({{"s", 1}})),
            "0:0 k.config.s: ~/plugins.json: k.config.s: must be a string, but is a number");
}

TEST(ConfigRules, TellsAllFaults) {
  EXPECT_EQ(Fault(Rules("  a: {required: true}\n  b: {type: integer}\n"), Given("{b: x}")),
            "2:3 plugins.k.config.a: plugins.k.config.a: required by k\n"
            "plugins.k.config.b: must be an integer, but is a string (set it in .awf/plugins.yaml)");
}

TEST(ConfigRules, WarnsOfFieldsThatTheManifestDoesNotKnow) {
  const GivenConfig file = Given("{kubconfig: x, kubeconfig: y}");
  EXPECT_THAT(
      Told(UnknownFields(Rules("  kubeconfig: {}\n"), file)),
      ElementsAre("warning 4:8 plugins.k.config.kubconfig: plugins.k.config.kubconfig: the plugin's manifest has "
                  "no such field (did you mean 'kubeconfig'?)"));
  EXPECT_THAT(UnknownFields({}, file), IsEmpty());
  std::string many = "{";
  for (int i = 0; i < 30; ++i) many += "f" + std::to_string(i) + ": 1, ";
  EXPECT_EQ(UnknownFields(Rules("  kubeconfig: {}\n"), Given(many + "}")).size(), 20U);
}

}  // namespace
}  // namespace awf::plugin_registry

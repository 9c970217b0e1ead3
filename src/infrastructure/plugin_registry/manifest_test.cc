#include "infrastructure/plugin_registry/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "domain/test_folder.h"
#include "infrastructure/plugin_registry/test_findings.h"

namespace awf::plugin_registry {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kLeast = R"(name: forge
version: 1.2.3
awf_version: ">=0.5.0"
capabilities: [operations]
)";

std::vector<std::string> Faults(std::string_view text) {
  const ReadManifest read = ParseManifest(text, "plugin.yaml");
  for (const Finding& finding : read.findings) EXPECT_EQ(finding.error.code, "EXECUTION.PLUGIN.CONFIG");
  return Told(read.findings);
}

// Of the least manifest with a `config`.
std::vector<std::string> ConfigFaults(const std::string& field) {
  return Faults(std::string(kLeast) + "config: {f: " + field + "}\n");
}

TEST(Manifest, ReadsEveryKey) {
  const ReadManifest read = ParseManifest(R"(name: Kube-ctl_2
version: 1.2.3-rc.1
awf_version: ^0.11.0
description: talks to clusters
author: somebody
license: MIT
homepage: https://example.test/
capabilities: [operations, step_types, validators, events]
events: {subscribe: [run.started], emit: [pod.failed, pod.ready]}
config:
  kubeconfig: {type: string, required: true, description: path of the file}
  mode: {type: string, default: read, enum: [read, write]}
  retries: {type: integer, default: 3.0, enum: [1, 3]}
  ratio: {type: number, default: 1}
  verbose: {type: boolean, default: false}
  tag: {type: string, default: 1.10}
  any: {default: [1, {a: b}]}
)",
                                          "plugin.yaml");
  EXPECT_THAT(Told(read.findings), IsEmpty());
  ASSERT_TRUE(read.valid());
  EXPECT_EQ(read.Reason("p"), "");
  const Manifest& manifest = read.manifest;
  EXPECT_EQ(manifest.name, "Kube-ctl_2");
  EXPECT_EQ(manifest.version, "1.2.3-rc.1");
  EXPECT_EQ(manifest.awf_version, "^0.11.0");
  EXPECT_EQ(manifest.description, "talks to clusters");
  EXPECT_EQ(manifest.author, "somebody");
  EXPECT_EQ(manifest.license, "MIT");
  EXPECT_EQ(manifest.homepage, "https://example.test/");
  EXPECT_THAT(manifest.capabilities, ElementsAre("operations", "step_types", "validators", "events"));
  EXPECT_THAT(manifest.subscribes, ElementsAre("run.started"));
  EXPECT_THAT(manifest.emits, ElementsAre("pod.failed", "pod.ready"));
  std::vector<std::string> fields;
  for (const ConfigField& field : manifest.config) {
    fields.push_back(field.name + (field.required ? " required" : "") + " " +
                     (field.default_value ? json::serialize(*field.default_value) : "-") + " " +
                     json::serialize(field.choices) + field.description);
  }
  EXPECT_THAT(fields, ElementsAre("kubeconfig required - []path of the file", R"(mode "read" ["read","write"])",
                                  "retries 3 [1,3]", "ratio 1 []", "verbose false []", R"(tag "1.10" [])",
                                  R"(any [1,{"a":"b"}] [])"));
  EXPECT_EQ(manifest.config[0].type, FieldType::kString);
  EXPECT_EQ(manifest.config[2].type, FieldType::kInteger);
  EXPECT_EQ(manifest.config[3].type, FieldType::kNumber);
  EXPECT_EQ(manifest.config[4].type, FieldType::kBoolean);
  EXPECT_EQ(manifest.config[6].type, FieldType::kAny);
}

TEST(Manifest, TellsAllThatIsMissing) {
  EXPECT_THAT(Faults("description: x\n"),
              ElementsAre("1:1 awf_version: awf_version is missing", "1:1 capabilities: capabilities is missing",
                          "1:1 name: name is missing", "1:1 version: version is missing"));
  const ReadManifest read = ParseManifest("# nothing\nname: forge\nversion: '1'\n", "/p/plugin.yaml");
  EXPECT_EQ(read.Reason("./p/plugin.yaml"), "./p/plugin.yaml:2:1: awf_version is missing; 2 more");
  EXPECT_EQ(read.manifest.name, "forge");
  EXPECT_FALSE(read.valid());
}

TEST(Manifest, ChecksEveryValue) {
  EXPECT_THAT(
      Faults("name: 2forge\nversion: 1.2\nawf_version: '>> 1'\ncapabilities: []\n"),
      ElementsAre("1:7 name: '2forge' is no name for a plugin (names are letters, digits, '_' and '-', and begin "
                  "with a letter)",
                  "2:10 version: version '1.2' is not of the form X.Y.Z or X.Y.Z-PRE",
                  "3:14 awf_version: awf_version: '>>' is no rule for a version (as \">=0.5.0 <1.0.0\")",
                  "4:15 capabilities: capabilities has none of operations, step_types, validators, events"));
  EXPECT_THAT(Faults("name: [a]\nversion: {}\nawf_version:\ncapabilities: operations\nauthor: [x]\nevents: x\n"),
              ElementsAre("1:7 name: name must be a string, but is a list",
                          "2:10 version: version must be a string, but is a map",
                          "3:13 awf_version: awf_version must be a string, but is empty",
                          "4:15 capabilities: capabilities must be a list, but is a string",
                          "5:9 author: author must be a string, but is a list",
                          "6:9 events: events must be a map, but is a string"));
  EXPECT_THAT(Faults("[]"), ElementsAre("1:1 : the document must be a map, but is a list"));
}

TEST(Manifest, WantsAnotherLevelOfPlugins) {
  EXPECT_THAT(
      Faults("name: forge\nversion: 1.2.3\nawf_version: '>=0.12.0'\ncapabilities: [operations]\n"),
      ElementsAre("3:14 awf_version: the plugin wants awf_version >=0.12.0, and this awf has plugin level 0.11.0"));
}

TEST(Manifest, UnknownKeysAndCapabilitiesAreWarnings) {
  const std::string text = std::string(kLeast) + "licence: MIT\nconfig: {f: {typ: string}}\nevents: {emits: []}\n";
  EXPECT_THAT(Faults(text), ElementsAre("warning 5:1 licence: unknown key 'licence' (did you mean 'license'?)",
                                        "warning 6:14 config.f.typ: unknown key 'typ' (did you mean 'type'?)",
                                        "warning 7:10 events.emits: unknown key 'emits' (did you mean 'emit'?)"));
  EXPECT_TRUE(ParseManifest(text, "p").valid());
  EXPECT_THAT(Faults("name: f\nversion: 1.2.3\nawf_version: 0.11.0\ncapabilities: [operation, events]\n"),
              ElementsAre("warning 4:16 capabilities[0]: unknown capability 'operation' (did you mean 'operations'?)"));
}

TEST(Manifest, ChecksFieldsOfTheConfiguration) {
  EXPECT_THAT(ConfigFaults("string"), ElementsAre("5:13 config.f: config.f must be a map, but is a string"));
  EXPECT_THAT(ConfigFaults("{type: text}"),
              ElementsAre("5:20 config.f.type: config.f.type 'text' is not one of string, integer, number, boolean"));
  EXPECT_THAT(
      ConfigFaults("{required: 'yes'}"),
      ElementsAre("5:24 config.f.required: config.f.required must be true or false, but is a string (write true "
                  "or false, without quotes)"));
  EXPECT_THAT(ConfigFaults("{type: integer, default: 'x'}"),
              ElementsAre("5:38 config.f.default: config.f.default must be an integer, but is a string"));
  EXPECT_THAT(ConfigFaults("{type: integer, default: 1.5}"),
              ElementsAre("5:38 config.f.default: config.f.default must be an integer, but is a fraction"));
  EXPECT_THAT(ConfigFaults("{type: boolean, enum: [true, 1]}"),
              ElementsAre("5:42 config.f.enum[1]: config.f.enum[1] must be true or false, but is a number"));
  EXPECT_THAT(ConfigFaults("{type: string, enum: []}"),
              ElementsAre("5:34 config.f.enum: config.f.enum must not be empty"));
  EXPECT_THAT(ConfigFaults("{enum: [a, b], default: c}"),
              ElementsAre("5:37 config.f.default: config.f.default must be one of a, b"));
  EXPECT_THAT(ConfigFaults("{type: number, enum: [1, 2.5], default: 1.0}"), IsEmpty());
  EXPECT_THAT(ConfigFaults("{type: string, default: }"), IsEmpty());
}

TEST(Manifest, WhatIsNoYamlIsAFault) {
  EXPECT_THAT(Faults(""), ElementsAre("1:1 : the file holds no document"));
  EXPECT_THAT(Faults("name: a\nname: b\nversion: 1.0.0\nawf_version: 0.11.0\ncapabilities: [events]\n"),
              ElementsAre("2:1 : key 'name' was already given in line 1 (remove one of the two)"));
  EXPECT_EQ(Faults("name: [").size(), 1U);
  EXPECT_EQ(Faults(std::string(200, '[')).size(), 1U);
  EXPECT_THAT(Faults("name: forge\r\nversion: 1.2.3\r\nawf_version: 0.11.0\r\ncapabilities:\r\n  - operations\r\n"),
              IsEmpty());
}

TEST(Manifest, NeverWaitsForWhatIsNoFile) {
  const TestFolder folder;
  const auto reason = [&](const char* name) {
    const ReadManifest read = ReadManifestFile(folder / name);
    EXPECT_TRUE(read.manifest.name.empty());
    return read.Reason(name);
  };
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder");
  std::filesystem::create_symlink("nowhere", folder / "dangling");
  std::filesystem::create_symlink("loop", folder / "loop");
  EXPECT_EQ(reason("pipe"), "pipe is not a regular file");
  EXPECT_EQ(reason("folder"), "folder is not a regular file");
  EXPECT_EQ(reason("dangling"), "dangling does not exist");
  EXPECT_EQ(reason("loop"), "loop cannot be read: Too many levels of symbolic links");
  folder.Put("plugin.yaml", kLeast);
  std::filesystem::create_symlink("plugin.yaml", folder / "link");
  EXPECT_EQ(ReadManifestFile(folder / "link").manifest.name, "forge");
}

TEST(PluginName, BeginsWithALetter) {
  for (const char* good : {"a", "A1", "k8s-prod_2"}) EXPECT_TRUE(IsPluginName(good)) << good;
  for (const char* bad : {"", "1a", "-a", "_a", "a.b", "a b", "ä", "a\n"}) EXPECT_FALSE(IsPluginName(bad)) << bad;
}

}  // namespace
}  // namespace awf::plugin_registry

#include "infrastructure/yaml/config_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "domain/test_folder.h"

namespace awf {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::ElementsAre;

using Variables = std::map<std::string, std::string>;

EnvironmentLookup Environment(Variables variables = {{"HOME", "/home/u"}}) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

LoadedConfig Load(std::string_view text) { return LoadConfigText(text, "c.yaml", Environment()); }

// "line:column field: message (hint)" of each finding; all of them have the one code.
std::vector<std::string> Told(const LoadedConfig& loaded) {
  std::vector<std::string> lines;
  for (const Finding& finding : loaded.findings) {
    const Error& error = finding.error;
    EXPECT_EQ(error.code, "USER.CONFIG.INVALID");
    lines.push_back(std::to_string(error.position.line) + ":" + std::to_string(error.position.column) + " " +
                    error.field + ": " + error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"));
  }
  return lines;
}

TEST(ConfigLoader, ReadsEveryKey) {
  const LoadedConfig loaded = Load(R"(inputs: {tag: 1.10, strict: true, text: hello}
storage: ~/awf
timeouts: {step: 90, agent: 2h}
telemetry: {exporter: "file:/tmp/x", service_name: ci, span_names: semconv, attributes: openinference, content: true,
            propagate_http: false}
log: {level: debug, format: json}
transcript: {content: full}
audit: {path: ~/runs.jsonl}
masking: {keys: [pin], patterns: ['EMP-\d+', x]}
notify: {default_backend: webhook, webhook_url: "https://h/${KEY}/x", slack_webhook_url: "${SLACK}", smtp_url: "smtps://u:${PW}@m"}
providers:
  claude: {path: ~/bin/claude, options: {model: sonnet, maxTurns: 3}}
  openai-compatible: {options: {base_url: "http://127.0.0.1:1/v1"}}
)");
  EXPECT_THAT(Told(loaded), ElementsAre("12:57 providers.claude.options.maxTurns: option 'maxTurns' is taken as "
                                        "'max_turns' (options are written in snake_case)"));
  ASSERT_TRUE(loaded.Usable());
  const Config& config = *loaded.config;
  EXPECT_EQ(config.inputs,
            (std::map<std::string, std::string>{{"strict", "true"}, {"tag", "1.10"}, {"text", "hello"}}));
  EXPECT_EQ(config.storage, "/home/u/awf");
  EXPECT_EQ(config.step_timeout, milliseconds(90'000));
  EXPECT_EQ(config.agent_timeout, milliseconds(7'200'000));
  EXPECT_EQ(config.telemetry.exporter, "file:/tmp/x");
  EXPECT_EQ(config.telemetry.service_name, "ci");
  EXPECT_EQ(config.telemetry.span_names, "semconv");
  EXPECT_EQ(config.telemetry.attributes, "openinference");
  EXPECT_EQ(config.telemetry.content, true);
  EXPECT_EQ(config.telemetry.propagate_http, false);
  EXPECT_EQ(config.transcript_content, "full");
  EXPECT_EQ(config.audit_path, "/home/u/runs.jsonl");
  EXPECT_EQ(config.masking_keys, std::vector<std::string>{"pin"});
  EXPECT_EQ(config.masking_patterns, (std::vector<std::string>{"EMP-\\d+", "x"}));
  EXPECT_EQ(config.notify.default_backend, "webhook");
  EXPECT_EQ(config.notify.webhook_url, "https://h/${KEY}/x");
  EXPECT_EQ(config.notify.slack_webhook_url, "${SLACK}");
  EXPECT_EQ(config.notify.smtp_url, "smtps://u:${PW}@m");
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_EQ(config.log_format, "json");
  EXPECT_EQ(config.providers.at("claude").path, "/home/u/bin/claude");
  EXPECT_EQ(json::serialize(config.providers.at("claude").options), R"({"model":"sonnet","max_turns":3})");
  EXPECT_EQ(json::serialize(config.providers.at("openai_compatible").options),
            R"({"base_url":"http://127.0.0.1:1/v1"})");
  EXPECT_EQ(config.positions.at("timeouts.agent"), (Position{"c.yaml", 3, 29}));
  EXPECT_EQ(config.positions.at("inputs.tag"), (Position{"c.yaml", 1, 15}));
  EXPECT_EQ(config.positions.at("providers.claude.path"), (Position{"c.yaml", 12, 18}));
  EXPECT_FALSE(config.positions.contains("log.colour"));
}

TEST(ConfigLoader, EmptyFilesSetNothing) {
  for (const char* text : {"", "# nothing yet\n", "{}"}) {
    const LoadedConfig loaded = Load(text);
    EXPECT_TRUE(loaded.Usable() && loaded.findings.empty()) << text;
    EXPECT_EQ(loaded.config->step_timeout, std::nullopt);
  }
}

TEST(ConfigLoader, UnknownAndLaterKeys) {
  const LoadedConfig loaded = Load(R"(storge: x
transcript: {contents: all}
audit: {paths: x}
masking: {key: [a]}
notify: {default_backends: x}
defaults: {agent: {}}
require_proxy: true
requireProxy: true
telemetry: {exportr: x}
timeouts: {steps: 1}
log: {Level: info}
providers: {claude: {paht: /x}}
)");
  EXPECT_THAT(
      Told(loaded),
      ElementsAre("1:1 storge: unknown key 'storge' (did you mean 'storage'?)",
                  "2:14 transcript.contents: unknown key 'contents' (did you mean 'content'?)",
                  "3:9 audit.paths: unknown key 'paths' (did you mean 'path'?)",
                  "4:11 masking.key: unknown key 'key' (did you mean 'keys'?)",
                  "5:10 notify.default_backends: unknown key 'default_backends' (did you mean 'default_backend'?)",
                  "6:1 defaults: unknown key 'defaults' (not supported yet)",
                  "7:1 require_proxy: unknown key 'require_proxy' (not supported yet)",
                  "8:1 requireProxy: unknown key 'requireProxy' ('require_proxy' is not supported yet)",
                  "9:13 telemetry.exportr: unknown key 'exportr' (did you mean 'exporter'?)",
                  "10:12 timeouts.steps: unknown key 'steps' (did you mean 'step'?)",
                  "11:7 log.Level: unknown key 'Level' (keys are written in snake_case: 'level')",
                  "12:22 providers.claude.paht: unknown key 'paht' (did you mean 'path'?)"));
  EXPECT_FALSE(loaded.Usable());
}

TEST(ConfigLoader, ValuesOfTheWrongKind) {
  const LoadedConfig loaded = Load(R"(inputs: {a-b: 1, list: [1], none: }
storage: ""
timeouts: {step: never, agent: -1}
telemetry: x
log: {level: trace, format: xml}
providers:
  cluade: {}
  gemnii: {}
  claude: {path: bin/claude, options: {modle: x, max_turns: many, model: "{{.inputs.m}}"}}
  openai_compatible: {path: /bin/x, options: [1]}
  openai-compatible: {}
)");
  std::vector<std::string> places;
  for (const Finding& finding : loaded.findings) {
    places.push_back(std::to_string(finding.error.position.line) + " " + finding.error.field);
  }
  EXPECT_THAT(places, ElementsAre("1 inputs.a-b", "1 inputs.list", "1 inputs.none", "2 storage", "3 timeouts.step",
                                  "3 timeouts.agent", "4 telemetry", "5 log.level", "5 log.format",
                                  "7 providers.cluade", "8 providers.gemnii", "9 providers.claude.path",
                                  "9 providers.claude.options.modle", "9 providers.claude.options.max_turns",
                                  "9 providers.claude.options.model", "10 providers.openai_compatible.path",
                                  "10 providers.openai_compatible.options", "11 providers.openai-compatible"));
  EXPECT_FALSE(Told(loaded).empty());
}

TEST(ConfigLoader, FilesThatAreNoMap) {
  EXPECT_THAT(Told(Load("- a\n")), ElementsAre("1:1 : the document must be a map, but is a list"));
  EXPECT_THAT(Told(Load("a: [\n")).size(), 1U);
  EXPECT_FALSE(Load("- a\n").config.has_value());
}

TEST(ConfigLoader, TildeNeedsAHome) {
  const LoadedConfig loaded = LoadConfigText("storage: ~/x\n", "c.yaml", Environment({}));
  EXPECT_THAT(Told(loaded), ElementsAre("1:10 storage: HOME is not set, so ~ cannot be expanded (give an absolute "
                                        "path)"));
}

TEST(ConfigLoader, ProgramsHaveAPathOfTheirOwn) {
  const auto path = [](const std::string& written) {
    const LoadedConfig loaded = Load("providers: {claude: {path: " + written + "}}\n");
    return loaded.Usable() ? loaded.config->providers.at("claude").path : loaded.findings.at(0).error.message;
  };
  EXPECT_EQ(path("~/../x"), "/home/x");
  EXPECT_EQ(path("/opt//a/./b/../claude"), "/opt/a/claude");
  EXPECT_EQ(path("//opt/claude"), "/opt/claude");
  EXPECT_EQ(path("/process/claude"), "/process/claude");
  for (const char* below : {"/proc/self/cwd/evil.sh", "/usr/../proc/self/cwd/x", "//proc/1/cwd/x", "~/../../proc/x"})
    EXPECT_TRUE(path(below).contains("must not lie below /proc")) << below << ": " << path(below);
}

TEST(ConfigLoader, TheProjectsFileNamesNoProgramAndNoFileOfTheUser) {
  const LoadedConfig loaded = LoadConfigText(R"(audit: {path: ~/.bashrc}
telemetry: {exporter: "file:/home/u/.bashrc"}
providers:
  claude: {path: /w/evil.sh, options: {model: x, extraArgs: [-x], env: {A: b}}}
  copilot: {path: ~/x}
)",
                                             "p.yaml", Environment(), ConfigOwner::kProject);
  const std::string hint =
      " (set it in your own configuration, ~/.config/awf/config.yaml, or in a file that --config names)";
  const std::string file = "the project's configuration may not name a file of the user" + hint;
  const std::string program = "the project's configuration may not name a program of the user" + hint;
  EXPECT_THAT(Told(loaded), ElementsAre("1:15 audit.path: " + file, "2:23 telemetry.exporter: " + file,
                                        "4:18 providers.claude.path: " + program,
                                        "4:50 providers.claude.options.extraArgs: option 'extraArgs' is taken as "
                                        "'extra_args' (options are written in snake_case)",
                                        "5:19 providers.copilot.path: " + program));
  EXPECT_FALSE(loaded.Usable());
  EXPECT_FALSE(LoadConfigText("audit: {path: off}", "p.yaml", Environment(), ConfigOwner::kProject).Usable());

  const LoadedConfig rest = LoadConfigText(
      "telemetry: {exporter: file}\nstorage: s\nproviders: {claude: {options: {extraArgs: [-x], env: {A: b}}}}\n",
      "p.yaml", Environment(), ConfigOwner::kProject);
  ASSERT_TRUE(rest.Usable());
  EXPECT_EQ(rest.config->telemetry.exporter, "file");
  EXPECT_TRUE(rest.config->positions.contains("providers.claude.options.extra_args"));
}

TEST(ConfigLoader, WebhookUrlsThatCannotBe) {
  const LoadedConfig loaded = Load(R"(notify:
  default_backend: slack
  webhook_url: "https://h/${KEY"
  slack_webhook_url: "${a-b}"
)");
  EXPECT_THAT(
      Told(loaded),
      ElementsAre(
          "2:20 notify.default_backend: notify.default_backend 'slack' is not one of desktop, webhook",
          "3:16 notify.webhook_url: notify.webhook_url must have the name of a variable and '}' behind each '${'",
          "4:22 notify.slack_webhook_url: notify.slack_webhook_url must have the name of a variable and '}' behind "
          "each '${'"));
  EXPECT_THAT(Told(Load("notify: {webhook_url: 'h.example/${KEY}', slack_webhook_url: ''}")),
              ElementsAre("1:23 notify.webhook_url: notify.webhook_url must be an http or https URL, or ${NAME}",
                          "1:62 notify.slack_webhook_url: notify.slack_webhook_url must not be empty"));
  EXPECT_THAT(Told(Load("notify: {smtp_url: 'https://m'}")),
              ElementsAre("1:20 notify.smtp_url: notify.smtp_url must be an smtp or smtps URL, or ${NAME}"));
}

// Else a cloned repository could send variables of the user, and what agents write, to a server of its own.
TEST(ConfigLoader, TheProjectsFileOnlyNamesAVariableWithTheWebhook) {
  const auto load = [](const std::string& url) {
    return LoadConfigText("notify: {default_backend: webhook, webhook_url: '" + url + "'}\n", "p.yaml", Environment(),
                          ConfigOwner::kProject);
  };
  const LoadedConfig variable = load("${HOOK}");
  ASSERT_TRUE(variable.Usable());
  EXPECT_EQ(variable.config->notify.webhook_url, "${HOOK}");
  EXPECT_EQ(variable.config->notify.default_backend, "webhook");
  for (const char* url : {"https://evil.example/x", "https://evil.example/${TOKEN}", "${A}${B}", "${A}/x"}) {
    EXPECT_THAT(Told(load(url)),
                ElementsAre("1:49 notify.webhook_url: the project's configuration may only name a variable that holds "
                            "the URL (write ${NAME}, or set it in your own configuration, ~/.config/awf/config.yaml)"))
        << url;
  }
  EXPECT_TRUE(LoadConfigText("notify: {smtp_url: '${MAIL}'}", "p.yaml", Environment(), ConfigOwner::kProject).Usable());
  EXPECT_FALSE(
      LoadConfigText("notify: {smtp_url: 'smtp://m'}", "p.yaml", Environment(), ConfigOwner::kProject).Usable());
}

TEST(MergeConfig, TheProjectWinsKeyByKey) {
  const Config user = *Load(
                           "inputs: {a: 1, b: 2}\nstorage: /u\ntimeouts: {step: 1, agent: 2}\nlog: {level: info}\n"
                           "notify: {default_backend: desktop, webhook_url: 'https://u/'}\n"
                           "providers: {claude: {path: /u/claude, options: {model: opus, effort: high}}}\n")
                           .config;
  const Config project = *LoadConfigText(
                              "inputs: {b: 3}\ntimeouts: {agent: 0}\nlog: {format: json}\n"
                              "notify: {default_backend: webhook, slack_webhook_url: '${S}', smtp_url: '${M}'}\n"
                              "providers: {claude: {options: {model: sonnet}}}\n",
                              "p.yaml", Environment())
                              .config;
  const Config merged = MergeConfig(user, project);
  EXPECT_EQ(merged.inputs, (std::map<std::string, std::string>{{"a", "1"}, {"b", "3"}}));
  EXPECT_EQ(merged.storage, "/u");
  EXPECT_EQ(merged.step_timeout, milliseconds(1000));
  EXPECT_EQ(merged.agent_timeout, milliseconds(0));  // said, so it wins
  EXPECT_EQ(merged.notify.default_backend, "webhook");
  EXPECT_EQ(merged.notify.webhook_url, "https://u/");
  EXPECT_EQ(merged.notify.slack_webhook_url, "${S}");
  EXPECT_EQ(merged.notify.smtp_url, "${M}");
  EXPECT_EQ(merged.log_level, "info");
  EXPECT_EQ(merged.log_format, "json");
  EXPECT_EQ(merged.providers.at("claude").path, "/u/claude");
  EXPECT_EQ(json::serialize(merged.providers.at("claude").options), R"({"model":"sonnet","effort":"high"})");
  EXPECT_EQ(merged.positions.at("inputs.a").file, "c.yaml");
  EXPECT_EQ(merged.positions.at("inputs.b").file, "p.yaml");
}

class ConfigFilesTest : public testing::Test {
 protected:
  ConfigFilesTest() {
    fs::create_directories(root_ / "work/.awf");
    fs::create_directories(root_ / "home");
    variables_["AWF_CONFIG_HOME"] = (root_ / "home").string();
  }

  LoadedConfig Configuration(const std::string& named = {}) const {
    const EnvironmentLookup environment = Environment(variables_);
    Folders folders;
    folders.config = root_ / "home";
    return LoadConfiguration(named, folders, environment, root_ / "work");
  }

  const TestFolder root_;
  Variables variables_;
};

TEST_F(ConfigFilesTest, NoFileIsNoConfiguration) {
  const LoadedConfig loaded = Configuration();
  EXPECT_TRUE(loaded.Usable());
  EXPECT_TRUE(loaded.config->positions.empty());
}

TEST_F(ConfigFilesTest, TheProjectsFileOverTheUsers) {
  root_.Put("home/config.yaml", "log: {level: info, format: json}\n");
  root_.Put("work/.awf/config.yaml", "log: {level: debug}\n");
  const Config config = *Configuration().config;
  EXPECT_EQ(config.log_level, "debug");
  EXPECT_EQ(config.log_format, "json");
}

TEST_F(ConfigFilesTest, NamedFilesTakeThePlaceOfTheProjects) {
  root_.Put("home/config.yaml", "log: {format: json}\n");
  root_.Put("work/.awf/config.yaml", "log: {level: debug}\n");
  root_.Put("env.yaml", "log: {level: warn}\n");
  root_.Put("flag.yaml", "log: {level: error}\n");
  variables_["AWF_CONFIG_PATH"] = (root_ / "env.yaml").string();
  EXPECT_EQ(Configuration().config->log_level, "warn");
  EXPECT_EQ(Configuration().config->log_format, "json");
  EXPECT_EQ(Configuration((root_ / "flag.yaml").string()).config->log_level, "error");
  variables_["AWF_CONFIG_PATH"] = "";
  EXPECT_EQ(Configuration().config->log_level, "debug");
}

TEST_F(ConfigFilesTest, NamedFilesMustExist) {
  const std::string missing = (root_ / "none.yaml").string();
  const LoadedConfig loaded = Configuration(missing);
  EXPECT_FALSE(loaded.config.has_value());
  ASSERT_EQ(loaded.findings.size(), 1U);
  EXPECT_EQ(loaded.findings[0].error.message, "the configuration file " + missing + " does not exist");
  variables_["AWF_CONFIG_PATH"] = (root_ / "work").string();
  EXPECT_EQ(Configuration().findings.at(0).error.message,
            "the configuration file " + (root_ / "work").string() + " is not a regular file");
}

TEST_F(ConfigFilesTest, OnlyTheFileThatCameWithTheProjectIsTheProjects) {
  const std::string text = "providers: {claude: {path: /x/claude}}\n";
  root_.Put("work/.awf/config.yaml", text);
  const LoadedConfig refused = Configuration();
  ASSERT_EQ(refused.findings.size(), 1U);
  EXPECT_EQ(refused.findings[0].error.position, (Position{(root_ / "work/.awf/config.yaml").string(), 1, 28}));
  EXPECT_TRUE(Configuration((root_ / "work/.awf/config.yaml").string()).Usable());
  variables_["AWF_CONFIG_PATH"] = (root_ / "work/.awf/config.yaml").string();
  EXPECT_TRUE(Configuration().Usable());
  variables_.erase("AWF_CONFIG_PATH");
  fs::remove(root_ / "work/.awf/config.yaml");
  root_.Put("home/config.yaml", text);
  EXPECT_EQ(Configuration().config->providers.at("claude").path, "/x/claude");
  fs::create_symlink(root_ / "home/config.yaml", root_ / "work/.awf/config.yaml");
  EXPECT_TRUE(Configuration().Usable());  // it is the user's own
}

TEST_F(ConfigFilesTest, FindingsOfBothFilesAreTold) {
  root_.Put("home/config.yaml", "log: 1\n");
  root_.Put("work/.awf/config.yaml", "logs: 1\n");
  const LoadedConfig loaded = Configuration();
  ASSERT_EQ(loaded.findings.size(), 2U);
  EXPECT_EQ(loaded.findings[0].error.position.file, (root_ / "home/config.yaml").string());
  EXPECT_EQ(loaded.findings[1].error.position.file, (root_ / "work/.awf/config.yaml").string());
  variables_["AWF_CONFIG_PATH"] = (root_ / "home/config.yaml").string();
  EXPECT_EQ(Configuration().findings.size(), 1U);  // the same file twice is read once
}

}  // namespace
}  // namespace awf

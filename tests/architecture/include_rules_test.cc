// Who may include whom. Reads every #include of the tree and fails on one that breaks the table of
// docs/architecture.md.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace awf {
namespace {

namespace fs = std::filesystem;

struct Rule {
  std::string folder;                  // below the source folder; the longest match counts
  std::vector<std::string> own;        // prefixes of quoted includes that are allowed
  std::vector<std::string> libraries;  // prefixes of angled includes that are allowed beside the standard library
};

// Libraries are bound to the one folder that adapts them.
const std::vector<Rule>& Rules() {
  static const std::vector<Rule> rules = {
      {"mcp", {"mcp/"}, {"boost/json"}},  // and what lies in its own src folder
      {"src/domain", {"domain/"}, {"boost/json", "sys/random.h"}},
      {"src/application/language", {"domain/", "application/language/"}, {"boost/json"}},
      {"src/application/operations", {"domain/", "application/language/", "application/operations/"}, {"boost/json"}},
      {"src/application/validation",
       {"domain/", "application/language/", "application/operations/", "application/validation/"},
       {"boost/json"}},
      {"src/application/running",
       {"domain/", "application/language/", "application/operations/", "application/running/"},
       {"boost/json"}},
      {"src/application/records", {"domain/", "application/records/"}, {"boost/json"}},
      {"src/application/tools", {"domain/", "application/operations/", "application/tools/"}, {"boost/json"}},
      {"src/infrastructure", {"domain/", "application/", "infrastructure/"}, {"boost/json"}},
      {"src/infrastructure/mcp", {"domain/", "application/", "infrastructure/", "mcp/"}, {"boost/json"}},
      {"src/infrastructure/regex", {"domain/", "application/", "infrastructure/regex/"}, {"re2/"}},
      {"src/infrastructure/yaml", {"domain/", "application/", "infrastructure/yaml/"}, {"boost/json", "yaml.h"}},
      {"src/infrastructure/telemetry",
       {"domain/", "application/", "infrastructure/telemetry/", "infrastructure/process/fd.h"},
       {"boost/json", "openssl/"}},
      {"src/infrastructure/otlp",
       {"domain/", "application/", "infrastructure/otlp/", "infrastructure/http/", "infrastructure/telemetry/",
        "infrastructure/process/blocked_signals.h", "otlp_trace.pb.h"},
       {"boost/json", "zlib.h"}},
      {"src/infrastructure/http",
       {"domain/", "application/", "infrastructure/http/", "infrastructure/process/fd.h"},
       {"boost/json", "curl/"}},
      {"src/infrastructure/model_server", {"domain/", "application/", "infrastructure/model_server/"}, {"boost/"}},
      {"src/infrastructure/workspace",
       {"domain/", "infrastructure/workspace/", "infrastructure/builtins/git_layout.h", "infrastructure/process/fd.h"},
       {"boost/json"}},
      {"src/infrastructure/plugins",
       {"domain/", "infrastructure/plugins/", "infrastructure/process/", "infrastructure/telemetry/sha256.h", "plugin/",
        "goplugin/"},
       {"boost/json", "openssl/", "grpcpp/", "grpc/"}},
      {"src/infrastructure/plugin_registry",
       {"domain/", "application/validation/findings.h", "infrastructure/plugin_registry/",
        "infrastructure/plugins/plugin_launch.h", "infrastructure/process/fd.h",
        "infrastructure/telemetry/file_failure.h", "infrastructure/telemetry/sha256.h", "infrastructure/yaml/"},
       {"boost/json"}},
      {"src/infrastructure/operations",
       {"domain/", "infrastructure/operations/", "infrastructure/http/", "infrastructure/process/"},
       {"boost/json"}},
      {"src/infrastructure/probe",
       {"domain/", "application/language/", "infrastructure/probe/", "infrastructure/agents/",
        "infrastructure/model_server/", "infrastructure/process/"},
       {"boost/json"}},
      {"src/infrastructure/schema", {"domain/", "application/", "infrastructure/schema/"}, {"boost/json"}},
      {"src/infrastructure/process", {"domain/", "application/", "infrastructure/process/"}, {"boost/json"}},
      {"src/cli", {"domain/", "application/", "infrastructure/", "cli/", "mcp/"}, {"boost/json", "CLI/"}},
  };
  return rules;
}

// Headers of the C and C++ standard libraries have no '/' and no extension; those of POSIX and Linux are listed.
bool IsSystemHeader(const std::string& header) {
  static const std::set<std::string> posix = {"unistd.h", "fcntl.h",     "signal.h", "poll.h",   "dirent.h",  "dlfcn.h",
                                              "pwd.h",    "netdb.h",     "sched.h",  "spawn.h",  "termios.h", "errno.h",
                                              "grp.h",    "immintrin.h", "limits.h", "malloc.h", "pthread.h", "stdio.h",
                                              "stdlib.h", "string.h",    "link.h"};
  if (header.find('.') == std::string::npos && header.find('/') == std::string::npos) return true;
  for (const char* prefix : {"sys/", "linux/", "netinet/", "arpa/"}) {
    if (header.starts_with(prefix)) return true;
  }
  return posix.contains(header);
}

bool Allowed(const std::string& header, const std::vector<std::string>& prefixes) {
  for (const std::string& prefix : prefixes) {
    if (header.starts_with(prefix)) return true;
  }
  return false;
}

const Rule* RuleFor(const std::string& path) {
  const Rule* best = nullptr;
  for (const Rule& rule : Rules()) {
    if (path.starts_with(rule.folder + "/") && (!best || rule.folder.size() > best->folder.size())) best = &rule;
  }
  return best;
}

TEST(IncludeRules, EveryIncludeKeepsTheLayers) {
  const fs::path root = std::getenv("AWF_SOURCE_DIR");
  int files = 0;
  for (const char* top : {"mcp", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
      const std::string path = entry.path().lexically_relative(root).string();
      const bool is_source = path.ends_with(".h") || path.ends_with(".cc");
      if (!is_source) continue;
      ++files;
      const bool is_test = path.ends_with("_test.cc") || path.ends_with("_fixture.h") ||
                           path.find("test_") != std::string::npos || path.ends_with("_for_tests.h");
      const Rule* rule = RuleFor(path);
      ASSERT_NE(rule, nullptr) << path << " lies in no known layer";
      std::ifstream in(entry.path());
      std::string line;
      for (int number = 1; std::getline(in, line); ++number) {
        if (!line.starts_with("#include ")) continue;
        const std::size_t open = line.find_first_of("<\"");
        const std::size_t close = line.find_first_of(">\"", open + 1);
        ASSERT_NE(close, std::string::npos) << path << ":" << number;
        const std::string header = line.substr(open + 1, close - open - 1);
        if (line[open] == '"') {
          const bool beside = rule->folder == "mcp" && fs::exists(root / "mcp/src" / header);
          EXPECT_TRUE(Allowed(header, rule->own) || beside || is_test)
              << path << ":" << number << " may not include " << header;
        } else {
          const bool test_library = is_test && (header.starts_with("gtest/") || header.starts_with("gmock/"));
          EXPECT_TRUE(IsSystemHeader(header) || test_library || Allowed(header, rule->libraries))
              << path << ":" << number << " may not include <" << header << ">";
        }
      }
    }
  }
  EXPECT_GT(files, 50) << "the test looks at the wrong folder";
}

// A heavy header costs seconds per file: each stays in one.
TEST(IncludeRules, HeavyHeadersStandInOneFileEach) {
  const fs::path root = std::getenv("AWF_SOURCE_DIR");
  std::map<std::string, std::set<std::string>> users;
  for (const auto& entry : fs::recursive_directory_iterator(root / "src")) {
    const std::string path = entry.path().lexically_relative(root).string();
    if (!path.ends_with(".h") && !path.ends_with(".cc")) continue;
    std::ifstream in(entry.path());
    std::string line;
    while (std::getline(in, line)) {
      for (const char* heavy : {"CLI/", "boost/beast", "boost/asio", "grpcpp/", "zlib.h"}) {
        if (line.starts_with(std::string("#include <") + heavy)) users[heavy].insert(path);
      }
    }
  }
  for (const auto& [header, files] : users) EXPECT_LE(files.size(), 1U) << header << " is included by several files";
}

}  // namespace
}  // namespace awf

// For tests that replay what agent CLIs have really written: tests/streams.
#pragma once

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "domain/agent.h"
#include "infrastructure/agents/line_reader.h"

namespace awf::agents {

inline std::filesystem::path Streams() {
  return std::filesystem::path(std::getenv("AWF_SOURCE_DIR")) / "tests/streams";
}

// Names of the recordings of one CLI.
inline std::set<std::string> RecordedFiles(std::string_view begin, std::string_view end = ".jsonl") {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(Streams())) {
    std::string name = entry.path().filename();
    if (name.starts_with(begin) && name.ends_with(end)) files.insert(std::move(name));
  }
  return files;
}

// The name of a recording as that of a test.
inline std::string TestNameOf(std::string name) {
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
}

// The stream as the CLI's pipe would bring it.
inline void Feed(AgentProvider& provider, std::string_view stream, AgentEvents& events) {
  LineReader lines([&](std::string_view line) { provider.Read(line, events); });
  lines.Append(stream);
  lines.Finish();
}

}  // namespace awf::agents

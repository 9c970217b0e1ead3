// Reads a file that is to be composed as YAML.
#pragma once

#include <expected>
#include <string>

namespace awf {

struct FileFault {
  int number = 0;  // errno; 0: it is no regular file

  bool absent() const;
  // "does not exist", "is not a regular file", "cannot be read: …"
  std::string message() const;
};

// Opening waits for nothing, whatever the path names. Reads a little more than ComposeYaml accepts at most, so that it
// is the one to refuse what is too large.
std::expected<std::string, FileFault> ReadYamlFile(const std::string& path);

}  // namespace awf

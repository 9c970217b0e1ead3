// For tests: TextFiles of texts in memory, which counts what is read.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <string>

#include "domain/error.h"
#include "domain/text_files.h"

namespace awf {

class FilesInMemory final : public TextFiles {
 public:
  std::expected<std::string, Error> Read(const std::filesystem::path& path) override {
    ++reads;
    const auto found = texts.find(path);
    if (found == texts.end()) return Fail("USER.INPUT.MISSING_FILE", "there is no file " + path.string());
    return found->second;
  }
  bool Exists(const std::filesystem::path& path) override { return texts.contains(path); }

  std::map<std::filesystem::path, std::string> texts;
  int reads = 0;
};

}  // namespace awf

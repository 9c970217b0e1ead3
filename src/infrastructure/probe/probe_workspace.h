// ProbeWorkspace: an empty folder of its own for one probe, with a file in it that nobody can guess the text of.
//
// A keeper deletes it, with all in it, when the object goes or awf is killed. One thread.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "domain/error.h"
#include "infrastructure/process/keeper.h"

namespace awf::probe {

class ProbeWorkspace {
 public:
  // A folder in `parent`, kept by `keeper_program`.
  static std::expected<std::unique_ptr<ProbeWorkspace>, Error> Make(const std::filesystem::path& keeper_program,
                                                                    const std::filesystem::path& parent);

  std::filesystem::path path() const { return folder_ / "work"; }
  std::filesystem::path file() const { return path() / "probe.txt"; }
  const std::string& text() const { return text_; }      // of that file
  const std::string& secret() const { return secret_; }  // part of the text
  // What a native tool would make, were it to run. Its name is one that nobody makes by chance.
  std::filesystem::path mark() const { return path() / ("mark-" + secret_.substr(0, 8)); }

  // Names that were made, changed or deleted in it since, the mark left out; sorted.
  std::vector<std::string> Changed() const;

 private:
  ProbeWorkspace(std::unique_ptr<process::Keeper> keeper, std::filesystem::path folder);

  std::unique_ptr<process::Keeper> keeper_;
  std::filesystem::path folder_;
  std::string secret_, text_;
};

}  // namespace awf::probe

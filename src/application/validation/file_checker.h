// Checks the files that a workflow names: prompt_file and script_file must be there, and the text of a prompt file is a
// template, checked like one that stands in the workflow itself, with positions in the prompt file.
//
// A path is looked at when it is literal or its templates name the folders of awf only; other paths are known when the
// state starts. Used by one thread.
#pragma once

#include <cstddef>
#include <expected>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "application/validation/template_checker.h"
#include "application/validation/workflow_validator.h"
#include "domain/workflow.h"

namespace awf {

class FileChecker {
 public:
  // Without context.files nothing is checked.
  FileChecker(const Workflow& workflow, const ValidationContext& context, TemplateChecker& templates,
              std::vector<Finding>& findings);

  void Check(const State& state);

 private:
  struct Named {
    std::filesystem::path path;  // absolute
    std::string shown;           // as the user would write it from here
  };
  std::optional<Named> Resolve(const TemplateText& written) const;
  // Null when it cannot be read, which has been told.
  const TemplateText* Text(const State& state, const TemplateText& written, const std::string& field);
  const std::expected<TemplateText, Error>& Load(const Named& file);

  const ValidationContext& context_;
  TemplateChecker& templates_;
  std::vector<Finding>& findings_;
  std::filesystem::path workflow_folder_;  // as given
  std::map<std::filesystem::path, std::expected<TemplateText, Error>> files_;
  std::size_t bytes_left_;
};

}  // namespace awf

// InputPrompt: asks the person at the terminal for the inputs of a workflow that are missing.
//
// Each question shows name, type, description and what may be chosen: values of an enum by number or as they are,
// booleans as y or n. A secret is not echoed. An answer that is refused is told why; after three, or at the end of the
// terminal's input (Ctrl-D), the input is refused: USER.INPUT.VALIDATION_FAILED. Ctrl-C ends the process as ever. Make
// it before signals are taken over (RunSignals). Used by one thread.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "application/language/inputs.h"

namespace awf::cli {

class InputPrompt {
 public:
  // Answers are read from `in`, questions go to `out`: stdin and stderr. Not owned.
  InputPrompt(int in, int out) : in_(in), out_(out) {}

  // Both are terminals. Whoever asks also heeds --no-input, AWF_NO_INPUT and -f json.
  bool CanAsk() const;

  // What was given, with the answers behind it. When something that was given is refused nothing is asked: the error is
  // that of ResolveInputs.
  std::expected<GivenInputs, Error> AskMissing(const Workflow& workflow, GivenInputs given,
                                               const InputContext& context) const;

  // One input. Enter alone takes its default when it has one.
  std::expected<GivenInput, Error> Ask(const WorkflowInput& input, const InputContext& context) const;

 private:
  void Show(const std::string& text) const;
  void ShowQuestion(const WorkflowInput& input) const;
  std::optional<std::string> ReadLine(bool hidden) const;  // nothing: no more input

  int in_, out_;
};

}  // namespace awf::cli

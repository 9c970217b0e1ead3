#include "cli/prompt_inputs.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/hidden_typing.h"
#include "domain/masker.h"
#include "domain/terminal_text.h"
#include "domain/text_files.h"
#include "domain/trimmed.h"
#include "infrastructure/process/fd.h"

namespace awf::cli {
namespace {

constexpr int kTries = 3;

Error Refused(const WorkflowInput& input, const std::string& phrase) {
  return Fail("USER.INPUT.VALIDATION_FAILED", "input '" + input.name + "' " + phrase,
              "give it on the command line: -i " + input.name + "=…")
      .error();
}

std::string Range(const InputValidation& rules) {
  if (rules.min && rules.max) return ", " + std::to_string(*rules.min) + " to " + std::to_string(*rules.max);
  if (rules.min) return ", at least " + std::to_string(*rules.min);
  if (rules.max) return ", at most " + std::to_string(*rules.max);
  return {};
}

// What was typed in the spelling that CoerceInput knows.
std::string Meant(const WorkflowInput& input, const std::string& typed) {
  const std::vector<std::string>& values = input.validation.values;
  if (typed.empty() && input.default_value) return *input.default_value;
  if (input.type == "string" && values.empty()) return typed;
  const std::string_view text = Trimmed(typed);
  if (std::ranges::find(values, text) != values.end()) return std::string(text);
  std::size_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault == std::errc() && end == text.data() + text.size() && number >= 1 && number <= values.size()) {
    return values[number - 1];
  }
  if (input.type == "boolean" && (text == "y" || text == "Y")) return "true";
  if (input.type == "boolean" && (text == "n" || text == "N")) return "false";
  return std::string(text);
}

// The error is a phrase as CheckInput's.
std::expected<void, std::string> Check(const WorkflowInput& input, const std::string& text,
                                       const InputContext& context) {
  if (text.empty() && input.type != "string") return std::unexpected("must not be empty");
  const auto value = CoerceInput(input, text);
  if (!value) return std::unexpected(value.error());
  return CheckInput(input, *value, context);
}

}  // namespace

bool InputPrompt::CanAsk() const { return ::isatty(in_) == 1 && ::isatty(out_) == 1; }

// A terminal that is gone shows as the end of input.
void InputPrompt::Show(const std::string& text) const { WriteAll(out_, text); }

void InputPrompt::ShowQuestion(const WorkflowInput& input) const {
  std::string text = "\n" + input.name + " (" + input.type + Range(input.validation);
  text += input.secret ? ", typed unseen)" : ")";
  TerminalFilter filter;
  if (!input.description.empty()) text += ": " + filter.Feed(Trimmed(input.description)) + filter.Flush();
  text += "\n";
  const std::vector<std::string>& values = input.validation.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += "  " + std::to_string(i + 1) + ") " + PrintableLine(values[i]) + "\n";
  }
  Show(text);
}

std::optional<std::string> InputPrompt::ReadLine(bool hidden) const {
  std::optional<HiddenTyping> hiding;
  if (hidden) hiding.emplace(in_);
  std::string line;
  // Byte by byte: what comes after the line is not ours.
  while (line.size() < kMaxTextFileBytes) {
    char c = 0;
    const ssize_t got = ::read(in_, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) {  // somebody who shares the terminal made it so
      pollfd waiting{in_, POLLIN, 0};
      ::poll(&waiting, 1, -1);
      continue;
    }
    if (got <= 0 && line.empty()) return std::nullopt;
    if (got <= 0 || c == '\n') break;
    line.push_back(c);
  }
  return line;
}

std::expected<GivenInput, Error> InputPrompt::Ask(const WorkflowInput& input, const InputContext& context) const {
  ShowQuestion(input);
  std::string prompt = input.name;
  if (!input.validation.values.empty()) {
    prompt += " (1-" + std::to_string(input.validation.values.size()) + ")";
  } else if (input.type == "boolean") {
    prompt += " (y/n)";
  }
  if (input.default_value) {
    const bool secret = input.secret || IsSecretName(input.name);
    prompt += " [" + (secret ? std::string(kMask) : PrintableLine(*input.default_value)) + "]";
  }
  std::string refused;
  for (int tries = kTries; tries > 0; --tries) {
    if (!refused.empty()) {
      Show("input '" + input.name + "' " + refused + (tries == 1 ? "; one try left\n" : "; try again\n"));
    }
    Show(prompt + ": ");
    const auto typed = ReadLine(input.secret);
    if (!typed) {
      Show("\n");
      return std::unexpected(Refused(input, "was not given"));
    }
    const std::string text = Meant(input, *typed);
    const auto checked = Check(input, text, context);
    if (checked) return GivenInput{input.name, text, InputSource::kAnswer};
    refused = checked.error();
  }
  return std::unexpected(Refused(input, refused));
}

std::expected<GivenInputs, Error> InputPrompt::AskMissing(const Workflow& workflow, GivenInputs given,
                                                          const InputContext& context) const {
  const std::vector<const WorkflowInput*> missing = MissingInputs(workflow, given);
  if (missing.empty()) return given;
  Workflow without;
  without.file = workflow.file;
  without.inputs = workflow.inputs;
  for (WorkflowInput& input : without.inputs) {
    if (std::ranges::find(missing, input.name, &WorkflowInput::name) != missing.end()) input.required = false;
  }
  if (!ResolveInputs(without, given, context)) return std::unexpected(ResolveInputs(workflow, given, context).error());
  Show("The workflow needs " + (missing.size() == 1 ? "an input" : std::to_string(missing.size()) + " inputs") +
       " that nobody gave.\n");
  for (const WorkflowInput* input : missing) {
    auto answer = Ask(*input, context);
    if (!answer) return std::unexpected(answer.error());
    given.push_back(std::move(*answer));
  }
  return given;
}

}  // namespace awf::cli

// Inputs of a workflow: their names and types, and the values that a run gets.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/regex.h"
#include "domain/workflow.h"

namespace awf {

// Where the value of an input came from, weakest first: later ones win.
enum class InputSource { kDefault, kConfig, kFile, kFlag, kAnswer };

struct GivenInput {
  std::string name;
  std::string text;
  InputSource source = InputSource::kFlag;
};
using GivenInputs = std::vector<GivenInput>;  // of one source, later ones win

// [A-Za-z_][A-Za-z0-9_]*
bool IsIdentifier(std::string_view name);

// The environment variable by which commands see the input: AWF_INPUT_NAME.
std::string InputVariable(std::string_view name);

// The text as a value of the input's type: integers from decimal strings, booleans from true/yes/1 and false/no/0 in
// any case. The error is a phrase that goes on a message's "input 'x' "; like all messages here it never shows the
// value of a secret (declared so, or so by its name).
std::expected<json::value, std::string> CoerceInput(const WorkflowInput& input, std::string_view text);

// What resolving may ask of the surroundings. Pointers are not owned.
struct InputContext {
  const RegexCompiler* regexes = nullptr;  // `pattern`; null: not checked
  std::vector<std::filesystem::path>
      folders;                        // where a relative @PATH without .. is looked up first: the prompt folders
  std::filesystem::path working_dir;  // then here; file_exists too
};

// The coerced value against the input's validation: pattern, enum, min, max, file_exists (a file, no folder),
// file_extension (in any case). Null passes. The error is a phrase as CoerceInput's, all that is wrong in one.
std::expected<void, std::string> CheckInput(const WorkflowInput& input, const json::value& value,
                                            const InputContext& context);

struct ResolvedInputs {
  json::object values;
  std::map<std::string, InputSource> sources;
};

// Defaults overlaid with what was given. A value @PATH of a flag is the text of that file (at most 1 MiB of UTF-8), @@x
// is the literal @x; those of other sources are taken as they are. Inputs that have neither value nor default are
// empty, "" for strings, null for others, and not checked. Names that do not exist are problems, except in the
// configuration, which serves several workflows. All problems come in one USER.INPUT.VALIDATION_FAILED, a line each,
// with an example command line as its hint.
std::expected<ResolvedInputs, Error> ResolveInputs(const Workflow& workflow, const GivenInputs& given,
                                                   const InputContext& context);

// Required inputs that have neither a value among `given` nor a default, in the order of the workflow.
std::vector<const WorkflowInput*> MissingInputs(const Workflow& workflow, const GivenInputs& given);

}  // namespace awf

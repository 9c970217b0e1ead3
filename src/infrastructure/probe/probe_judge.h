// What a probe has seen, and whether that proves that the CLI offers its model our tools alone. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/error.h"
#include "infrastructure/agents/isolation_prover.h"
#include "infrastructure/probe/request_reader.h"

namespace awf::probe {

// A request that the model was sent.
struct SeenRequest {
  std::string target;
  // The names that it offers; nothing when it does not ask for an answer, or is of a kind that nobody knows.
  std::optional<std::vector<std::string>> offered;
  std::vector<std::string> named;  // NamesOfTools
  std::vector<ToolAnswer> answers;
};

struct Evidence {
  std::string provider;  // as written, for messages
  std::vector<SeenRequest> requests;
  int unreadable = 0;                       // requests that are not among them
  std::map<std::string, std::string> ours;  // by the name that the model sees, the final name
  std::set<std::string> harmless;           // may be offered beside ours
  std::vector<std::string> native;          // the native tools that were called, in this order, before any other
  std::set<std::string> ran;                // native tools that the stream tells to have run
  std::vector<std::string> announced;       // foreign tools that the CLI has announced
  bool mark = false;                        // what the native calls were to make was made
  std::vector<std::string> changed;         // files of the workspace that were made, changed or deleted
  std::set<std::string> called;             // final names of our tools that were called through the proxy
  bool read_ok = false;                     // Read succeeded there
  std::string secret;                       // is in the file that Read was to read, and nowhere else
  std::string doubt;                        // why the step, taken for a proven one, fell below that; "": it did not
  std::optional<Error> failure;             // of the step
};

// The sentence that says why it is not proven; "" when it is.
std::string DoubtOf(const Evidence& evidence);

// All of the report but provider and version.
agents::ProbeReport Judge(const Evidence& evidence);

}  // namespace awf::probe

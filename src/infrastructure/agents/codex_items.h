// The items in the event stream of `codex exec --json`. Pure, thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "domain/json.h"
#include "domain/run_observer.h"

namespace awf::agents {

struct CodexItem {
  enum class Kind { kText, kReasoning, kTool, kOther };
  Kind kind = Kind::kOther;
  std::string id, type;
  std::string text;     // of texts and reasoning
  std::string name;     // of tools: "SERVER/TOOL", else the type
  std::string tool;     // final name of a tool of ours; else empty
  bool native = false;  // neither ours nor one that reaches nothing but our server
  std::string input, result;
  bool is_error = false;
  bool refused = false;  // Codex did not run it
  bool denied = false;   // a tool of ours that was not approved
};

// `server` is our server's name.
CodexItem ReadCodexItem(const json::object& item, std::string_view server);

// Blocks of a tool item for the transcript.
AgentMessage UseMessage(const CodexItem& item);
AgentMessage ResultMessage(const CodexItem& item);

}  // namespace awf::agents

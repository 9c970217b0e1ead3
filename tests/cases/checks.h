// What a case demands, tested against what happened. Each function adds a sentence per failed check.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "case_file.h"
#include "conversation.h"
#include "session.h"

namespace awf::cases {

using Failures = std::vector<std::string>;

// is_error, text_*, count, order, max_chars, content_has, max_ms, rpc_error, error_has, result_*.
void CheckJudged(const json::object& check, const Conversation& conversation, Failures& failures);

// responses, no_response, response_count, answer*, same_result, rpc_errors, rpc_error_any. `first` answers are the
// handshake's.
void CheckAnswers(const json::object& check, const Session& session, std::size_t first, Failures& failures);

// tools, tools_not, names_match, schema, schema_rule on an answer to tools/list.
void CheckTools(const json::object& check, const json::array& tools, Failures& failures);

// max_rss_mb, max_cpu_ms, max_children.
void CheckUsage(const json::object& check, const std::optional<Usage>& usage, Failures& failures);

// exit_ms, exit_code, not_signalled.
void CheckEnd(const json::object& check, const std::optional<ServerEnd>& end, Clock::time_point since,
              Failures& failures);

// log, log_not.
void CheckLog(const json::object& check, const std::string& text, Failures& failures);

bool WantsTools(const json::object& check);

}  // namespace awf::cases

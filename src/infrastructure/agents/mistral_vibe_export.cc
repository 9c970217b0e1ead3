#include "infrastructure/agents/mistral_vibe_export.h"

#include <charconv>
#include <fstream>
#include <string_view>
#include <system_error>

#include "infrastructure/agents/agent_errors.h"
#include "infrastructure/agents/mistral_vibe_home.h"
#include "infrastructure/agents/stream_json.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

constexpr char kLoginHint[] = "Run vibe --setup, or set MISTRAL_API_KEY.";
constexpr char kNoKeyHint[] =
    "Run vibe --setup, or set the variable; check options.model too, as Vibe takes its default for a name that it does "
    "not know.";

void Add(const json::object& tokens, TokenUsage& usage) {
  usage.input += IntegerAt(tokens, "input_tokens");
  usage.output += IntegerAt(tokens, "output_tokens");
  usage.total += IntegerAt(tokens, "total_tokens");
  usage.cached += IntegerAt(tokens, "cached_input_tokens");
  usage.reasoning += IntegerAt(tokens, "reasoning_tokens");
}

// What each answer of the model took, by the journal of the session that Vibe exports with a run.
TokenUsage JournalUsage(const fs::path& folder) {
  TokenUsage usage;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code unknown;
    if (!at->is_regular_file(unknown)) continue;
    std::ifstream file(at->path(), std::ios::binary);
    for (std::string line; std::getline(file, line);) {
      // Most lines are others, and long.
      if (!line.contains("\"action_result\"") || !line.contains("\"usage\"")) continue;
      const auto record = ParseStreamLine(line);
      if (!record || TextAt(*record, "type") != "action_result") continue;
      const json::object* part = &*record;
      for (const char* key : {"payload", "result", "result", "usage"}) {
        part = part != nullptr ? ObjectAt(*part, key) : nullptr;
      }
      if (part != nullptr) Add(*part, usage);
    }
  }
  return usage;
}

// The greater of both sums; with a cost where Vibe's own is not the smaller.
TokenUsage UsageOf(const json::object& run, const fs::path& journal) {
  TokenUsage usage;
  if (const json::object* tokens = ObjectAt(run, "usage")) Add(*tokens, usage);
  if (const TokenUsage counted = JournalUsage(journal); counted.total > usage.total) return counted;
  // 0 also stands for a model whose price is not known.
  if (const auto cost = NumberAt(run, "cost_usd"); cost && *cost > 0) usage.cost_usd = cost;
  return usage;
}

// "Client error '403 Forbidden' for url …": 403; else 0.
std::int64_t StatusIn(std::string_view text) {
  constexpr std::string_view kBefore = "error '";
  std::int64_t status = 0;
  const std::size_t at = text.find(kBefore);
  if (at == std::string_view::npos) return status;
  const std::string_view number = text.substr(at + kBefore.size(), 3);
  std::from_chars(number.data(), number.data() + number.size(), status);
  return status;
}

Error ErrorOf(const json::object& error) {
  const std::string_view code = TextAt(error, "code"), text = TextAt(error, "message");
  const bool no_key = text.starts_with("Missing ") && text.contains(" environment variable for ");
  if (code == "invalid_api_key") return LoginError("vibe", text, kLoginHint);
  if (no_key) return LoginError("vibe", text, kNoKeyHint);
  return ModelError("vibe", code == "rate_limit" ? 429 : StatusIn(text), text, kLoginHint);
}

}  // namespace

std::optional<VibeExport> ReadVibeExport(const fs::path& folder) {
  const auto run = ParseStreamLine(SmallFile(folder / "export.json"));
  if (!run) return std::nullopt;
  VibeExport told;
  told.usage = UsageOf(*run, folder / "session" / "journal");
  if (const json::object* config = ObjectAt(*run, "config")) told.model = TextAt(*config, "active_model");
  const std::string_view outcome = TextAt(*run, "outcome");
  if (const json::object* error = ObjectAt(*run, "error")) {
    told.text = TextAt(*error, "message");
    told.failure = ErrorOf(*error);
  } else if (outcome != "finished") {
    told.failure = ModelError("vibe", 0, "stopped before it was done: " + std::string(outcome), {});
  }
  return told;
}

}  // namespace awf::agents

#include "application/operations/operation_answer.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "application/language/template_values.h"
#include "domain/result_text.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr const char* kCancelled = "cancelled by client";

// Data wins over output; keys sorted.
std::string DataText(const OperationResult& result) {
  std::map<std::string_view, const json::value*> sorted;
  for (const auto& [key, value] : result.data) sorted.emplace(key, &value);
  const json::value output(result.output);
  if (!result.output.empty()) sorted.emplace("output", &output);
  if (sorted.empty()) return {};
  std::string text = "{";
  for (const auto& [key, value] : sorted) {
    text += (text.size() > 1 ? "," : "") + CompactJson(json::string(key)) + ":" + CompactJson(*value);
  }
  return text + "}";
}

std::size_t Less(std::size_t limit, std::size_t taken) { return limit - std::min(limit, taken); }

// What is left of the budget beside a block.
ResultBudget Beside(const ToolResult& block, ResultBudget budget) {
  const std::string& text = std::get<TextContent>(block.content.front()).text;
  budget.error = Less(budget.error, text.size());
  // 0 would be no limit.
  if (budget.lines > 0)
    budget.lines =
        std::max<std::size_t>(1, Less(budget.lines, static_cast<std::size_t>(std::ranges::count(text, '\n'))));
  return budget;
}

ToolResult Blocks(const std::string& data, const std::string& error, const ResultBudget& budget, bool is_error) {
  if (error.empty() || data.empty()) return MakeResult(data + error, {}, budget, is_error);
  // The error is what matters; the data gets what it leaves, at least half.
  ResultBudget half = budget;
  half.error /= 2;
  half.lines = (budget.lines + 1) / 2;
  const ToolResult told = MakeResult(error, {}, half, true);
  ToolResult result = MakeResult(data, {}, Beside(told, budget), true);
  result.content.push_back(told.content.front());
  result.fields.truncated = result.fields.truncated || told.fields.truncated;
  return result;
}

}  // namespace

ToolResult ToolResultOf(const OperationResult& result, const ResultBudget& budget) {
  using Ending = OperationResult::Ending;
  const bool is_error = result.ending != Ending::kAnswered || !result.success || !result.error.empty();
  std::string error = result.error;
  if (error.empty() && result.ending == Ending::kCancelled) error = kCancelled;
  ToolResult made = Blocks(DataText(result), error, budget, is_error);
  made.fields.timed_out = result.ending == Ending::kTimeout;
  made.fields.cancelled = result.ending == Ending::kCancelled;
  made.fields.log_error = std::move(error);
  made.fields.rpc = result.rpc;
  return made;
}

}  // namespace awf

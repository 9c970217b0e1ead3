#include "infrastructure/builtins/file_outcome.h"

#include "infrastructure/builtins/result_text.h"

namespace awf::builtins {
namespace {

json::object Fields(std::string_view path, bool success) { return {{"path", CleanText(path)}, {"success", success}}; }

}  // namespace

ToolResult FileSuccess(std::string_view path, std::string_view text, const ResultBudget& budget) {
  ToolResult result = MakeResult(text, {}, budget);
  result.fields.structured = Fields(path, true);
  return result;
}

ToolResult FileFailure(std::string_view path, const PathFault& fault, const ResultBudget& budget) {
  ToolResult result = FaultResult(fault, budget);
  result.fields.structured = Fields(path, false);
  return result;
}

ToolResult FaultResult(const PathFault& fault, const ResultBudget& budget) {
  ToolResult result = MakeResult(fault.text, {}, budget, true);
  if (fault.denied) result.fields.denied = "sandbox";
  return result;
}

}  // namespace awf::builtins

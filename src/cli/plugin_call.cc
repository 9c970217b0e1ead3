// awf plugin call NAME OPERATION [--input k=JSON]…: one call, through the same checks and the same mapping as a tool
// call of an agent.
#include <algorithm>
#include <utility>

#include "application/tools/plugin_tool_adapter.h"
#include "application/tools/tool_router.h"
#include "cli/command_words.h"
#include "cli/finding_text.h"
#include "cli/plugin_commands.h"
#include "cli/print_result.h"
#include "domain/error_catalogue.h"
#include "domain/terminal_text.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf::cli {
namespace {

// How the one call ended.
class EndOfCall final : public ToolObserver {
 public:
  void Started(const CallRecord&) override {}
  void Finished(const CallRecord&, const CallEnd& finished) override { end = finished; }

  CallEnd end;
};

// Who calls from the shell wants the whole result; the budget is that of a model.
ToolSettings Uncut() {
  ToolSettings settings;
  constexpr std::size_t kAll = std::size_t{1} << 30;
  settings.budget = {kAll, kAll, kAll};
  return settings;
}

using GivenTexts = std::vector<std::pair<std::string, std::string>>;

std::expected<GivenTexts, Error> Split(const std::vector<std::string>& inputs) {
  GivenTexts given;
  for (const std::string& input : inputs) {
    std::string name, value;
    if (!SplitPair(input, name, value)) {
      return Fail("USER.INPUT.INVALID_FORMAT", "--input: '" + input + "' is not NAME=JSON",
                  R"(example: --input count=3 --input name=web --input tags='["a"]')");
    }
    given.emplace_back(std::move(name), std::move(value));
  }
  return given;
}

bool IsString(const std::vector<Operation>& operations, const std::string& operation, const std::string& input) {
  const auto found = std::ranges::find(operations, operation, &Operation::name);
  return found != operations.end() && std::ranges::any_of(found->inputs, [&input](const OperationInput& declared) {
           return declared.name == input && declared.type == "string";
         });
}

// What is no JSON is text, and so is any value of a string: quotes within quotes are not needed.
json::object Arguments(const GivenTexts& given, const OperationProvider& plugin, const std::string& operation) {
  json::object arguments;
  for (const auto& [name, text] : given) {
    boost::system::error_code fault;
    json::value value = json::parse(text, fault);
    if (fault || (!value.is_string() && IsString(plugin.Operations(), operation, name))) value = text;
    arguments[name] = std::move(value);
  }
  return arguments;
}

std::vector<std::string> Texts(const ToolResult& result) {
  std::vector<std::string> texts;
  for (const Content& content : result.content)
    if (const auto* text = std::get_if<TextContent>(&content)) texts.push_back(text->text);
  return texts;
}

std::string_view CodeOf(const CallEnd& end) {
  if (end.error_type == "invalid_arguments") return "USER.INPUT.VALIDATION_FAILED";
  return end.outcome == CallOutcome::kTimeout ? "EXECUTION.OPERATION.TIMEOUT" : "EXECUTION.OPERATION.FAILED";
}

std::string Printable(const std::string& text) {
  TerminalFilter filter;
  std::string printable = filter.Feed(text);
  printable += filter.Flush();
  return printable.ends_with('\n') ? printable : printable + "\n";
}

int Show(PluginCommand& command, const PluginCallOptions& options, const ToolResult& result, const CallEnd& end,
         const GlobalOptions& global) {
  std::vector<std::string> texts = Texts(result);
  std::optional<Error> error;
  if (result.is_error) {
    error = Fail(std::string(CodeOf(end)), texts.empty() ? end.error : texts.back(),
                 end.error_type == "invalid_arguments" ? "awf plugin list " + options.name + " shows the inputs" : "")
                .error();
  }
  if (global.format == OutputFormat::kJson) {
    json::array content;
    for (const std::string& text : texts) content.emplace_back(JsonText(text));
    json::object report{{"plugin", JsonText(options.name)},
                        {"operation", JsonText(options.operation)},
                        {"success", !result.is_error},
                        {"content", std::move(content)},
                        {"duration_us", end.duration.count()}};
    if (error) report["error"] = command.Part(*error);
    return command.End(PrintResult(JsonLine(report), global, error ? ExitCodeOf(error->code) : 0));
  }
  if (error && !texts.empty()) texts.pop_back();
  std::string text;
  for (const std::string& block : texts) text += Printable(block);
  const int printed = PrintResult(text, global);
  return error ? command.Fail({*error}) : command.End(printed);
}

}  // namespace

int PluginCallCommand(const PluginCallOptions& options, const GlobalOptions& global, const Config& config) {
  const auto given = Split(options.inputs);
  if (!given) return ReportErrors({given.error()}, global);
  auto opened = PluginCommand::Open(global, config);
  if (!opened) return ReportErrors({opened.error()}, global);
  PluginCommand& command = **opened;
  command.Wait("starting " + options.name);
  const auto started = command.session().Start(std::span(&options.name, 1), {}, command.cancelled());
  if (!started.front()) return command.Fail({started.front().error()});
  const auto adapter = PluginToolAdapter::Make(started.front()->provider, {options.operation}, Uncut());
  if (!adapter) return command.Fail({adapter.error()});
  const SchemaArgumentChecker checker;
  EndOfCall observer;
  ToolRouter router(checker, observer);
  if (auto added = router.Add(*adapter); !added) return command.Fail({added.error()});
  command.Wait("waiting for " + options.name + "." + options.operation);
  const std::string tool = router.Names().front();
  const json::object arguments = Arguments(*given, *started.front()->provider, options.operation);
  IncomingCall call{tool, arguments, {}, {}, {}, {}, command.cancelled()};
  const auto result = router.Call(call);
  command.Wait("");
  if (!result) return command.Fail({Fail("SYSTEM.INTERNAL.UNMAPPED", result.error().message).error()});
  return Show(command, options, *result, observer.end, global);
}

}  // namespace awf::cli

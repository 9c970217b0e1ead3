// awf plugin list [NAME] [--operations|--details]: what plugins there are, and with NAME or --operations what they can
// do. For that they are started; -f quiet prints names alone and starts nothing.
#include <algorithm>
#include <utility>

#include "application/operations/tool_name.h"
#include "cli/finding_text.h"
#include "cli/plugin_catalogue.h"
#include "cli/plugin_commands.h"
#include "cli/plugin_rows.h"
#include "cli/print_result.h"
#include "cli/text_table.h"
#include "domain/joined.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

// The operations of a row, or why they are not known.
struct Listed {
  PluginRow row;
  std::optional<std::vector<Operation>> operations;
  std::optional<Error> fault;
};

std::string ToolOf(const Listed& listed, const Operation& operation) {
  const auto name = OperationToolName(listed.row.name, operation.name);
  return name ? *name : "(" + name.error() + ")";
}

class Listing {
 public:
  Listing(PluginCommand& command, const PluginListOptions& options, const GlobalOptions& global)
      : command_(command), options_(options), global_(global) {}

  int Run() {
    for (PluginRow& row : RowsOf(command_.session(), command_.registry()))
      if (options_.name.empty() || row.name == options_.name) listed_.push_back({std::move(row), {}, {}});
    if (listed_.empty() && !options_.name.empty())
      return command_.Fail({command_.session().Launch(options_.name).error()});
    const bool wants_operations = options_.operations || (!options_.name.empty() && !options_.details);
    if (global_.quiet && global_.format != OutputFormat::kJson) return command_.End(PrintResult(Names(), global_));
    if (global_.format != OutputFormat::kJson) command_.ShowWarnings();
    if (wants_operations) FindOperations();
    if (global_.format == OutputFormat::kJson) return command_.End(PrintResult(Json(), global_, ExitCode()));
    const LineStyle style = StyleOfStdout(global_);
    std::string text = options_.details ? Details() : Table(style);
    if (wants_operations) text += Operations(style);
    const int printed = PrintResult(text, global_);
    const std::vector<Error> errors = Errors();
    return errors.empty() ? command_.End(printed) : command_.Fail(errors);
  }

 private:
  // Those that can be started are, all at the same time.
  void FindOperations() {
    std::vector<std::string> names;
    for (const Listed& listed : listed_)
      if (listed.row.status == "ok") names.push_back(listed.row.name);
    command_.Wait("starting " + Joined(names, ", "));
    const auto started = command_.session().Start(names, {}, command_.cancelled());
    command_.Wait("");
    for (Listed& listed : listed_) {
      const auto at = std::ranges::find(names, listed.row.name);
      if (at == names.end()) continue;
      const auto& result = started[static_cast<std::size_t>(at - names.begin())];
      if (result) {
        listed.operations = result->provider->Operations();
      } else {
        listed.fault = result.error();
      }
    }
  }

  // For completion: of lock and cache.
  std::string Names() {
    std::string text;
    PluginCatalogue catalogue(command_.session(), MayStart::kNone);
    for (const Listed& listed : listed_) {
      if (!options_.operations) {
        text += PrintableLine(listed.row.name) + "\n";
        continue;
      }
      const auto known = catalogue.Find(listed.row.name);
      const std::string prefix = options_.name.empty() ? listed.row.name + "." : "";
      for (const Operation& operation : known ? known->operations : std::vector<Operation>())
        text += PrintableLine(prefix + operation.name) + "\n";
    }
    return text;
  }

  std::string Table(const LineStyle& style) const {
    TextTable table({{"name"}, {"version"}, {"status", false, true}, {"capabilities"}, {"place", false, true}});
    for (const Listed& listed : listed_) {
      const PluginRow& row = listed.row;
      table.Add({row.name, row.version, row.StatusText(), Joined(row.capabilities, ","), row.place},
                row.status == "ok"         ? ""
                : row.status == "disabled" ? "2"
                                           : "31");
    }
    return table.Render(style);
  }

  std::string Details() const {
    std::string text;
    const auto fact = [&text](const char* name, const std::string& value) {
      constexpr std::size_t kValues = 14;  // the column where they begin
      if (value.empty()) return;
      std::string line = std::string("  ") + name;
      line.resize(std::max(line.size() + 1, kValues), ' ');
      text += line + PrintableLine(value) + "\n";
    };
    for (const Listed& listed : listed_) {
      const PluginRow& row = listed.row;
      text += (text.empty() ? "" : "\n") + PrintableLine(row.name + " " + row.version) + "\n";
      fact("status", row.StatusText());
      fact("description", row.description);
      fact("capabilities", Joined(row.capabilities, ", "));
      fact("place", row.place);
      fact("executable", row.executable);
      fact("author", row.author);
      fact("license", row.license);
      fact("homepage", row.homepage);
      for (const std::string& hidden : row.shadowed) fact("hides", hidden);
    }
    return text;
  }

  std::string Operations(const LineStyle& style) const {
    std::string text;
    for (const Listed& listed : listed_) {
      if (!listed.operations) continue;
      TextTable table({{"operation"}, {"tool"}, {"input"}, {"type"}, {"required"}, {"description", false, true}});
      for (const Operation& operation : *listed.operations) {
        table.Add({operation.name, ToolOf(listed, operation), "", "", "", operation.description});
        for (const OperationInput& input : operation.inputs)
          table.Add({"", "", input.name, input.type, input.required ? "yes" : "", input.description});
      }
      text += "\n" + PrintableLine(listed.row.name) + "\n";
      text += table.empty() ? "no operations\n" : table.Render(style);
    }
    return text;
  }

  std::string Json() const {
    json::array list;
    for (const Listed& listed : listed_) {
      json::object entry = RowJson(listed.row);
      if (listed.operations) {
        json::array operations;
        for (const Operation& operation : *listed.operations)
          operations.push_back(OperationJson(operation, ToolOf(listed, operation)));
        entry["operations"] = std::move(operations);
      }
      if (listed.fault) entry["error"] = command_.Part(*listed.fault);
      list.push_back(std::move(entry));
    }
    return JsonLine(list);
  }

  static json::object OperationJson(const Operation& operation, const std::string& tool) {
    json::array inputs, outputs;
    for (const OperationInput& input : operation.inputs) {
      inputs.push_back({{"name", JsonText(input.name)},
                        {"type", JsonText(input.type)},
                        {"required", input.required},
                        {"default", JsonText(input.default_value)},
                        {"description", JsonText(input.description)},
                        {"validation", JsonText(input.validation)}});
    }
    for (const OperationOutput& output : operation.outputs) {
      outputs.push_back({{"name", JsonText(output.name)},
                         {"type", JsonText(output.type)},
                         {"description", JsonText(output.description)}});
    }
    return {{"name", JsonText(operation.name)},
            {"tool", JsonText(tool)},
            {"description", JsonText(operation.description)},
            {"inputs", std::move(inputs)},
            {"outputs", std::move(outputs)}};
  }

  std::vector<Error> Errors() const {
    std::vector<Error> errors;
    for (const Listed& listed : listed_)
      if (listed.fault) errors.push_back(*listed.fault);
    return errors;
  }

  int ExitCode() const {
    constexpr int kDidNotStart = 3;
    return Errors().empty() ? 0 : kDidNotStart;
  }

  PluginCommand& command_;
  const PluginListOptions& options_;
  const GlobalOptions& global_;
  std::vector<Listed> listed_;
};

}  // namespace

int PluginListCommand(const PluginListOptions& options, const GlobalOptions& global, const Config& config) {
  auto command = PluginCommand::Open(global, config);
  if (!command) return ReportErrors({command.error()}, global);
  return Listing(**command, options, global).Run();
}

}  // namespace awf::cli

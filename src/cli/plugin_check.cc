// awf plugin check NAME: start, handshake, TLS, health, Init, list, stop: a line per stage with its time.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <utility>

#include "cli/finding_text.h"
#include "cli/plugin_commands.h"
#include "cli/print_result.h"
#include "domain/error_catalogue.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

using std::chrono::microseconds;

std::string Milliseconds(microseconds duration) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%8.1f ms", static_cast<double>(duration.count()) / 1000);
  return text.data();
}

// Stages as they are reached; told at once in text, at the end in JSON. Thread-safe.
class StageList {
 public:
  explicit StageList(const GlobalOptions& global) : global_(global) {}

  void Add(const plugins::StartStage& stage) {
    const std::lock_guard lock(mutex_);
    stages_.push_back(
        {{"name", JsonText(stage.name)}, {"duration_us", stage.duration.count()}, {"detail", JsonText(stage.detail)}});
    if (global_.format == OutputFormat::kJson || global_.quiet || lost_ != 0) return;
    constexpr std::size_t kNames = 12;  // columns
    std::string line(stage.name);
    line.resize(std::max(line.size() + 1, kNames), ' ');
    line += Milliseconds(stage.duration) + (stage.detail.empty() ? "" : "  " + PrintableLine(stage.detail)) + "\n";
    lost_ = PrintResult(line, global_);
  }
  json::array stages() const { return stages_; }
  int lost() const { return lost_; }

 private:
  const GlobalOptions& global_;
  std::mutex mutex_;
  json::array stages_;
  int lost_ = 0;  // exit code of the first line that could not be written
};

microseconds Since(SteadyClock::time_point begin) {
  return std::chrono::duration_cast<microseconds>(SteadyClock::now() - begin);
}

int Conclude(PluginCommand& command, const StageList& stages, const std::string& name,
             const std::optional<Error>& error, const GlobalOptions& global) {
  if (global.format != OutputFormat::kJson) return error ? command.Fail({*error}) : command.End(stages.lost());
  json::object report{{"plugin", JsonText(name)}, {"ok", !error}, {"stages", stages.stages()}};
  if (error) report["error"] = command.Part(*error);
  return command.End(PrintResult(JsonLine(report), global, error ? ExitCodeOf(error->code) : 0));
}

}  // namespace

int PluginCheckCommand(const PluginCheckOptions& options, const GlobalOptions& global, const Config& config) {
  auto command = PluginCommand::Open(global, config);
  if (!command) return ReportErrors({command.error()}, global);
  StageList stages(global);
  if ((*command)->session().IsBuiltin(options.name)) {
    const auto builtin = (*command)->session().Builtin(options.name);
    stages.Add({"built-in", {}, std::to_string(builtin->Operations().size()) + " operations, nothing to start"});
    return Conclude(**command, stages, options.name, {}, global);
  }
  (*command)->Watch([&stages](std::string_view, const plugins::StartStage& stage) { stages.Add(stage); });
  const auto started = (*command)->session().Start(std::span(&options.name, 1), {}, (*command)->cancelled());
  std::optional<Error> error;
  if (!started.front()) {
    error = started.front().error();
    if (error->hint.starts_with("awf plugin check ")) error->hint.clear();  // that is this command
  }
  const SteadyClock::time_point begin = SteadyClock::now();
  (*command)->session().Stop();
  if (!error) stages.Add({"stop", Since(begin), {}});
  return Conclude(**command, stages, options.name, error, global);
}

}  // namespace awf::cli

// awf plugin lock [NAME…]: starts the plugins of the project and writes down what they are, in .awf/plugins.lock.
#include "infrastructure/plugin_registry/plugin_lock.h"

#include <algorithm>
#include <utility>

#include "cli/finding_text.h"
#include "cli/plugin_commands.h"
#include "cli/print_result.h"
#include "domain/joined.h"

namespace awf::cli {
namespace {

namespace fs = std::filesystem;
using plugin_registry::kLockFile;
using plugin_registry::PluginLock;
using plugin_registry::RegisteredPlugin;
using Status = plugin_registry::PluginStatus;

bool IsBelow(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

class Locking {
 public:
  Locking(PluginCommand& command, const PluginLockOptions& options)
      : command_(command), options_(options), file_(command.registry().places().project / kLockFile) {}

  // All that is wrong; then nothing is written.
  std::vector<Error> Run() {
    auto before = plugin_registry::ReadPluginLock(file_);
    if (!before) return {before.error()};
    after_ = *before;
    if (std::vector<Error> errors = Choose(); !errors.empty()) return errors;
    if (options_.names.empty()) ForgetGone();
    if (std::vector<Error> errors = StartAll(); !errors.empty()) return errors;
    differences_ = plugin_registry::Differences(*before, after_);
    const bool absent = !fs::exists(file_) && !after_.empty();
    if (plugin_registry::PluginLockText(*before) == plugin_registry::PluginLockText(after_) && !absent) return {};
    std::error_code ignored;
    fs::create_directories(file_.parent_path(), ignored);
    if (auto done = plugin_registry::WritePluginLock(file_, after_); !done) return {done.error()};
    written_ = true;
    return {};
  }

  const std::vector<std::string>& differences() const { return differences_; }
  bool written() const { return written_; }
  std::size_t locked() const { return after_.size(); }

 private:
  // What the user installed for all projects is not the project's to lock.
  bool IsOfProject(const RegisteredPlugin& plugin) const {
    return !IsBelow(plugin.executable, command_.registry().places().user_data);
  }

  std::vector<Error> Choose() {
    std::vector<std::string> names = options_.names;
    if (names.empty()) {
      for (const RegisteredPlugin& plugin : command_.registry().plugins())
        if (IsOfProject(plugin)) names.push_back(plugin.name);
    }
    std::vector<Error> errors;
    for (const std::string& name : names) {
      const RegisteredPlugin* plugin = command_.Find(name);
      if (command_.session().IsBuiltin(name)) {
        errors.push_back(
            awf::Fail("USER.INPUT.INVALID_FORMAT", name + " is built into awf: there is nothing to lock").error());
      } else if (options_.names.empty() && plugin != nullptr && plugin->status == Status::kDisabled) {
        command_.Tell(name + " is disabled and stays as it is in the lock");
      } else if (auto launch = command_.session().Launch(name)) {
        // What the lock expects is what is being replaced.
        std::erase_if(launch->checksums, [](const auto& checksum) { return checksum.source == kLockFile; });
        launches_.push_back(std::move(*launch));
      } else {
        errors.push_back(std::move(launch.error()));
      }
    }
    return errors;
  }

  void ForgetGone() {
    std::erase_if(after_, [this](const auto& entry) {
      const RegisteredPlugin* plugin = command_.Find(entry.first);
      return plugin == nullptr || !IsOfProject(*plugin);
    });
  }

  std::vector<Error> StartAll() {
    std::vector<Error> errors;
    if (launches_.empty()) return errors;
    command_.Wait("starting " + std::to_string(launches_.size()) + (launches_.size() == 1 ? " plugin" : " plugins"));
    const auto results = command_.session().Start(launches_, {}, command_.cancelled());
    command_.Wait("");
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i]) {
        errors.push_back(results[i].error());
        continue;
      }
      plugin_registry::LockedPlugin& locked = after_[launches_[i].name];
      locked.version = launches_[i].version;
      locked.sha256[plugin_registry::Platform()] = results[i]->start.sha256;
      locked.operations = results[i]->provider->Operations();
    }
    return errors;
  }

  PluginCommand& command_;
  const PluginLockOptions& options_;
  const fs::path file_;
  std::vector<plugins::PluginLaunch> launches_;
  PluginLock after_;
  std::vector<std::string> differences_;
  bool written_ = false;
};

}  // namespace

int PluginLockCommand(const PluginLockOptions& options, const GlobalOptions& global, const Config& config) {
  auto command = PluginCommand::Open(global, config);
  if (!command) return ReportErrors({command.error()}, global);
  (*command)->ShowWarnings();
  Locking locking(**command, options);
  if (const auto errors = locking.Run(); !errors.empty()) return (*command)->Fail(errors);
  if (global.format == OutputFormat::kJson) {
    json::array changes;
    for (const std::string& line : locking.differences()) changes.emplace_back(JsonText(line));
    const json::object report{{"file", kLockFile}, {"written", locking.written()}, {"changes", std::move(changes)}};
    return (*command)->End(PrintResult(JsonLine(report), global));
  }
  std::string text;
  for (const std::string& line : locking.differences()) text += line + "\n";
  if (global.quiet) text.clear();
  if (locking.written()) {
    (*command)->Tell(std::string("wrote ") + kLockFile);
  } else {
    (*command)->Tell(locking.locked() == 0 ? "this project has no plugins to lock"
                                           : std::string(kLockFile) + " is up to date");
  }
  return (*command)->End(PrintResult(text, global));
}

}  // namespace awf::cli

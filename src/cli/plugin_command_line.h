// `awf plugin …` on the command line.
#pragma once

#include "cli/declared_command.h"
#include "cli/plugin_commands.h"

namespace awf::cli {

class PluginCommandLine {
 public:
  PluginCommandLine() = default;
  PluginCommandLine(const PluginCommandLine&) = delete;
  PluginCommandLine& operator=(const PluginCommandLine&) = delete;

  // Its values go into this object, which outlives it.
  DeclaredCommand Declare();

 private:
  DeclaredCommand List();
  DeclaredCommand Switch(PluginSwitchOptions& options);
  DeclaredCommand Lock();
  DeclaredCommand Verify();
  DeclaredCommand Check();
  DeclaredCommand Call();
  DeclaredCommand Init();

  PluginListOptions list_;
  PluginSwitchOptions enable_{{}, true}, disable_{{}, false};
  PluginLockOptions lock_;
  PluginVerifyOptions verify_;
  PluginCheckOptions check_;
  PluginCallOptions call_;
  PluginInitOptions init_;
};

}  // namespace awf::cli

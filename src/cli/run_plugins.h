// RunPlugins: the plugins of one run: started when a step first needs them, told to the observer of the run, stopped
// when it ends, whatever ended it.
//
// Thread-safe. Its own observer must see the run before all others: when the run ends the plugins are stopped first, so
// that every record of them stands before the run's last.
#pragma once

#include <expected>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cli/plugin_session.h"
#include "domain/operation.h"
#include "domain/run_observer.h"

namespace awf::cli {

class RunPlugins final : public OperationProviders {
 public:
  // `environment`: what the plugins inherit. `session` and `observer` outlive it.
  RunPlugins(PluginSession& session, std::vector<std::string> environment, std::string workflow, RunObserver& observer);
  ~RunPlugins() override;
  RunPlugins(const RunPlugins&) = delete;
  RunPlugins& operator=(const RunPlugins&) = delete;

  std::expected<std::vector<std::shared_ptr<OperationProvider>>, Error> Start(
      std::span<const std::string> plugins, const StepContext& step, Deadline deadline,
      const std::stop_token& cancelled) override;

  RunObserver& observer() { return ender_; }

 private:
  class Ender final : public RunObserver {
   public:
    explicit Ender(PluginSession& session) : session_(session) {}
    void RunEnded(const RunEnd&) override { session_.Stop(); }

   private:
    PluginSession& session_;
  };

  void Tell(const StepContext& step, const RunningPlugin& plugin);

  PluginSession& session_;
  RunObserver& observer_;
  Ender ender_;
  std::mutex telling_;  // nobody gets a plugin whose start has not been told
  std::set<std::string> told_;
};

}  // namespace awf::cli

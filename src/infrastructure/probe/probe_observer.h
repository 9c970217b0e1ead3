// ProbeObserver: keeps what a probe must know of the step that it drives. Thread-safe.
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "domain/run_observer.h"

namespace awf::probe {

class ProbeObserver final : public RunObserver {
 public:
  struct Seen {
    std::vector<std::string> tools;  // final names that our server listed
    std::set<std::string> called;    // of these, what was called through it
    bool read_ok = false;
    std::set<std::string> ran;           // native tools, by the CLI's stream
    std::vector<std::string> announced;  // foreign tools
    std::string doubt;                   // why its level is not proven
  };

  void ProxyIsReady(const StepContext&, const ProxyReady& ready) override {
    const std::lock_guard lock(mutex_);
    seen_.tools = ready.tools;
  }
  void CallFinished(const StepContext&, const CallRecord& call, const CallEnd& end) override {
    const std::lock_guard lock(mutex_);
    seen_.called.insert(call.tool);
    if (call.tool == "Read" && end.outcome == CallOutcome::kOk) seen_.read_ok = true;
  }
  void Bypassed(const StepContext&, const NativeUse& use) override {
    const std::lock_guard lock(mutex_);
    seen_.ran.insert(use.tool);
  }
  void IsolationKnown(const StepContext&, const IsolationReport& report) override {
    const std::lock_guard lock(mutex_);
    if (report.announced) seen_.announced = report.foreign;
    if (report.level != IsolationLevel::kProven) seen_.doubt = report.reason;
  }

  Seen seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }

 private:
  mutable std::mutex mutex_;
  Seen seen_;
};

}  // namespace awf::probe

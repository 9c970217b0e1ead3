// RunTracing: the trace that a run is, and where it is exported to. Used by the thread of the run.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string_view>

#include "application/running/workflow_runner.h"
#include "cli/commands.h"
#include "cli/run_setup.h"
#include "cli/span_sinks.h"
#include "domain/masker.h"
#include "infrastructure/otlp/resource.h"
#include "infrastructure/otlp/span_transport.h"

namespace awf::cli {

class RunTracing {
 public:
  // Places the run in its trace (ids, parent of the environment, sampled or not) and finds out where its spans go. For
  // a collector this loads libcurl. Nothing else has happened when it fails.
  std::expected<void, Error> Prepare(const RunOptions& options, RunRequest& request);
  const TraceTarget& target() const { return target_; }

  // Adds what is no file: console and collector. `print` writes whole lines to stderr; `told` gets log records, maybe
  // on another thread. Both and `masker` outlive the sinks' Flush.
  using Told = std::function<void(LogLevel, std::string_view message, const json::object& fields)>;
  void Start(const RunRequest& request, const otlp::TraceResource& resource, const Masker& masker,
             std::function<void(std::string_view)> print, Told told, SpanSinks& sinks);

 private:
  TraceTarget target_;
  std::unique_ptr<otlp::SpanTransport> transport_;  // until Start
};

// After the last span: sends what waits, for a few seconds at most. One warning tells what could not be sent.
void FlushSpans(SpanSinks& sinks, const RunTracing::Told& told);

}  // namespace awf::cli

// ConsoleTrace: the exporter `console`. A text tree of a trace, printed at the end of its root span.
//
// The root is a span without a parent, or whose parent is that of another process. Of the spans below it one short line
// each is kept until then, of kMostSpans at most; those beyond are counted. Spans whose parent is not among them hang
// on the root. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "domain/masker.h"
#include "domain/record_sinks.h"

namespace awf::telemetry {

class ConsoleTrace final : public SpanSink {
 public:
  static constexpr std::size_t kMostSpans = 10'000;

  // `print` writes whole lines and is thread-safe. `remote_parent`: of the process's root spans; may be empty. `masker`
  // outlives it.
  ConsoleTrace(SpanId remote_parent, const Masker& masker, std::function<void(std::string_view)> print,
               std::size_t most_spans = kMostSpans);

  bool Write(const SpanRecord& span) override;
  std::string Name() const override { return "stderr"; }

 private:
  struct Kept {
    SpanId id, parent;
    WallClock::time_point start;
    std::string line;  // as it is shown, without its place in the tree
  };
  struct Held {
    std::vector<Kept> spans;  // in the order of their ends
    std::size_t more = 0;
  };

  std::string Line(const SpanRecord& span) const;
  static std::string Tree(const Kept& root, Held held);

  const SpanId remote_parent_;
  const Masker& masker_;
  const std::function<void(std::string_view)> print_;
  const std::size_t most_spans_;
  std::mutex mutex_;  // guards what follows; not held while printing
  Held held_;
};

}  // namespace awf::telemetry

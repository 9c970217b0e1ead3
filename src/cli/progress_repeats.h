// Repeats: which of the times that a state is entered are worth lines of their own.
//
// A loop of 10 000 passes must not bury what matters. The first 20 times of a state are shown in full; after that only
// failures (20 more), and how often it ran at 100, 1000 and 10 000. The same in a pipe: log.jsonl has them all. What
// counts is where the state stands, whatever the pass: "fix_all/test". Not thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace awf::cli {

class Repeats {
 public:
  static constexpr int kShown = 20, kFailuresShown = 20;

  // `all`: everything is shown.
  explicit Repeats(bool all) : all_(all) {}

  struct Entry {
    bool shown = true;
    std::string note;  // to be told before it; may be empty
  };
  Entry Entered(std::string_view path);
  // A state that was not shown has failed: whether that is.
  bool Failed(std::string_view path);

 private:
  struct Count {
    int entered = 0, failed = 0;  // failures of the times that were not shown
  };
  const bool all_;
  std::map<std::string, Count> counts_;
};

// The path without passes: "outer:3/inner:0/fix" → "outer/inner/fix".
std::string WithoutPasses(std::string_view path);

}  // namespace awf::cli

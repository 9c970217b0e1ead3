#include "cli/progress_repeats.h"

namespace awf::cli {

std::string WithoutPasses(std::string_view path) {
  std::string plain;
  bool in_pass = false;
  for (const char c : path) {
    if (c == ':') in_pass = true;
    if (c == '/') in_pass = false;
    if (!in_pass) plain.push_back(c);
  }
  return plain;
}

Repeats::Entry Repeats::Entered(std::string_view path) {
  if (all_) return {};
  const std::string place = WithoutPasses(path);
  Count& count = counts_[place];
  const int times = ++count.entered;
  if (times <= kShown) return {};
  if (times == kShown + 1) {
    return {false, place + " has run " + std::to_string(kShown) +
                       " times, from now on its failures are shown (--verbose: all)"};
  }
  if (times != 100 && times != 1000 && times != 10'000) return {false, {}};
  const std::string failed = count.failed == 0 ? "" : ", " + std::to_string(count.failed) + " failed lately";
  return {false, place + ": " + std::to_string(times) + " times" + failed};
}

bool Repeats::Failed(std::string_view path) { return ++counts_[WithoutPasses(path)].failed <= kFailuresShown; }

}  // namespace awf::cli

#include <array>
#include <string>
#include <string_view>

#include "infrastructure/yaml/body_loaders.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 3> kStrategies = {"all_succeed", "any_succeed", "best_effort"};
constexpr long long kMaxConcurrent = 1000;  // ours: far beyond what one machine runs at a time

}  // namespace

ParallelState LoadParallel(StateReader& reader) {
  ParallelState parallel;
  parallel.branches = reader.RequiredTargets("parallel");
  if (const YamlNode* node = reader.Find("strategy")) {
    const std::string word = reader.yaml.Word(*node, "strategy", kStrategies).value_or("all_succeed");
    if (word == "any_succeed") parallel.strategy = ParallelStrategy::kAnySucceed;
    if (word == "best_effort") parallel.strategy = ParallelStrategy::kBestEffort;
  }
  if (const YamlNode* node = reader.Find("max_concurrent")) {
    parallel.max_concurrent =
        static_cast<int>(reader.yaml.Integer(*node, "max_concurrent", 0, kMaxConcurrent).value_or(0));
  }
  return parallel;
}

}  // namespace awf

// ChannelParent: stands in for `awf run` while `awf mcp-serve` is measured: listens on a step channel, drains it in a
// thread and counts the calls that were reported.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "infrastructure/step_channel/step_channel.h"

namespace awf::bench {

class ChannelParent {
 public:
  // `folder` must exist and be private; socket and serve.json are made in it. Throws std::runtime_error.
  ChannelParent(const std::filesystem::path& folder, const std::filesystem::path& root);
  ~ChannelParent();

  std::string config() const { return config_.string(); }
  int finished_calls() const { return finished_calls_; }

 private:
  void Drain();

  std::filesystem::path config_;
  std::unique_ptr<channel::StepChannelServer> server_;
  std::atomic<int> finished_calls_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace awf::bench

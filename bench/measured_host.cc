#include "bench/measured_host.h"

#include <chrono>
#include <cstddef>
#include <iostream>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "domain/json.h"
#include "domain/operation.h"
#include "domain/test_folder.h"
#include "domain/time.h"
#include "infrastructure/plugins/plugin_host.h"
#include "infrastructure/process/environment.h"

namespace awf::bench {
namespace {

constexpr int kCallers = 8;
constexpr std::size_t kMebibyte = std::size_t{1} << 20;
constexpr std::chrono::seconds kPatience{60};

double MsSince(SteadyClock::time_point begin) {
  return std::chrono::duration<double, std::milli>(SteadyClock::now() - begin).count();
}

// One call and the answer that it must have.
struct Question {
  std::string operation;
  json::object inputs;
  std::string output;
};

class MeasuredHost {
 public:
  explicit MeasuredHost(std::filesystem::path program)
      : program_(std::move(program)),
        echo_{"echo", {{"text", std::string(200, 'x')}}, std::string(200, 'x')},
        large_{"big", {{"bytes", kMebibyte}}, std::string(kMebibyte, 'b')} {}

  std::vector<double> Measure(const json::object& order);

 private:
  double Start(bool checked);
  double Call(const Question& question) const;
  std::vector<double> Calls(const Question& question, int count) const;
  std::vector<double> CallsAtOnce(int count) const;

  const std::filesystem::path program_;
  const Question echo_, large_;
  const TestFolder sockets_{"/tmp"};  // paths of sockets must be short
  SteadyClock::time_point begin_;     // of the last start
  std::unique_ptr<plugins::PluginHost> host_;
  std::shared_ptr<OperationProvider> plugin_;
};

std::vector<double> MeasuredHost::Measure(const json::object& order) {
  const std::string_view measure = order.at("measure").as_string();
  if (measure == "start") return {Start(false)};
  if (measure == "checked_start") return {Start(true)};
  if (!plugin_) throw std::runtime_error("no plugin was started");
  const int calls = order.at("calls").to_number<int>();
  if (measure == "echo") return Calls(echo_, calls);
  if (measure == "large") return Calls(large_, calls);
  if (measure == "at_once") return CallsAtOnce(calls);
  throw std::runtime_error("unknown measure " + std::string(measure));
}

// The end of the plugin before is not measured. Unless `checked`, the clock starts when the hash of the file is known:
// what follows is the making of the certificate and the spawn.
double MeasuredHost::Start(bool checked) {
  plugin_.reset();
  host_.reset();
  plugins::PluginLaunch launch;
  launch.name = "demo";
  launch.executable = program_;
  launch.start_timeout = kPatience;
  plugins::PluginHostOptions options;
  options.environment = process::CurrentEnvironment();
  options.private_folder = sockets_.path();
  options.stage = [this, checked](std::string_view, const plugins::StartStage& stage) {
    if (!checked && stage.name == "checksum") begin_ = SteadyClock::now();
  };
  begin_ = SteadyClock::now();
  host_ = std::make_unique<plugins::PluginHost>(std::move(options));
  const auto started = host_->Start(std::span(&launch, 1), {}, {});
  if (!started[0]) throw std::runtime_error(started[0].error().message);
  plugin_ = started[0]->provider;
  Call(echo_);
  return MsSince(begin_);
}

double MeasuredHost::Call(const Question& question) const {
  const auto begin = SteadyClock::now();
  const OperationResult result =
      plugin_->Execute({"0123456789abcdef", question.operation, question.inputs, begin + kPatience, {}, {}, {}});
  const double time = MsSince(begin);
  if (!result.success) throw std::runtime_error(question.operation + ": " + result.error);
  if (result.output != question.output) throw std::runtime_error(question.operation + ": not what was asked for");
  return time;
}

std::vector<double> MeasuredHost::Calls(const Question& question, int count) const {
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) times.push_back(Call(question));
  return times;
}

std::vector<double> MeasuredHost::CallsAtOnce(int count) const {
  std::mutex mutex;
  std::vector<double> times;
  std::string error;
  const auto call = [&] {
    try {
      const std::vector<double> mine = Calls(echo_, count);
      const std::lock_guard lock(mutex);
      times.insert(times.end(), mine.begin(), mine.end());
    } catch (const std::exception& failure) {
      const std::lock_guard lock(mutex);
      error = failure.what();
    }
  };
  {
    std::vector<std::jthread> callers;
    callers.reserve(kCallers);
    for (int i = 0; i < kCallers; ++i) callers.emplace_back(call);
  }
  if (!error.empty()) throw std::runtime_error(error);
  return times;
}

}  // namespace

int ServeMeasures(const std::filesystem::path& plugin) {
  MeasuredHost host(plugin);
  for (std::string line; std::getline(std::cin, line);) {
    const json::object order = json::parse(line).as_object();
    json::object answer{{"id", order.at("id")}};
    try {
      const std::vector<double> times = host.Measure(order);
      answer["ms"] = json::array(times.begin(), times.end());
    } catch (const std::exception& error) {
      answer["error"] = error.what();
    }
    std::cout << json::serialize(answer) << std::endl;
  }
  return 0;
}

}  // namespace awf::bench

// What it costs to see everything: tool calls of whole runs of awf with all records on (OTLP export, trace file,
// transcript with content, content on spans) against the default (log and audit), and memory over ten times as many
// calls. The model and the collector are in this process.
//
//   telemetry_bench AWF     prints one line per measure; ends with 1 when a run fails, never because of a speed.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/model_server/model_server.h"
#include "tests/fakes/fake_collector.h"

namespace {

using awf::fakes::FakeCollector;
using awf::model_server::ScriptedCall;
using awf::model_server::ScriptedTurn;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kCallsOfStep = 100;
constexpr int kFewSteps = 10;
constexpr int kManySteps = 100;
constexpr int kRounds = 3;  // of each kind of run; the median counts
constexpr double kBarMicroseconds = 50;

constexpr char kMeasure[] = "--measure";

struct Measure {
  double milliseconds = 0;
  double mebibytes = 0;  // greatest resident set
};

using Variables = std::vector<std::pair<std::string, std::string>>;

// Runs argv with its output thrown away and prints what it took. A process of its own: the resident set of a child
// counts from that of the process which forked it, and the one with model and collector in it grows.
int MeasureCommand(char** argv) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
    ::execvp(argv[0], argv);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 1;
  std::printf("%f %f\n", Milliseconds(std::chrono::steady_clock::now() - start).count(),
              static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}

Measure Run(const std::vector<std::string>& argv, const Variables& environment) {
  std::string self = "/proc/self/exe", mode = kMeasure;
  std::vector<char*> words = {self.data(), mode.data()};
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
    ::execv(words[0], words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  std::FILE* told = ::fdopen(ends[0], "r");
  Measure measure;
  const bool complete = std::fscanf(told, "%lf %lf", &measure.milliseconds, &measure.mebibytes) == 2;
  std::fclose(told);
  ::waitpid(child, nullptr, 0);
  if (!complete) throw std::runtime_error(argv[0] + " " + argv.back() + " failed");
  return measure;
}

class Bench {
 public:
  explicit Bench(std::string awf) : awf_(std::move(awf)) {
    folder_.Put("small.txt", std::string(1024, 'x') + "\n");
    folder_.Put("all.yaml", "telemetry: {content: true}\ntranscript: {content: full}\n");
    folder_.Put("none.yaml", "log: {level: info}\n");
    ScriptedTurn reads;
    for (int i = 0; i < kCallsOfStep; ++i) {
      reads.calls.push_back({"Read", {{"path", (folder_ / "small.txt").string()}}});
    }
    auto server = awf::model_server::ModelServer::Start(
        std::make_unique<awf::model_server::ChatCompletionsModel>(std::vector<ScriptedTurn>{reads, {"done", {}}}));
    if (!server) throw std::runtime_error(server.error().message);
    model_ = std::move(*server);
    WriteWorkflow("few.yaml", kFewSteps);
    WriteWorkflow("many.yaml", kManySteps);
  }

  // Of the calls that a long run has more than a short one, so that start and end of a run don't count.
  void Cost() {
    const auto per_call = [this](Measure (Bench::*run)(const std::string&)) {
      std::vector<double> few, many;
      for (int i = 0; i < kRounds; ++i) {
        few.push_back((this->*run)("few.yaml").milliseconds);
        many.push_back((this->*run)("many.yaml").milliseconds);
      }
      return (Median(many) - Median(few)) * 1000 / ((kManySteps - kFewSteps) * kCallsOfStep);
    };
    const double off = per_call(&Bench::Default), on = per_call(&Bench::Everything);
    std::printf("call with everything on   %7.1f us   against the default %.1f us: %+.1f us (bar %.0f us: %s)\n", on,
                off, on - off, kBarMicroseconds, on - off <= kBarMicroseconds ? "ok" : "MISSED");
  }

  void Memory() {
    const Measure few = Everything("few.yaml"), many = Everything("many.yaml");
    std::printf("%5d calls, everything on %7.1f MiB   against %.1f MiB after %d: ratio %.2f\n",
                kManySteps * kCallsOfStep, many.mebibytes, few.mebibytes, kFewSteps * kCallsOfStep,
                many.mebibytes / few.mebibytes);
  }

 private:
  void WriteWorkflow(const std::string& name, int steps) {
    std::string items;
    for (int i = 0; i < steps; ++i) items += (i == 0 ? "" : ", ") + std::to_string(i);
    folder_.Put(name, "name: calls\nstates:\n  initial: all\n  all: {type: for_each, items: [" + items +
                          "], body: [work], on_complete: done}\n  work:\n    type: agent\n"
                          "    provider: openai_compatible\n    prompt: Read.\n    options: {base_url: \"" +
                          model_->base_url() +
                          "\", model: scripted, api_key: a-key-of-the-benchmark}\n"
                          "    mcp_proxy: {enable: true}\n  done: {type: terminal}\n");
  }

  std::vector<std::string> Command(const std::string& workflow, const std::string& config) const {
    return {awf_,
            "run",
            "--quiet",
            "--storage",
            (folder_ / "storage").string(),
            "--config",
            (folder_ / config).string(),
            (folder_ / workflow).string()};
  }

  Measure Default(const std::string& workflow) { return Run(Command(workflow, "none.yaml"), {}); }

  Measure Everything(const std::string& workflow) {
    FakeCollector collector(FakeCollector::Protocol::kGrpc);
    std::vector<std::string> command = Command(workflow, "all.yaml");
    command.insert(command.begin() + 2, {"--otel-exporter", "otlp", "--trace-file"});
    const Measure measure = Run(command, {{"OTEL_EXPORTER_OTLP_ENDPOINT", collector.Url()},
                                          {"OTEL_EXPORTER_OTLP_HEADERS", "x-team=benchmark"}});
    if (collector.Spans().empty()) throw std::runtime_error("the collector got no spans");
    return measure;
  }

  static double Median(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
  }

  std::string awf_;
  const awf::TestFolder folder_;
  std::unique_ptr<awf::model_server::ModelServer> model_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && std::string_view(argv[1]) == kMeasure) return MeasureCommand(argv + 2);
  if (argc != 2) {
    std::fprintf(stderr, "usage: telemetry_bench AWF\n");
    return 2;
  }
  try {
    Bench bench(argv[1]);
    bench.Cost();
    bench.Memory();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "telemetry_bench: %s\n", error.what());
    return 1;
  }
  return 0;
}

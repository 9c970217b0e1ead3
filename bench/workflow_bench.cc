// What a workflow costs beside the commands that it runs, against a bare `sh` loop over the same commands in the same
// run; and whether memory stays flat over many passes and many branches.
//
//   workflow_bench AWF     prints one line per measure; ends with 1 when a run fails, never because of a speed.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "domain/test_folder.h"

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kSteps = 200;       // of the chain and of the parallel state
constexpr int kFewPasses = 1000;  // of the loops whose memory is compared
constexpr int kManyPasses = 10000;
constexpr int kRounds = 3;  // of the comparison with sh; the median counts

struct Measure {
  double milliseconds = 0;
  double mebibytes = 0;  // greatest resident set of the process and of what it waited for
};

// Runs argv with stdout and stderr thrown away.
Measure Run(const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
    ::execvp(words[0], words.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "workflow_bench: %s %s failed\n", argv[0].c_str(), argv.back().c_str());
    std::exit(1);
  }
  return {Milliseconds(std::chrono::steady_clock::now() - start).count(), static_cast<double>(usage.ru_maxrss) / 1024};
}

class Bench {
 public:
  explicit Bench(std::string awf) : awf_(std::move(awf)) {}

  void Chain() {
    std::string text = "name: chain\nstates:\n  initial: s0\n";
    for (int i = 0; i < kSteps; ++i) {
      text +=
          "  s" + std::to_string(i) + ": {type: step, command: 'true', on_success: s" + std::to_string(i + 1) + "}\n";
    }
    text += "  s" + std::to_string(kSteps) + ": {type: terminal}\n";
    Write("chain.yaml", text);
    const double awf = Median([&] { return Workflow("chain.yaml").milliseconds; });
    const std::string loop = "i=0; while [ $i -lt " + std::to_string(kSteps) + " ]; do sh -c true; i=$((i+1)); done";
    const double shell = Median([&] { return Run({"sh", "-c", loop}).milliseconds; });
    std::printf("step of a workflow        %7.2f ms   sh loop %7.2f ms   ratio %5.2f   overhead %5.2f ms per step\n",
                awf / kSteps, shell / kSteps, awf / shell, (awf - shell) / kSteps);
  }

  void Loop() {
    const Measure few = Passes(kFewPasses), many = Passes(kManyPasses);
    std::printf("loop of %5d passes       %7.2f ms a pass   %6.1f MiB   against %.1f MiB after %d: ratio %.2f\n",
                kManyPasses, many.milliseconds / kManyPasses, many.mebibytes, few.mebibytes, kFewPasses,
                many.mebibytes / few.mebibytes);
  }

  void Parallel() {
    std::string names, branches;
    for (int i = 0; i < kSteps; ++i) {
      names += (i == 0 ? "" : ", ") + ("b" + std::to_string(i));
      branches += "  b" + std::to_string(i) + ": {type: step, command: 'true'}\n";
    }
    Write("parallel.yaml", "name: parallel\nstates:\n  initial: all\n  all: {type: parallel, parallel: [" + names +
                               "], on_success: done}\n" + branches + "  done: {type: terminal}\n");
    const Measure parallel = Workflow("parallel.yaml");
    const Measure chain = Workflow("chain.yaml");
    std::printf("%d branches at once      %7.2f ms a branch %6.1f MiB   one after the other %.2f ms, %.1f MiB\n",
                kSteps, parallel.milliseconds / kSteps, parallel.mebibytes, chain.milliseconds / kSteps,
                chain.mebibytes);
  }

 private:
  void Write(const std::string& name, const std::string& text) { folder_.Put(name, text); }

  Measure Workflow(const std::string& name) {
    return Run({awf_, "run", (folder_ / name).string(), "--storage", (folder_ / "storage").string(), "--quiet"});
  }

  // Of a list of kManyPasses items, so that both loops hold the same list.
  Measure Passes(int count) {
    std::string items;
    for (int i = 0; i < kManyPasses; ++i) items += (i == 0 ? "" : ", ") + std::to_string(i);
    Write("loop.yaml",
          "name: loop\nstates:\n  initial: all\n  all: {type: for_each, items: [" + items +
              "], max_iterations: 10000, body: [one], break_when: loop.Index1 == " + std::to_string(count) +
              ", on_complete: done}\n"
              "  one: {type: step, command: 'true'}\n  done: {type: terminal}\n");
    return Workflow("loop.yaml");
  }

  static double Median(const std::function<double()>& measure) {
    std::vector<double> values;
    for (int i = 0; i < kRounds; ++i) values.push_back(measure());
    std::ranges::sort(values);
    return values[values.size() / 2];
  }

  std::string awf_;
  const awf::TestFolder folder_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: workflow_bench AWF\n");
    return 2;
  }
  ::setenv("SHELL", "/bin/sh", 1);  // the same shell for both sides
  Bench bench(argv[1]);
  bench.Chain();
  bench.Parallel();
  bench.Loop();
  return 0;
}

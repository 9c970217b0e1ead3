// What a plugin costs under awf, and the same plugin under a Go host on go-plugin's client: spawn to first answer,
// echo, a reply of 1 MiB, calls at once; all with mutual TLS. A missed bar is said, it is no failure: machines differ.
//
//   plugin_host_bench PLUGIN [--go-host PROGRAM]
//
// PLUGIN is the demo plugin of the tests, PROGRAM is built from bench/go_host. Either host is a process of its own and
// times itself (measured_host.h says how it is asked). They take turns, so that load of the machine hits them alike.
// "spawn to first answer" begins where either host makes its certificate. Before that awf hashes the plugin's file, at
// every start; a Go host does so if it was told to. The row of the checked start counts the hash for both.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "bench/mcp_peer.h"
#include "bench/measured_host.h"
#include "domain/json.h"
#include "infrastructure/process/keeper.h"

namespace awf::bench {
namespace {

constexpr int kStarts = 30;
constexpr int kRounds = 10;

// The values of one measure, per host.
using Samples = std::vector<std::vector<double>>;

class Host {
 public:
  explicit Host(const std::vector<std::string>& argv) : name_(argv[0]), peer_(argv) {}

  // Puts the milliseconds of each call behind `times`.
  void Measure(std::string_view measure, int calls, std::vector<double>& times) {
    const int id = ++last_id_;
    const json::object order{{"id", id}, {"measure", measure}, {"calls", calls}};
    const json::value answer = json::parse(peer_.Request(id, json::serialize(order)));
    if (const json::value* error = answer.as_object().if_contains("error"))
      throw std::runtime_error(name_ + ": " + std::string(measure) + ": " + json::value_to<std::string>(*error));
    for (const json::value& time : answer.at("ms").as_array()) times.push_back(time.to_number<double>());
  }

 private:
  std::string name_;
  McpPeer peer_;
  int last_id_ = 0;
};

// Of 30 values the one at 0.99 is the slowest.
double At(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size())));
}

void Head() {
  std::printf("%-40s %9s %9s %6s %9s %9s %6s\n", "plugin under awf and under a Go host, ms", "awf p50", "Go p50",
              "ratio", "awf p99", "Go p99", "ratio");
}

const char* Verdict(bool met) { return met ? "met" : "MISSED"; }

// `bar`: of the p50, in milliseconds.
void Row(const char* what, const Samples& samples, std::optional<double> bar = std::nullopt) {
  const double median = At(samples[0], 0.5);
  std::printf("%-40s", what);
  for (const double share : {0.5, 0.99}) {
    const double ours = At(samples[0], share);
    if (samples.size() > 1) {
      std::printf(" %9.3f %9.3f %6.2f", ours, At(samples[1], share), ours / At(samples[1], share));
    } else {
      std::printf(" %9.3f %9s %6s", ours, "-", "-");
    }
  }
  if (bar) std::printf("   p50 <= %g ms: %s", *bar, Verdict(median <= *bar));
  if (samples.size() > 1) std::printf("   p50 not slower: %s", Verdict(median <= At(samples[1], 0.5)));
  std::printf("\n");
}

// Fresh processes: a run of awf starts a plugin once, with nothing warm.
void MeasureStarts(const std::vector<std::vector<std::string>>& programs) {
  Samples first(programs.size()), again(programs.size()), checked(programs.size());
  for (int round = 0; round < kStarts; ++round) {
    for (std::size_t i = 0; i < programs.size(); ++i) {
      Host host(programs[i]);
      host.Measure("start", 1, first[i]);
      host.Measure("start", 1, again[i]);
      Host(programs[i]).Measure("checked_start", 1, checked[i]);
    }
  }
  Row("spawn to first answer", first, 60);
  Row("  again in the same process", again, 60);
  Row("checked start to first answer", checked);
}

void MeasureCalls(std::vector<std::unique_ptr<Host>>& hosts, const char* what, std::string_view measure, int calls,
                  std::optional<double> bar = std::nullopt) {
  Samples samples(hosts.size()), warm_up(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i]->Measure(measure, calls, warm_up[i]);
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i]->Measure(measure, calls, samples[i]);
  }
  Row(what, samples, bar);
}

int Main(const std::vector<std::string>& words) {
  if (words.size() != 2 && (words.size() != 4 || words[2] != "--go-host"))
    throw std::runtime_error("usage: plugin_host_bench PLUGIN [--go-host PROGRAM]");
  const std::string plugin = std::filesystem::absolute(words[1]).string();
  std::vector<std::vector<std::string>> programs = {{words[0], "host", plugin}};
  if (words.size() == 4) programs.push_back({words[3], plugin});

  Head();
  MeasureStarts(programs);
  std::vector<std::unique_ptr<Host>> hosts;
  std::vector<double> unused;
  for (const std::vector<std::string>& argv : programs) {
    hosts.push_back(std::make_unique<Host>(argv));
    hosts.back()->Measure("start", 1, unused);
  }
  MeasureCalls(hosts, "echo of 200 bytes", "echo", 200, 0.3);
  MeasureCalls(hosts, "reply of 1 MiB", "large", 20);
  MeasureCalls(hosts, "echo of 200 bytes, 8 callers at once", "at_once", 50);
  return 0;
}

}  // namespace
}  // namespace awf::bench

// PluginHost executes this program as its keeper, this program itself as the host that is measured.
int main(int argc, char** argv) {
  try {
    const std::vector<std::string> words(argv, argv + argc);
    if (words.size() == 3 && words[1] == "keeper") return awf::process::KeeperMain(std::atoi(argv[2]));
    if (words.size() == 3 && words[1] == "host") return awf::bench::ServeMeasures(words[2]);
    return awf::bench::Main(words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "plugin_host_bench: %s\n", error.what());
    return 1;
  }
}

// Speed and memory of awf's MCP servers against peers measured in the same run. Prints a table with the bars of the
// project; a missed bar is said, it is no failure: machines differ, ratios should not.
//
//   mcp_bench AWF [--node 'COMMAND FOLDER'] [--go COMMAND]
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/channel_parent.h"
#include "bench/mcp_peer.h"
#include "bench/recorder_cost.h"
#include "domain/test_folder.h"

extern char** environ;

namespace awf::bench {
namespace {

namespace fs = std::filesystem;

struct Server {
  std::string name;
  std::vector<std::string> argv;
  std::string read_tool = "Read";
};

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double StartMs(const Server& server) {
  const auto start = Clock::now();
  McpPeer peer(server.argv);
  peer.Initialize();
  return MsSince(start);
}

// What the machine takes to start and end a program that does nothing: no server can be faster.
double FloorMs() {
  std::vector<double> samples;
  for (int i = 0; i < 40; ++i) {
    const auto start = Clock::now();
    pid_t pid = 0;
    char name[] = "true";
    char* const argv[] = {name, nullptr};
    if (::posix_spawnp(&pid, name, nullptr, nullptr, argv, environ) != 0) throw std::runtime_error("cannot start true");
    ::waitpid(pid, nullptr, 0);
    samples.push_back(MsSince(start));
  }
  return Median(samples);
}

// All servers take turns, so that a drift of the machine's speed hits them alike.
std::vector<double> StartMedians(const std::vector<Server>& servers, int rounds) {
  std::vector<std::vector<double>> samples(servers.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < servers.size(); ++i) samples[i].push_back(StartMs(servers[i]));
  }
  std::vector<double> medians;
  for (auto& list : samples) medians.push_back(Median(list));
  return medians;
}

double ReadMedianMs(const Server& server, const fs::path& file, int calls) {
  McpPeer peer(server.argv);
  peer.Initialize();
  std::vector<double> samples;
  for (int id = 10; id < calls + 10; ++id) {
    const std::string line = R"({"jsonrpc":"2.0","id":)" + std::to_string(id) +
                             R"(,"method":"tools/call","params":{"name":")" + server.read_tool +
                             R"(","arguments":{"path":")" + file.string() + R"("}}})";
    const auto start = Clock::now();
    const std::string answer = peer.Request(id, line);
    samples.push_back(MsSince(start));
    if (answer.find("0123456789") == std::string::npos)
      throw std::runtime_error(server.name + ": " + answer.substr(0, 300));
  }
  return Median(samples);
}

double ExitMedianMs(const Server& server, int rounds) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i) {
    McpPeer peer(server.argv);
    peer.Initialize();
    samples.push_back(std::chrono::duration<double, std::milli>(peer.Finish()).count());
  }
  return Median(samples);
}

Memory MemoryOf(const Server& server) {
  McpPeer peer(server.argv);
  peer.Initialize();
  return peer.ReadMemory();
}

void Row(const std::string& what, double value, const char* unit, const std::string& bar, bool met) {
  std::printf("%-58s %9.3f %-4s %-28s %s\n", what.c_str(), value, unit, bar.c_str(),
              bar.empty() ? ""
              : met       ? "met"
                          : "MISSED");
}

int Main(int argc, char** argv) {
  if (argc < 2) throw std::runtime_error("usage: mcp_bench AWF [--node 'COMMAND FOLDER'] [--go COMMAND]");
  const TestFolder folder("/var/tmp");
  const fs::path root = folder / "root", file = root / "kib.txt";
  fs::create_directory(root);
  std::ofstream out(file);
  for (int i = 0; i < 64; ++i) out << "0123456789abcde\n";  // 1 KiB
  out.close();

  ChannelParent parent(folder, root);
  const Server serve{"awf mcp-serve --config", {argv[1], "mcp-serve", "--config", parent.config()}};
  const Server open{"awf mcp serve", {argv[1], "mcp", "serve", "--root", root.string()}};
  std::vector<Server> servers = {serve, open};
  std::optional<std::size_t> node, go;
  for (int i = 2; i + 1 < argc; i += 2) {
    std::vector<std::string> words = Words(argv[i + 1]);
    if (std::string(argv[i]) == "--node") {
      node = servers.size();
      words.push_back(root.string());
      servers.push_back({"server-filesystem (Node)", words, "read_text_file"});
    } else if (std::string(argv[i]) == "--go") {
      go = servers.size();
      servers.push_back({"server on the Go SDK", words});
    }
  }

  Row("floor: start and end of true(1), p50", FloorMs(), "ms", "", true);
  const std::vector<double> starts = StartMedians(servers, 15);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    Row("start -> initialize answered, p50: " + servers[i].name, starts[i], "ms", i < 2 ? "<= 5 ms" : "",
        starts[i] <= 5);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    if (node)
      Row("  Node server / " + servers[i].name, starts[*node] / starts[i], "x", ">= 50 x",
          starts[*node] >= 50 * starts[i]);
    if (go)
      Row("  Go server / " + servers[i].name, starts[*go] / starts[i], "x", ">= 10 x", starts[*go] >= 10 * starts[i]);
  }
  for (std::size_t i = 0; i < servers.size(); ++i) {
    const Memory memory = MemoryOf(servers[i]);
    Row("RSS after initialize: " + servers[i].name, memory.rss_mib, "MiB", i < 2 ? "<= 6 MiB" : "",
        memory.rss_mib <= 6);
    Row("RssAnon after initialize: " + servers[i].name, memory.anonymous_mib, "MiB", i < 2 ? "<= 1.5 MiB" : "",
        memory.anonymous_mib <= 1.5);
  }
  constexpr int kCalls = 2000;
  std::vector<double> reads;
  for (const Server& server : servers) {
    reads.push_back(ReadMedianMs(server, file, kCalls));
    Row("Read 1 KiB, p50: " + server.name, reads.back(), "ms", "", true);
  }
  if (parent.finished_calls() != kCalls) throw std::runtime_error("not every call was reported to the channel");
  if (node)
    Row("  mcp-serve with its record sent / Node server", reads[0] / reads[*node], "x", "<= 0.5 x",
        reads[0] <= 0.5 * reads[*node]);
  for (std::size_t i = 0; i < servers.size(); ++i) {
    Row("exit after EOF, idle, p50: " + servers[i].name, ExitMedianMs(servers[i], 15), "ms", i < 2 ? "<= 20 ms" : "",
        true);
  }
  const RecorderCost cost = MeasureRecorder(folder, 20'000);
  const auto us = [](std::chrono::nanoseconds time) { return static_cast<double>(time.count()) / 1000; };
  Row("records of a call: log and audit", us(cost.log_audit - cost.off), "us", "<= 50 us",
      us(cost.log_audit - cost.off) <= 50);
  Row("records of a call: log, audit and span", us(cost.all - cost.off), "us", "<= 50 us",
      us(cost.all - cost.off) <= 50);
  return 0;
}

}  // namespace
}  // namespace awf::bench

int main(int argc, char** argv) {
  try {
    return awf::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mcp_bench: %s\n", error.what());
    return 1;
  }
}

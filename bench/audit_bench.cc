// How long `awf audit verify` takes for a long audit, and whether its memory depends on the length.
//
//   audit_bench AWF [RECORDS]     prints one line per length; ends with 1 when a verification fails, never because of a
//                                 speed.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "domain/test_folder.h"
#include "infrastructure/telemetry/audit_file.h"

namespace {

using awf::telemetry::AuditFile;
using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kFew = 10'000;
constexpr int kMany = 1'000'000;
constexpr int kRecordsAround = 4;  // starts and ends of the run and of its step

void Append(AuditFile& audit, std::string_view type, const awf::json::object& fields) {
  if (audit.Append(type, fields, awf::Durability::kWritten)) return;
  std::fprintf(stderr, "audit_bench: cannot write\n");
  std::exit(1);
}

// The audit of a run with one step that made all those calls.
void WriteAudit(const std::filesystem::path& file, int records) {
  const awf::Masker masker;
  auto audit = AuditFile::Create(file, "20261103-101509-5be01c77", masker);
  if (!audit) std::exit(1);
  Append(**audit, "run.started", {{"workflow", "long"}, {"resumed", false}});
  Append(**audit, "step.started", {{"step", "work"}, {"kind", "agent"}, {"attempt", 1}});
  const int calls = records - kRecordsAround;
  for (int i = 0; i < calls; ++i) {
    Append(**audit, "tool.call",
           {{"step", "work"},
            {"attempt", 1},
            {"call", "9f02c4d17be6a038"},
            {"client_call_id", "toolu_01A09q90qw90lq917835lq9"},
            {"tool", "Bash"},
            {"source", "builtin"},
            {"outcome", "ok"},
            {"duration_us", 6500 + i},
            {"bytes_in", 20},
            {"bytes_out", 900},
            {"exit_code", 0}});
  }
  Append(**audit, "step.completed", {{"step", "work"}, {"attempt", 1}, {"tool_calls", calls}, {"bypasses", 0}});
  Append(**audit, "run.completed", {{"status", "completed"}, {"records", records}});
}

void Measure(const std::string& awf, const std::filesystem::path& file, int records) {
  const std::string path = file.string();
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    const int null = ::open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2; ++fd) ::dup2(null, fd);
    ::execl(awf.c_str(), awf.c_str(), "audit", "verify", path.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  ::wait4(child, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "audit_bench: awf audit verify failed\n");
    std::exit(1);
  }
  const double ms = Milliseconds(std::chrono::steady_clock::now() - start).count();
  std::printf("audit verify, %8d records, %6.1f MB: %8.1f ms, %5.1f MiB at most\n", records,
              static_cast<double>(std::filesystem::file_size(file)) / 1e6, ms,
              static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const awf::TestFolder folder;
  for (const int records : {kFew, argc > 2 ? std::max(std::atoi(argv[2]), kRecordsAround) : kMany}) {
    const std::filesystem::path file = folder / std::to_string(records);
    WriteAudit(file, records);
    Measure(argv[1], file, records);
  }
  return 0;
}

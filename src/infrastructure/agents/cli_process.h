// CliProcess: a running agent CLI with its three pipes. The text goes in and stdin is closed, lines come out of stdout,
// the end of stderr is kept.
//
// Started through a keeper, which tells of its exit. A passive object for one poll loop and one thread: nothing blocks.
#pragma once

#include <poll.h>

#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "domain/error.h"
#include "infrastructure/agents/line_reader.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/process/keeper.h"

namespace awf::agents {

struct CliStart {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::filesystem::path working_dir;
  std::string input;  // for stdin
};

class CliProcess {
 public:
  // `on_line` gets every line of stdout. `keeper` must outlive the object.
  static std::expected<std::unique_ptr<CliProcess>, Error> Start(process::Keeper& keeper, CliStart start,
                                                                 LineReader::OnLine on_line);

  std::uint32_t job() const { return job_; }
  void AddFds(std::vector<pollfd>& fds) const;
  // Moves what can be moved now. Reads at most 4 MiB, so that a chatty CLI cannot keep the loop from its deadlines.
  void Handle();
  // The CLI has ended: reads what is left in its pipes, a last line without line feed included.
  void Finish();

  const std::string& error_tail() const { return error_tail_; }  // last 64 KiB of stderr
  std::size_t dropped_lines() const { return lines_.dropped(); }

 private:
  CliProcess(std::string input, LineReader::OnLine on_line) : input_(std::move(input)), lines_(std::move(on_line)) {}

  void WriteInput();
  void ReadOutput(std::size_t most);
  void ReadErrors(std::size_t most);
  void KeepTail();

  std::uint32_t job_ = 0;
  Fd stdin_, stdout_, stderr_;
  std::string input_;
  std::size_t written_ = 0;
  LineReader lines_;
  std::string error_tail_;
};

}  // namespace awf::agents

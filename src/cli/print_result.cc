#include "cli/print_result.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "cli/finding_text.h"
#include "domain/error_catalogue.h"

namespace awf::cli {
namespace {

// SIGPIPE as EPIPE while it lives.
class NoPipeSignal {
 public:
  NoPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~NoPipeSignal() {
    if (before_ != SIG_ERR) std::signal(SIGPIPE, before_);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

// 0 or errno.
int WriteOut(std::string_view text) {
  const NoPipeSignal ignored;
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waiting{STDOUT_FILENO, POLLOUT, 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

int PrintResult(std::string_view text, const GlobalOptions& global, int exit_code) {
  std::fflush(stdout);
  const int error_number = WriteOut(text);
  return error_number == 0 ? exit_code : ReportLostOutput(error_number, global, exit_code);
}

int ReportLostOutput(int error_number, const GlobalOptions& global, int exit_code) {
  if (error_number == EPIPE) return exit_code;
  const Error error =
      Fail("SYSTEM.IO.WRITE_FAILED", std::string("cannot write to stdout: ") + std::strerror(error_number),
           "Free some space, or send the output elsewhere.")
          .error();
  std::fputs(ErrorBlock(error, Severity::kError, !global.no_hints).c_str(), stderr);
  return exit_code == 0 ? ExitCodeOf(error.code) : exit_code;
}

}  // namespace awf::cli

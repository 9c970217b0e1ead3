// Console: stdout and stderr as one place to write to, for everything that a command shows.
//
// Lines stay whole: what several threads write never mixes within a line, and a line never starts behind text that has
// not ended its own. On a terminal there may be one live line at the bottom (a spinner), which is taken away before
// anything else is written and put back afterwards. A stream that nobody reads any more is forgotten; a closed pipe
// ends nothing (SIGPIPE must be ignored). One whose reader has stopped reading is waited for, until LimitWaiting.
// Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace awf::cli {

struct ConsoleOptions {
  int out = 1, err = 2;
  bool out_is_terminal = false, err_is_terminal = false;
  bool same_place = false;       // both are the same terminal, pipe or file, so that a person reads them as one text
  bool live = false;             // a live line may be drawn (on err)
  std::function<int()> columns;  // of err's terminal; 0 where it is none
  bool color = false;

  // As the process finds them.
  static ConsoleOptions Detect(bool no_color);
};

// Whether the user wants colours: not with `no_color`, NO_COLOR, TERM=dumb or no TERM.
bool WantsColor(bool no_color);

class Console {
 public:
  explicit Console(ConsoleOptions options);
  ~Console();  // takes the live line away and shows the cursor again
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  const ConsoleOptions& options() const { return options_; }
  int Columns() const { return options_.columns ? options_.columns() : 0; }

  void Line(std::string_view text);     // one or more whole lines on stderr; a last line feed is added when missing
  void Out(std::string_view text);      // on stdout as it comes
  void Err(std::string_view text);      // on stderr as it comes
  void EndOutLine();                    // a line feed on stdout where its last line has not ended
  void SetLive(std::string_view line);  // fits into the columns; "" takes it away
  void Restore();                       // as at the end; the console can be used further
  // What ended stdout before all was written to it, as errno; 0 when nothing did, or only its reader went away.
  int OutFailure();
  // From now on a stream that takes nothing for so long is forgotten; ends a wait that has lasted longer, too. Does not
  // wait itself.
  void LimitWaiting(std::chrono::milliseconds patience) { patience_ = patience; }

 private:
  struct Stream {
    int fd = -1;
    bool mid_line = false;
    bool closed = false;
    int failure = 0;  // errno that closed it
  };

  void Write(Stream& stream, std::string_view text);
  bool WaitFor(const Stream& stream) const;
  void WriteText(Stream& stream, std::string_view text);
  void BreakLine(Stream& stream);  // ends a line that has not ended
  void Erase();
  void Draw();

  const ConsoleOptions options_;
  std::atomic<std::chrono::milliseconds> patience_ = std::chrono::milliseconds::max();
  std::mutex mutex_;  // guards what follows
  Stream out_, err_;
  std::string live_;
  bool drawn_ = false, cursor_hidden_ = false;
};

}  // namespace awf::cli

// HiddenTyping: while it lives, a terminal does not echo what is typed.
//
// The echo comes back on every way out: at the end, on SIGINT, SIGTERM, SIGHUP and SIGQUIT, which then act as they
// would have without it, and while the process is stopped by Ctrl-Z. Signals that are ignored stay so. Handlers belong
// to the process, so only one may live at a time.
#pragma once

namespace awf::cli {

class HiddenTyping {
 public:
  explicit HiddenTyping(int terminal);  // does nothing to what is no terminal
  ~HiddenTyping();
  HiddenTyping(const HiddenTyping&) = delete;
  HiddenTyping& operator=(const HiddenTyping&) = delete;

 private:
  bool active_ = false;
};

}  // namespace awf::cli

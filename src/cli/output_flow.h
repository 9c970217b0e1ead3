// OutputFlow: what one state says on its way to one stream: masked, on a terminal without control sequences, and cut
// into pieces that may be written without harm to what others say.
//
// Alone, a state's text is passed on as it comes. Beside others each line is whole and begins with the state's label:
// "[lint] …". Held back, it comes when the state has ended. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "domain/masker.h"
#include "domain/terminal_text.h"

namespace awf::cli {

struct FlowOptions {
  bool terminal = false;  // the stream is one
  bool color = false;     // of the label
  std::string label;      // beside others; empty: alone
  bool hold = false;      // until Finish
};

class OutputFlow {
 public:
  // What is held back of a line that does not end, and of all that is held.
  static constexpr std::size_t kLongestLine = 64U << 10, kMostHeld = 1U << 20;

  OutputFlow(FlowOptions options, const Masker& masker);

  // Each returns what is to be written now.
  std::string Feed(std::string_view text);
  std::string Break();   // what follows is another text: ends the line
  std::string Finish();  // nothing follows

 private:
  std::string Filtered(std::string text, bool final);
  std::string Take(std::string_view text);
  std::string Labelled(std::string_view lines) const;
  void EndLine();

  const FlowOptions options_;
  const std::string prefix_;
  StreamMasker secrets_;
  TerminalFilter filter_;
  std::string pending_;  // filtered, not yet given out
};

}  // namespace awf::cli

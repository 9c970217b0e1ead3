// AssistantText: which part of what an agent has said is the output of its step, for CLIs that do not name it: the text
// after the last tool use, and when there is none, all of it, its pieces joined by blank lines.
//
// One object per attempt, one thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace awf::agents {

class AssistantText {
 public:
  // Goes on with the last piece.
  void Append(std::string_view text);
  // Text that follows is a new piece: another message, or another block of one.
  void EndPiece() { open_ = false; }
  // The agent uses a tool: what was said before is no longer the output, unless nothing follows.
  void ToolUsed();

  std::string Output() const;

 private:
  std::vector<std::string> pieces_;
  std::size_t since_tool_ = 0;  // pieces before the last tool use
  bool open_ = false;
};

}  // namespace awf::agents

#include "infrastructure/agents/assistant_text.h"

#include <span>

#include "domain/joined.h"

namespace awf::agents {
namespace {

constexpr std::string_view kBlankLine = "\n\n";

}  // namespace

void AssistantText::Append(std::string_view text) {
  if (text.empty()) return;
  if (!open_) pieces_.emplace_back();
  open_ = true;
  pieces_.back() += text;
}

void AssistantText::ToolUsed() {
  since_tool_ = pieces_.size();
  open_ = false;
}

std::string AssistantText::Output() const {
  const std::span<const std::string> all(pieces_);
  const bool silent = since_tool_ == pieces_.size();
  return Joined(silent ? all : all.subspan(since_tool_), kBlankLine);
}

}  // namespace awf::agents

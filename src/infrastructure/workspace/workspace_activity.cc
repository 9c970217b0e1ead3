#include "infrastructure/workspace/workspace_activity.h"

#include <algorithm>

namespace awf::workspace {
namespace {

// Tools that can write nothing but what they tell.
bool IsBound(const CallRecord& call) { return call.source == kBuiltinSource && call.tool != "Bash"; }

}  // namespace

void WorkspaceActivity::FreeHandBegins(const std::string& who, WallClock::time_point when) {
  const std::lock_guard lock(mutex_);
  open_[who] = spans_.size();
  spans_.push_back({when, std::nullopt});
}

void WorkspaceActivity::FreeHandEnds(const std::string& who) {
  const std::lock_guard lock(mutex_);
  const auto found = open_.find(who);
  if (found == open_.end()) return;
  spans_[found->second].end = WallClock::now();
  open_.erase(found);
}

void WorkspaceActivity::StepStarted(const StepContext& step, const StepStart& start) {
  const bool free_agent = step.kind == StepKind::kAgent && !(start.proxy && start.intercept);
  if (free_agent) FreeHandBegins(step.span_id, start.time);
}

void WorkspaceActivity::StepEnded(const StepContext& step, const StepEnd&) { FreeHandEnds(step.span_id); }

void WorkspaceActivity::CallStarted(const StepContext&, const CallRecord& call) {
  if (!IsBound(call)) FreeHandBegins(call.call, call.time);
}

void WorkspaceActivity::CallFinished(const StepContext&, const CallRecord& call, const CallEnd& end) {
  FreeHandEnds(call.call);
  if (!end.written) return;
  const std::lock_guard lock(mutex_);
  written_.insert(*end.written);
}

bool WorkspaceActivity::Wrote(const WrittenFile& file) const {
  const std::lock_guard lock(mutex_);
  return written_.contains(file);
}

std::optional<WallClock::time_point> WorkspaceActivity::FreeHandSince(WallClock::time_point begin) const {
  const std::lock_guard lock(mutex_);
  std::optional<WallClock::time_point> since;
  for (const Span& span : spans_) {
    if (span.end && *span.end < begin) continue;
    since = std::min(since.value_or(WallClock::time_point::max()), std::max(span.begin, begin));
  }
  return since;
}

}  // namespace awf::workspace

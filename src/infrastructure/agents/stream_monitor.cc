#include "infrastructure/agents/stream_monitor.h"

#include <algorithm>

namespace awf::agents {
namespace {

Error NotConnected(std::string message) {
  return {"EXECUTION.MCP_PROXY.NOT_CONNECTED", std::move(message), {}, {}, {}, {}};
}

}  // namespace

void StreamMonitor::Stop(Error why) {
  if (!stop_reason_) stop_reason_ = std::move(why);
}

void StreamMonitor::Announced(const std::vector<std::string>& tools, bool connected, std::string_view version) {
  if (!version.empty()) rules_.version = version;
  if (!rules_.proxy) return;
  if (!connected) return Stop(NotConnected(rules_.provider + " says that its MCP server is not connected"));
  if (rules_.intercept) {
    // The same list again is no news.
    if (!announced_.empty() && announced_ == tools) return;
    announced_ = tools;
    return Report(JudgeAnnouncement(tools, rules_.ours));
  }
  for (const std::string& name : rules_.ours) {
    if (std::ranges::find(tools, name) == tools.end()) {
      return Stop(NotConnected(rules_.provider + " does not offer " + name + "; a deny rule of the user may hide it"));
    }
  }
}

void StreamMonitor::Report(IsolationReport report) {
  report.provider = rules_.provider;
  report.version = rules_.version;
  report.verified = rules_.verified;
  report.probe_model = rules_.probe_model;
  // A native use that was seen outweighs every list.
  if (bypasses_ > 0) report.level = IsolationLevel::kCoexisting;
  level_ = report.level;
  observer_.IsolationKnown(rules_.step, report);
  if (rules_.required && report.level != IsolationLevel::kProven && bypasses_ == 0) {
    Stop({"USER.MCP_PROXY.UNSUPPORTED_PROVIDER",
          "isolation: required cannot be met by " + rules_.provider + " " + rules_.version + ": " + report.reason,
          "Use another version or provider, or drop isolation: required.",
          {},
          {},
          {}});
  }
}

void StreamMonitor::ReportClaim() {
  IsolationReport report;
  report.level = rules_.claim.level;
  report.reason = rules_.claim.reason;
  Report(std::move(report));
}

void StreamMonitor::VersionIs(std::string_view version, IsolationClaim claim) {
  rules_.version = version;
  rules_.claim = std::move(claim);
}

void StreamMonitor::ServerFailed(std::string_view why) {
  if (rules_.proxy) Stop(NotConnected(rules_.provider + " says that its MCP server failed: " + std::string(why)));
}

// A proof outweighs what a version promises, but not a list that lacks or holds what it should not.
void StreamMonitor::IsolationIs(IsolationLevel level, std::string_view reason) {
  if (level == IsolationLevel::kFlags && rules_.claim.level == IsolationLevel::kProven) return;
  rules_.claim = {level, std::string(reason)};
}

// Before its first word the model must have been offered our tools: the channel's events precede the MCP answers.
void StreamMonitor::ModelSpoke() {
  if (spoke_) return;
  spoke_ = true;
  if (!rules_.proxy) return;
  if (!connected_()) {
    return Stop(NotConnected(rules_.provider + " went on without ever having connected to its MCP server"));
  }
  if (rules_.intercept && !level_) ReportClaim();
}

void StreamMonitor::Text(std::string_view text) {
  ModelSpoke();
  text_bytes_ += text.size();
  observer_.AgentText(rules_.step, text);
}

void StreamMonitor::ToolUse(std::string_view id, std::string_view name, bool native, std::string_view event_type) {
  ModelSpoke();
  if (!native) ++our_uses_;
  if (native && rules_.intercept) {
    native_[std::string(id)] = {std::string(name), std::string(id), std::string(event_type), rules_.provider,
                                rules_.required};
  }
}

void StreamMonitor::ToolEnded(std::string_view id, bool /*is_error*/, bool refused) {
  const auto use = native_.find(id);
  if (use == native_.end()) return;
  if (refused) {
    observer_.NativeCallRefused(rules_.step, use->second);
  } else {
    Bypass(use->second);
  }
  native_.erase(use);
}

void StreamMonitor::Bypass(const NativeUse& use) {
  ++bypasses_;
  observer_.Bypassed(rules_.step, use);
  if (rules_.required) {
    Stop({"EXECUTION.MCP_PROXY.BYPASS",
          rules_.provider + " used its native tool " + use.tool + " although isolation: required",
          {},
          {},
          {},
          {}});
  }
  if (level_ != IsolationLevel::kCoexisting) {
    IsolationReport report;
    report.reason = "native tool used: " + use.tool;
    if (!announced_.empty()) report.announced = announced_;
    Report(std::move(report));
  }
}

void StreamMonitor::Message(const AgentMessage& message) {
  if (message.blocks.empty()) return;
  const auto is_result = [](const MessageBlock& block) { return block.type == "tool_result"; };
  if (std::ranges::any_of(message.blocks, is_result)) connected_();
  observer_.MessageSaid(rules_.step, message);
}

void StreamMonitor::PermissionDenied(std::string_view name) {
  ++denied_;
  observer_.Logged(&rules_.step, LogLevel::kWarn, "permission denied by the agent CLI",
                   json::object{{"provider", rules_.provider}, {"tool", name}});
}

void StreamMonitor::Tokens(const TokenUsage& usage) { observer_.TokensUsed(rules_.step, usage); }

void StreamMonitor::Finish(bool cancelled) {
  for (const auto& [id, use] : native_) Bypass(use);
  native_.clear();
  if (rules_.intercept && !level_ && !cancelled) ReportClaim();
}

void StreamMonitor::Doubt(std::string_view reason) {
  if (!rules_.intercept || level_ == IsolationLevel::kCoexisting) return;
  IsolationReport report;
  report.reason = reason;
  Report(std::move(report));
}

std::optional<Error> StreamMonitor::Failure() const {
  if (rules_.proxy && our_uses_ > 0 && denied_ >= our_uses_) {
    return Error{
        "EXECUTION.AGENT.FAILED",
        rules_.provider + " refused every tool call (" + std::to_string(denied_) + "), although the recipe allows them",
        "A managed policy of the CLI may forbid MCP tools.",
        {},
        {},
        {}};
  }
  return std::nullopt;
}

}  // namespace awf::agents

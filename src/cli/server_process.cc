#include "cli/server_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <utility>

#include "infrastructure/builtins/builtin_tool_provider.h"
#include "infrastructure/process/program_pages.h"
#include "infrastructure/regex/re2_regex.h"
#include "infrastructure/schema/argument_checker.h"

namespace awf::cli {
namespace {

// Sent by the kernel when the thread that started us ends: maybe the parent's last one, maybe not.
int ParentSignal() { return SIGRTMIN + 7; }

Error Fault(const mcp::Error& error) { return Error{"SYSTEM.INTERNAL.UNMAPPED", error.message, {}, {}, {}, {}}; }

}  // namespace

std::expected<std::unique_ptr<ServerProcess>, Error> ServerProcess::Begin() {
  std::unique_ptr<ServerProcess> process(new ServerProcess(::getppid()));
  auto transport = mcp::StdioTransport::TakeOver();
  if (!transport) return std::unexpected(Fault(transport.error()));
  process->transport_ = std::move(*transport);
  // A file size limit must show as an error of the write, not as our death.
  ::signal(SIGXFSZ, SIG_IGN);
  // Commands of the same user must not read keys and token from our memory or environment.
  ::prctl(PR_SET_DUMPABLE, 0);
  return process;
}

std::expected<void, Error> ServerProcess::StartCommandChild(const ToolSettings& tools) {
  builtins::CommandChildOptions options;
  options.restrict_programs = tools.sandbox.mode != SandboxMode::kOff;
  auto commands = builtins::CommandChild::Fork(std::move(options));
  if (!commands) return std::unexpected(std::move(commands).error());
  commands_ = std::move(*commands);
  auto signals = mcp::SignalSource::Block({SIGTERM, SIGINT, SIGHUP, ParentSignal()});
  if (!signals) return std::unexpected(Fault(signals.error()));
  signals_ = std::move(*signals);
  ::prctl(PR_SET_PDEATHSIG, ParentSignal());
  return {};
}

void ServerProcess::TakeSignals(McpProxyServer& server) {
  transport_->Watch(signals_->fd(), [this, &server] {
    while (const auto signal = signals_->Take()) {
      if (*signal == ParentSignal() && ::getppid() == parent_) continue;  // only a thread of it has ended
      server.Stop(mcp::EndReason::kSignal);
    }
    return true;
  });
  // It may have gone before the kernel was asked to tell.
  if (::getppid() != parent_) server.Stop(mcp::EndReason::kSignal);
}

McpProxyOptions ServerProcess::Options(const Service& service) {
  McpProxyOptions options;
  options.version = AWF_VERSION;
  options.instructions = service.instructions;
  options.result_size = service.tools.budget.characters;
  options.deadline = service.tools.deadline;
  options.capture_content = service.capture_content;
  options.on_cancel_running = [this] { commands_->CancelAll(); };
  options.on_kill_running = [this] { commands_->KillAll(); };
  // The keeper sees us go and ends what is left.
  options.on_overdue = [this] { ::_exit(parent_lost_ ? 3 : 0); };
  return options;
}

std::expected<ServerProcess::End, Error> ServerProcess::Serve(const Service& service) {
  const SchemaArgumentChecker checker;
  const Re2Compiler regex;
  const auto server = NewServer(checker, service.observer, Options(service));
  if (service.offer_builtins) {
    server->RegisterProvider(std::make_shared<builtins::BuiltinToolProvider>(service.tools, commands_, regex));
  }
  if (service.more_tools) server->RegisterProvider(service.more_tools);
  TakeSignals(*server);
  if (service.parent_fd >= 0) {
    transport_->Watch(service.parent_fd, [this, &server] {
      parent_lost_ = true;
      server->Stop(mcp::EndReason::kStopped);
      return false;
    });
  }
  DropProgramPages();
  if (auto end = server->ServeStdio(*transport_); !end) return std::unexpected(std::move(end).error());
  return parent_lost_ || !service.observer.Reachable() ? End::kParentLost : End::kOrderly;
}

}  // namespace awf::cli

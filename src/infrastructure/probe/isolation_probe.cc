#include "infrastructure/probe/isolation_probe.h"

#include <chrono>

#include "infrastructure/agents/cli_program.h"
#include "infrastructure/agents/environment.h"
#include "infrastructure/agents/stream_json.h"
#include "infrastructure/model_server/model_server.h"
#include "infrastructure/probe/probe_judge.h"
#include "infrastructure/probe/probe_observer.h"
#include "infrastructure/probe/probe_step.h"
#include "infrastructure/probe/probe_workspace.h"

namespace awf::probe {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kSlice{50};  // how soon a cancel is noticed while another probe runs

std::unexpected<Error> Cancelled() { return Fail("EXECUTION.RUN.CANCELLED", "the probe was cancelled"); }

std::unexpected<Error> OutOfTime(const AgentRequest& request) {
  return Fail("EXECUTION.AGENT.TIMEOUT",
              "the step ran into its timeout while the isolation of " + request.provider_as_written + " was probed",
              "Raise timeout of the state, or run awf doctor --probe " + request.provider_as_written + " before.");
}

fs::path TemporaryFolder(const std::vector<std::string>& environment) {
  const std::string folder = agents::Environment(environment).Get("TMPDIR");
  std::error_code error;
  return folder.starts_with('/') && fs::is_directory(folder, error) ? fs::path(folder) : fs::path("/tmp");
}

std::vector<SeenRequest> Seen(const std::vector<model_server::ModelRequest>& requests,
                              const model_server::ScriptedModel& model) {
  std::vector<SeenRequest> seen;
  seen.reserve(requests.size());
  for (const model_server::ModelRequest& request : requests) {
    seen.push_back({request.target, model.Offered(request), NamesOfTools(request.body), ToolAnswers(request.body)});
  }
  return seen;
}

// A CLI that cannot be started, or a machine that lacks something: nothing that a probe could judge.
bool IsNoEvidence(const Error& error) {
  return error.code == "EXECUTION.AGENT.NOT_INSTALLED" || error.code == "EXECUTION.RUN.CANCELLED" ||
         error.code.starts_with("SYSTEM.") || error.code.starts_with("USER.");
}

Evidence Collect(const agents::CliProvider& provider, const agents::ProbeTarget& target, const std::string& name,
                 const model_server::ModelServer& server, const ProbeWorkspace& workspace,
                 const ProbeObserver::Seen& seen, const StepResult& result) {
  Evidence evidence;
  evidence.provider = name;
  evidence.requests = Seen(server.requests(), *model_server::MakeScriptedModel(target.format, {}));
  evidence.unreadable = server.unreadable();
  for (const std::string& tool : seen.tools) evidence.ours[provider.offered_name(tool)] = tool;
  evidence.harmless.insert(target.harmless.begin(), target.harmless.end());
  for (const model_server::ScriptedCall& call : target.native_calls) evidence.native.push_back(call.tool);
  evidence.ran = seen.ran;
  evidence.announced = seen.announced;
  std::error_code error;
  evidence.mark = fs::exists(fs::symlink_status(workspace.mark(), error));
  evidence.changed = workspace.Changed();
  evidence.called = seen.called;
  evidence.read_ok = seen.read_ok;
  evidence.secret = workspace.secret();
  evidence.doubt = seen.doubt;
  evidence.failure = result.end.error;
  if (result.end.status == StepStatus::kTimeout) evidence.failure->message = name + " did not end in time";
  return evidence;
}

}  // namespace

IsolationProbe::IsolationProbe(agents::AgentHost host, std::chrono::milliseconds patience)
    : host_(std::move(host)), patience_(patience) {
  if (!host_.answers) host_.answers = std::make_shared<agents::ProgramAnswers>(host_.program);
}

std::expected<IsolationProbe::Subject, Error> IsolationProbe::SubjectOf(const AgentRequest& request) {
  const agents::CliProvider* provider = agents::FindCliProvider(request.provider);
  if (provider == nullptr) {
    return Fail("USER.PROVIDER.UNKNOWN", request.provider_as_written + " starts no program that could be probed");
  }
  agents::Environment environment(host_.environment);
  environment.UnsetPrefix("AWF_");
  if (const json::object* variables = agents::ObjectAt(request.options, "env")) {
    for (const auto& [name, value] : *variables) environment.Set(name, agents::OptionText(*variables, name));
  }
  const auto program = agents::CliProgram(host_, *provider, environment.Get("PATH"));
  if (!program) return std::unexpected(program.error());
  const std::string version =
      host_.answers->Version(*program, environment.Block(), request.cancelled, request.deadline).value_or("");
  Subject subject{provider, agents::ProofKeyOf(*provider, *program, version, request, host_.environment), {}};
  subject.key.intercept = true;
  subject.digest = subject.key.Digest();
  if (subject.digest.empty()) {
    return Fail("EXECUTION.AGENT.NOT_INSTALLED", program->string() + " cannot be looked at any more");
  }
  return subject;
}

std::expected<agents::ProbeReport, Error> IsolationProbe::Prove(const AgentRequest& request) {
  const auto subject = SubjectOf(request);
  if (!subject) return std::unexpected(subject.error());
  // The version may be unknown only for this.
  if (request.cancelled.stop_requested()) return Cancelled();
  if (Passed(request.deadline)) return OutOfTime(request);
  std::shared_ptr<Turn> turn;
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Turn>& known = turns_[subject->digest];
    if (!known) known = std::make_shared<Turn>();
    turn = known;
  }
  const auto finished = [&] {
    const std::lock_guard lock(turn->guard);
    return turn->finished;
  };
  const int before = finished();
  std::unique_lock running(turn->running, std::defer_lock);
  while (!running.try_lock_for(kSlice)) {
    if (request.cancelled.stop_requested()) return Cancelled();
    if (Passed(request.deadline)) return OutOfTime(request);
  }
  if (finished() != before || turn->unkept) return turn->last;
  auto report = Drive(*subject, request);
  if (!report) return report;
  // What was probed is what was there before: a CLI may update itself meanwhile.
  if (report->proven && subject->key.Digest() != subject->digest) {
    report->proven = false;
    report->reason = subject->key.program.string() + " was changed while it was probed";
  }
  turn->last = *report;
  report->not_kept = Keep(*subject, report->proven);
  turn->unkept = report->proven && !report->not_kept.empty();
  const std::lock_guard lock(turn->guard);
  ++turn->finished;
  return report;
}

std::string IsolationProbe::Keep(const Subject& subject, bool proven) {
  const auto kept = proven ? host_.proofs.Add(subject.key) : host_.proofs.Remove(subject.key);
  return kept ? std::string() : kept.error().message;
}

std::expected<agents::ProbeReport, Error> IsolationProbe::Drive(const Subject& subject, const AgentRequest& request) {
  const agents::CliProvider& provider = *subject.provider;
  auto workspace = ProbeWorkspace::Make(host_.program, TemporaryFolder(host_.environment));
  if (!workspace) return std::unexpected(workspace.error());
  // The address comes with the server, the script with the target: a first target tells the tools to call.
  const agents::ProbeTarget script_target = provider.probe("http://127.0.0.1:1", (*workspace)->mark());
  auto server = model_server::ModelServer::Start(
      model_server::MakeScriptedModel(script_target.format, ProbeScript(provider, script_target, **workspace)));
  if (!server) return std::unexpected(server.error());
  const agents::ProbeTarget target = provider.probe((*server)->origin(), (*workspace)->mark());

  agents::AgentHost host = host_;
  host.environment = ProbeEnvironment(host_.environment, target);
  host.tracing = {};
  host.prover = nullptr;
  host.proofs = agents::ProbeProofs::Assumed();
  ProbeObserver observer;
  agents::AgentRunner runner(std::move(host));
  const StepResult result = runner.Run(
      ProbeRequest(request, provider, target, (*workspace)->path(), SteadyClock::now() + patience_), observer);
  if (request.cancelled.stop_requested()) return Cancelled();
  if (result.end.error && IsNoEvidence(*result.end.error)) return std::unexpected(*result.end.error);

  const Evidence evidence =
      Collect(provider, target, request.provider_as_written, **server, **workspace, observer.seen(), result);
  agents::ProbeReport report = Judge(evidence);
  // Whatever is missing then may be so for want of time.
  if (!report.proven && Passed(request.deadline)) return OutOfTime(request);
  report.provider = request.provider_as_written;
  report.version = result.end.provider_version.empty() ? subject.key.version : result.end.provider_version;
  return report;
}

}  // namespace awf::probe

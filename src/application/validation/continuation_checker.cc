#include "application/validation/continuation_checker.h"

#include <algorithm>
#include <utility>

#include "application/language/conversations.h"
#include "application/language/provider_options.h"
#include "application/language/template.h"

namespace awf {
namespace {

constexpr std::string_view kInvalid = "WORKFLOW.PARSE.INVALID_VALUE";
constexpr std::string_view kForward = "WORKFLOW.VALIDATION.FORWARD_REFERENCE";

std::string LiteralProvider(const State& state) {
  const TemplateText& provider = std::get<AgentState>(state.body).provider;
  if (provider.empty() || HasTemplate(provider.text)) return {};
  return ResolveProvider(provider.text).value_or("");
}

std::string Quoted(const State& state) { return "'" + state.name + "'"; }

}  // namespace

void ContinuationChecker::Check() {
  const std::vector<std::string> conversations = ConversationsOf(workflow_);
  std::vector<Link> in_branches;
  for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
    const auto* agent = std::get_if<AgentState>(&At(i).body);
    if (agent == nullptr || !agent->continue_from) continue;
    const auto source = graph_.index().Find(agent->continue_from->state);
    if (!source || At(*source).partial) continue;
    Link link{i, *source, *agent->continue_from, LiteralProvider(At(i)), conversations[i]};
    if (!std::holds_alternative<AgentState>(At(*source).body)) {
      Report(link, Severity::kError, kInvalid,
             "state " + Quoted(At(*source)) + " is no agent step, so it has no conversation to go on with",
             "name a state of type agent");
      continue;
    }
    Provider(link);
    if (graph_.Complete()) Order(link);
    if (!IsInBranch(i)) continue;
    std::ranges::any_of(in_branches, [&](const Link& other) { return SameTime(link, other); });
    in_branches.push_back(std::move(link));
  }
}

void ContinuationChecker::Provider(const Link& link) {
  const std::string& own = link.provider;
  const std::string other = LiteralProvider(At(link.source));
  if (own.empty() || other.empty() || own == other) return;
  Report(link, Severity::kError, kInvalid,
         "the provider of " + Quoted(At(link.state)) + " is " + own + ", that of " + Quoted(At(link.source)) + " is " +
             other + ": it cannot go on with that conversation",
         "give both the same provider, or put what the first one said into the prompt");
}

// As for a text that reads the result of the state. A state that goes on from itself begins the conversation when it
// is entered for the first time, so it needs a second time only.
void ContinuationChecker::Order(const Link& link) {
  if (!order_) order_.emplace(graph_);
  const auto nodes = graph_.NodesAt(link.state, Moment::kBefore);
  if (!order_->IsReached(nodes)) return;
  const State& state = At(link.state);
  const State& source = At(link.source);
  if (const auto parallel = graph_.containment().ParallelBetween(link.source, link.state)) {
    return Report(link, Severity::kError, kForward,
                  "state " + Quoted(source) + " runs at the same time as " + Quoted(state) + ", in another branch of " +
                      Quoted(At(*parallel)),
                  "a conversation can be gone on with when the parallel state has ended");
  }
  if (order_->HasEnded(link.source, nodes, false)) return;
  const bool itself = link.source == link.state;
  if (!order_->CanHaveEnded(link.source, nodes, false)) {
    return Report(link, Severity::kError, kForward,
                  itself ? "state " + Quoted(state) + " goes on from itself, but runs only once"
                         : "state " + Quoted(source) + " can never have run before " + Quoted(state),
                  itself ? "put it into a loop, or leave 'conversation' out" : "");
  }
  if (itself) return;
  Report(link, Severity::kWarning, kForward,
         "on some ways to " + Quoted(state) + " the state " + Quoted(source) +
             " has not run: there is no conversation to go on with, and the step fails",
         "let " + Quoted(source) + " run before it on every way");
}

bool ContinuationChecker::IsInBranch(std::size_t state) const {
  const Containment& containment = graph_.containment();
  for (std::optional<std::size_t> at = state; at; at = containment.ContainerOf(*at)) {
    if (containment.IsBranch(*at)) return true;
  }
  return false;
}

// Whether the two do, which has been told then.
bool ContinuationChecker::SameTime(const Link& link, const Link& other) {
  const std::string& provider = link.provider;
  if (provider.empty() || LeavesSessionsAsTheyAre(provider) || link.conversation != other.conversation) return false;
  const auto parallel = graph_.containment().ParallelBetween(link.state, other.state);
  if (!parallel || std::get<ParallelState>(At(*parallel).body).max_concurrent == 1) return false;
  Report(link, Severity::kError, kInvalid,
         Quoted(At(other.state)) + " and " + Quoted(At(link.state)) + " run at the same time in " +
             Quoted(At(*parallel)) + " and go on with the same conversation, of which " + provider + " keeps one only",
         "set max_concurrent: 1, or let them run one after the other");
  return true;
}

void ContinuationChecker::Report(const Link& link, Severity severity, std::string_view code, std::string message,
                                 std::string hint) {
  findings_.push_back({severity,
                       {std::string(code), std::move(message), std::move(hint), link.target.position,
                        At(link.state).name, "conversation.continue_from"}});
}

}  // namespace awf

#include "application/validation/state_graph.h"

#include <algorithm>
#include <map>
#include <utility>

namespace awf {
namespace {

// A list as written that its limit lets pass: the body runs at least once.
bool SurelyRuns(const ForEachState& loop) {
  const auto* items = std::get_if<json::array>(&loop.items);
  const auto* limit = std::get_if<int>(&loop.max_iterations);
  return items != nullptr && !items->empty() && limit != nullptr && items->size() <= static_cast<std::size_t>(*limit);
}

}  // namespace

StateGraph::StateGraph(const Workflow& workflow)
    : workflow_(workflow),
      index_(workflow),
      containment_(workflow, index_),
      inline_failure_(workflow.states.size()),
      initial_(index_.Find(workflow.initial.state)) {
  MakeNodes();
  complete_ = initial_.has_value() && containment_.findings().empty() && !containment_.ContainerOf(*initial_);
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    complete_ = complete_ && !workflow.states[i].partial;
    ConnectInside(i);
    ConnectOnward(i);
  }
}

void StateGraph::MakeNodes() {
  for (std::size_t i = 0; i < workflow_.states.size(); ++i) {
    const State& state = workflow_.states[i];
    entries_.push_back(state_of_.size());
    state_of_.insert(state_of_.end(), IsLoop(state) ? 4 : IsParallel(state) ? 2 : 1, i);
  }
  edges_.resize(state_of_.size());
  size_ = edges_.size();
}

StateGraph::Node StateGraph::DoneOf(std::size_t state) const {
  const State& at = workflow_.states[state];
  return EntryOf(state) + (IsLoop(at) ? 2 : IsParallel(at) ? 1 : 0);
}

StateGraph::Node StateGraph::FailedOf(std::size_t state) const {
  return IsLoop(workflow_.states[state]) ? EntryOf(state) + 3 : DoneOf(state);
}

void StateGraph::Connect(Node from, Node to, Kind kind) {
  edges_[from].push_back({to, kind});
  ++size_;
}

void StateGraph::ConnectTarget(std::size_t state, Node from, const StateTarget& target, Kind kind) {
  const auto to = index_.Find(target.state);
  if (!to || !containment_.findings().empty() || containment_.WayTo(state, *to) != Containment::Way::kOpen) {
    complete_ = false;
    return;
  }
  // A loop around the state is gone on with: its next pass.
  Connect(from, containment_.Holds(*to, state) ? PassEndOf(*to) : EntryOf(*to), kind);
}

// From the begin of a loop or parallel state to its members, and from there to its end where no member leads.
void StateGraph::ConnectInside(std::size_t state) {
  const State& at = workflow_.states[state];
  const auto members = MembersOf(at);
  // As a node, or nothing: g++ 12 takes an optional index for uninitialised in optimised builds.
  const auto entry_or = [&](Node otherwise) {
    const auto first = members.empty() ? std::optional<std::size_t>() : index_.Find(members[0].state);
    return first.has_value() ? EntryOf(first.value()) : otherwise;
  };
  for (const StateTarget& member : members) complete_ = complete_ && index_.Find(member.state).has_value();
  if (const auto* loop = std::get_if<ForEachState>(&at.body)) {
    const Node body = entry_or(PassEndOf(state));
    Connect(EntryOf(state), body, Kind::kSuccess);
    if (!SurelyRuns(*loop)) {
      Connect(EntryOf(state), DoneOf(state), Kind::kSuccess);
      Connect(EntryOf(state), FailedOf(state), Kind::kLost);
    }
    Connect(PassEndOf(state), body, Kind::kSuccess);
    Connect(PassEndOf(state), DoneOf(state), Kind::kSuccess);
    Connect(PassEndOf(state), FailedOf(state), Kind::kLost);
  } else if (IsParallel(at)) {
    Connect(EntryOf(state), entry_or(DoneOf(state)), Kind::kSuccess);
  }
}

void StateGraph::ConnectOnward(std::size_t state) {
  const State& at = workflow_.states[state];
  if (IsTerminal(at)) return;
  if (containment_.IsBranch(state)) return ConnectBranch(state);
  if (!ConnectTransitions(state)) return;
  const auto next_in_body = NextInBody(state);
  const auto follow_success = [&](Node from, Kind kind) {
    if (at.on_success) {
      ConnectTarget(state, from, *at.on_success, kind);
    } else if (next_in_body) {
      Connect(from, *next_in_body, kind);
    }
  };
  follow_success(DoneOf(state), Kind::kSuccess);
  if (at.continue_on_error && (at.on_success || next_in_body)) {
    return follow_success(FailedOf(state), Kind::kFailure);
  }
  if (!at.on_failure) {
    if (next_in_body) Connect(FailedOf(state), FailedOf(*containment_.ContainerOf(state)), Kind::kLost);
  } else if (const auto* target = std::get_if<StateTarget>(&*at.on_failure)) {
    ConnectTarget(state, FailedOf(state), *target, Kind::kFailure);
  } else {
    inline_failure_[state] = true;
  }
}

void StateGraph::ConnectBranch(std::size_t state) {
  const std::size_t parallel = *containment_.ContainerOf(state);
  const Node target = NextMemberOr(state, parallel, DoneOf(parallel));
  Connect(DoneOf(state), target, Kind::kSuccess);
  if (FailedOf(state) != DoneOf(state)) Connect(FailedOf(state), target, Kind::kSuccess);
}

bool StateGraph::ConnectTransitions(std::size_t state) {
  for (const Transition& transition : workflow_.states[state].transitions) {
    ConnectTarget(state, DoneOf(state), transition.target, Kind::kSuccess);
    if (FailedOf(state) != DoneOf(state)) {
      ConnectTarget(state, FailedOf(state), transition.target, Kind::kSuccess);
    }
    if (transition.when.empty()) return false;
  }
  return true;
}

std::optional<StateGraph::Node> StateGraph::NextInBody(std::size_t state) const {
  const auto loop = containment_.ContainerOf(state);
  if (!loop) return std::nullopt;
  return NextMemberOr(state, *loop, PassEndOf(*loop));
}

StateGraph::Node StateGraph::NextMemberOr(std::size_t state, std::size_t container, Node otherwise) const {
  const auto members = MembersOf(workflow_.states[container]);
  const std::size_t next = containment_.RankOf(state) + 1;
  const auto follower = next < members.size() ? index_.Find(members[next].state) : std::nullopt;
  return follower ? EntryOf(*follower) : otherwise;
}

std::vector<StateGraph::Node> StateGraph::NodesAt(std::size_t state, Moment moment) const {
  switch (moment) {
    case Moment::kBefore:
      return {EntryOf(state)};
    case Moment::kPassEnd:
      return {IsLoop(workflow_.states[state]) ? PassEndOf(state) : EntryOf(state)};
    case Moment::kAfterFailure:
      return {FailedOf(state)};
    case Moment::kAfter:
      break;
  }
  if (FailedOf(state) == DoneOf(state)) return {DoneOf(state)};
  return {DoneOf(state), FailedOf(state)};
}

void StateGraph::Visit(std::vector<Node> pending, std::vector<bool>& seen) const {
  while (!pending.empty()) {
    const Node node = pending.back();
    pending.pop_back();
    if (seen[node]) continue;
    seen[node] = true;
    for (const Edge& edge : edges_[node]) {
      if (!seen[edge.target]) pending.push_back(edge.target);
    }
  }
}

std::vector<bool> StateGraph::ReachedFromInitial(std::span<const Node> avoided) const {
  std::vector<bool> seen(edges_.size());
  for (const Node node : avoided) seen[node] = true;
  if (initial_) Visit({EntryOf(*initial_)}, seen);
  for (const Node node : avoided) seen[node] = false;
  return seen;
}

std::vector<bool> StateGraph::ReachedFrom(Node node) const {
  std::vector<bool> seen(edges_.size());
  std::vector<Node> next;
  for (const Edge& edge : edges_[node]) next.push_back(edge.target);
  Visit(std::move(next), seen);
  return seen;
}

std::vector<std::vector<StateGraph::Node>> StateGraph::Successors() const {
  std::vector<std::vector<Node>> successors(edges_.size());
  for (Node node = 0; node < edges_.size(); ++node) {
    for (const Edge& edge : edges_[node]) successors[node].push_back(edge.target);
  }
  return successors;
}

std::vector<StateGraph::Node> StateGraph::OrderByEnd() const {
  std::vector<Node> order;
  std::vector<bool> seen(edges_.size());
  for (Node root = 0; root < edges_.size(); ++root) {
    std::vector<std::pair<Node, std::size_t>> path;  // node, next edge
    if (!seen[root]) path.emplace_back(root, 0);
    seen[root] = true;
    while (!path.empty()) {
      auto& [node, edge] = path.back();
      if (edge == edges_[node].size()) {
        order.push_back(node);
        path.pop_back();
        continue;
      }
      const Node target = edges_[node][edge++].target;
      if (!seen[target]) path.emplace_back(target, 0);
      seen[target] = true;
    }
  }
  return order;
}

// By Kosaraju's two passes, without recursion.
std::vector<std::size_t> StateGraph::Components() const {
  const std::size_t count = edges_.size();
  std::vector<std::vector<Node>> backward(count);
  for (Node node = 0; node < count; ++node) {
    for (const Edge& edge : edges_[node]) backward[edge.target].push_back(node);
  }
  const std::vector<Node> order = OrderByEnd();
  std::vector<std::size_t> component(count, count);
  std::size_t number = 0;
  for (auto root = order.rbegin(); root != order.rend(); ++root) {
    if (component[*root] != count) continue;
    std::vector<Node> pending = {*root};
    while (!pending.empty()) {
      const Node node = pending.back();
      pending.pop_back();
      if (component[node] != count) continue;
      component[node] = number;
      pending.insert(pending.end(), backward[node].begin(), backward[node].end());
    }
    ++number;
  }
  return component;
}

bool StateGraph::IsCycle(std::span<const Node> members) const {
  return members.size() > 1 ||
         std::ranges::find(edges_[members[0]], members[0], &Edge::target) != edges_[members[0]].end();
}

// Those that begin within, but not what is inside of one of them.
std::vector<std::size_t> StateGraph::StatesOf(std::span<const Node> members,
                                              std::span<const std::size_t> components) const {
  std::vector<std::size_t> states;
  for (const Node node : members) {
    const std::size_t state = state_of_[node];
    const auto container = containment_.ContainerOf(state);
    const bool inside = container && components[EntryOf(*container)] == components[node];
    if (node == EntryOf(state) && !inside) states.push_back(state);
  }
  return states;
}

bool StateGraph::IsRouted(Node failed_loop) const {
  return inline_failure_[state_of_[failed_loop]] || std::ranges::any_of(edges_[failed_loop], [&](const Edge& edge) {
           return edge.kind != Kind::kLost || IsRouted(edge.target);
         });
}

std::vector<StateGraph::Cycle> StateGraph::EndlessCycles() const {
  const std::vector<std::size_t> component = Components();
  const std::vector<bool> reached = ReachedFromInitial();
  std::map<std::size_t, std::vector<Node>> members;
  for (Node node = 0; node < component.size(); ++node) {
    if (reached[node]) members[component[node]].push_back(node);
  }
  std::vector<Cycle> cycles;
  for (const auto& [number, nodes] : members) {
    if (!IsCycle(nodes)) continue;
    bool success = false, failure = false;
    for (const Node node : nodes) {
      const std::size_t state = state_of_[node];
      failure = failure || (node == FailedOf(state) && inline_failure_[state]);
      for (const Edge& edge : edges_[node]) {
        if (component[edge.target] == number) continue;
        success = success || edge.kind == Kind::kSuccess;
        failure = failure || edge.kind == Kind::kFailure || (edge.kind == Kind::kLost && IsRouted(edge.target));
      }
    }
    if (!success) cycles.push_back({StatesOf(nodes, component), failure});
  }
  return cycles;
}

}  // namespace awf

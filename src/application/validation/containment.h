// Which state stands inside which: the body states of loops, the branches of parallel states.
//
// A state belongs to one container at most, none contains itself, loops and parallel states nest to a depth of 10 each.
// Constant after construction; holds indices into Workflow::states, which outlives it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "application/validation/state_index.h"
#include "domain/workflow.h"

namespace awf {

inline constexpr std::size_t kMaxNesting = 10;

// The states that a loop or a parallel state holds, in order; none for other states.
std::span<const StateTarget> MembersOf(const State& state);
bool IsLoop(const State& state);
bool IsParallel(const State& state);
bool IsTerminal(const State& state);

class Containment {
 public:
  Containment(const Workflow& workflow, const StateIndex& index);

  // What breaks the rules above. Unless there is nothing, the answers below are a guess.
  const std::vector<Finding>& findings() const { return findings_; }

  std::optional<std::size_t> ContainerOf(std::size_t state) const { return places_[state].container; }
  // Among the members of its container.
  std::size_t RankOf(std::size_t state) const { return places_[state].rank; }
  // How many loops stand around it.
  std::size_t LoopsAround(std::size_t state) const { return places_[state].loops; }
  bool IsBranch(std::size_t state) const;
  // Whether the state lies inside of that container, at whatever depth.
  bool Holds(std::size_t container, std::size_t state) const;
  // The parallel state that has both in it, in two different branches.
  std::optional<std::size_t> ParallelBetween(std::size_t one, std::size_t other) const;

  enum class Way { kOpen, kIntoContainer, kOutOfParallel };
  // Whether the state `from`, no branch itself, may hand over to `to`: within its list, to the loop around it, to what
  // stands beside that loop, and so on outwards.
  Way WayTo(std::size_t from, std::size_t to) const;

 private:
  struct Place {
    std::optional<std::size_t> container;
    const StateTarget* mention = nullptr;  // where the container names it
    std::size_t rank = 0;
    std::size_t loops = 0, parallels = 0;  // around it
  };
  void Enter(std::size_t container, const StateIndex& index);
  void BreakCircles();
  void MeasureDepth();
  void Report(const StateTarget& mention, std::size_t container, std::string message, std::string hint);

  const Workflow& workflow_;
  std::vector<Place> places_;
  std::vector<Finding> findings_;
};

}  // namespace awf

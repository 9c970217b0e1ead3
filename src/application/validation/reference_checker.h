// Checks at load that a name in a template or an expression can mean something: that the namespace, the input, the
// state, the field exist, in that spelling, and that the state can have run by then.
//
// One checker for both languages, so that both give the same answers. Findings go to the list given; used by one
// thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "application/validation/name_hints.h"
#include "application/validation/state_graph.h"
#include "application/validation/state_order.h"
#include "domain/workflow.h"

namespace awf {

// Where a text with references stands.
struct ReferencePlace {
  const State& state;
  std::string field;
  Moment moment = Moment::kBefore;  // when it is evaluated; after a failure `error` is there
  bool is_command = false;          // goes to a shell: agents' words want escaping
  bool may_be_null = false;         // expressions: a state that has not run reads as null, which is no fault
};

// One reference in it.
struct Reference {
  std::size_t offset = 0;
  std::span<const std::string> path;  // namespace first
  bool has_default = false;           // a missing value is provided for
  bool printed = false;               // as it is: a whole namespace or state is no text
  bool order_known = false;           // through a variable: whether the state can have run was looked at before
};

class ReferenceChecker {
 public:
  // All outlive the checker.
  ReferenceChecker(const Workflow& workflow, const StateGraph& graph, std::vector<Finding>& findings);

  // Whether its value is, or holds, the words of an agent.
  bool Check(const TemplateText& text, const ReferencePlace& place, const Reference& reference);

  // Whether a text since the last call read the Status or the ExitCode of the state that it belongs to.
  bool TakeOutcomeRead() { return std::exchange(outcome_read_, false); }

  // Findings at a byte of the text.
  void Report(Severity severity, std::string_view code, const TemplateText& text, const ReferencePlace& place,
              std::size_t offset, std::string message, std::string hint);
  void UnknownFunction(const TemplateText& text, const ReferencePlace& place, std::size_t offset,
                       const std::string& name, std::span<const std::string> functions);

 private:
  struct Spot {
    const TemplateText& text;
    const ReferencePlace& place;
    const Reference& reference;
  };
  struct CaptureOrigin {
    const State* state;
    bool agents_words;
  };
  void UnknownNamespace(const Spot& spot);
  void Input(const Spot& spot);
  bool Capture(const Spot& spot);
  void Loop(const Spot& spot);
  void Failure(const Spot& spot);
  // A key of a namespace whose keys are fixed, at path[at], and no more behind it.
  void Key(const Spot& spot, std::size_t at);
  bool StateValue(const Spot& spot);
  bool FieldExists(const Spot& spot, const State& state);
  void ContainerField(const Spot& spot, const State& state);
  void NoFieldsBehind(const Spot& spot, std::size_t length);
  void Order(const Spot& spot, const State& referred);
  void Undefined(const Spot& spot, std::string message, std::string hint);

  const Workflow& workflow_;
  const StateGraph& graph_;
  std::vector<Finding>& findings_;
  std::vector<std::string> input_names_, capture_names_;
  std::unordered_map<std::string_view, CaptureOrigin> captures_;
  StateOrder order_;
  NameHints hints_;
  bool outcome_read_ = false;
};

}  // namespace awf

#include "cli/dry_run_text.h"

#include <utility>
#include <vector>

#include "application/language/duration.h"
#include "cli/finding_text.h"
#include "cli/run_setup.h"
#include "domain/joined.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

// As a shell would take it, so that an empty argument is seen.
std::string Quoted(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789-_./:=,@%+") == std::string::npos;
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string RetryText(const RetryPolicy& retry) {
  static constexpr const char* kNames[] = {"constant", "linear", "exponential"};
  return "at most " + std::to_string(retry.max_attempts) + " attempts, first wait " +
         awf::FormatDuration(retry.initial_delay) + ", " + kNames[static_cast<int>(retry.backoff)];
}

class TextWriter {
 public:
  explicit TextWriter(const Masker& masker) : masker_(masker) {}

  void Line(const std::string& text) { out_ += Safe(text) + "\n"; }

  // "  name: text", further lines of the text below it.
  void Fact(const std::string& name, const std::string& text) {
    if (text.empty()) return;
    std::string shown = Safe(text);
    while (shown.ends_with('\n')) shown.pop_back();
    if (shown.find('\n') == std::string::npos) {
      out_ += "  " + name + ": " + shown + "\n";
      return;
    }
    out_ += "  " + name + ":\n    ";
    for (const char c : shown) {
      out_ += c;
      if (c == '\n') out_ += "    ";
    }
    out_ += "\n";
  }

  void State(const PlannedState& state) {
    Line("\n" + state.path + " (" + std::string(ToString(state.kind)) + ")");
    Fact("description", state.description);
    for (const PlannedText& text : state.texts)
      Fact(text.field, text.text + (text.fault.empty() ? "" : "\n(as written: " + text.fault + ")"));
    if (state.kind == StepKind::kParallel) Fact("branches", Joined(state.holds, ", "));
    if (state.kind == StepKind::kForEach) Fact("body", Joined(state.holds, ", "));
    if (state.agent) Agent(*state.agent);
    Fact("timeout", state.timeout);
    if (state.retry.max_attempts > 1) Fact("retry", RetryText(state.retry));
    for (const PlannedTarget& target : state.targets) Fact(target.when, "→ " + target.goes);
    for (const std::string& note : state.notes) Fact("note", note);
  }

  std::string Text() { return std::move(out_); }

 private:
  void Agent(const AgentPreview& agent) {
    Fact("model", agent.model);
    std::string argv;
    for (const std::string& word : agent.argv) argv += (argv.empty() ? "" : " ") + Quoted(word);
    Fact("argv", argv);
    Fact("sets", Joined(agent.set_env, ", "));
    Fact("unsets", Joined(agent.unset_env, ", "));
    std::vector<std::string> files;
    files.reserve(agent.files.size());
    for (const PrivateFile& file : agent.files)
      files.push_back(file.name + " (" + std::to_string(file.contents.size()) + " bytes)");
    Fact("files", Joined(files, ", "));
    const bool in_awf = agent.argv.empty();  // then there are no tools but ours
    Fact("tools", !agent.tools.empty() ? Joined(agent.tools, ", ") : in_awf ? "none" : "the provider's own");
    if (agent.isolation) Fact("isolation", std::string(ToString(*agent.isolation)) + " at best");
    for (const std::string& note : agent.notes) Fact("note", note);
  }

  std::string Safe(const std::string& text) const {
    TerminalFilter filter;
    std::string safe = filter.Feed(masker_.MaskText(text));
    return safe + filter.Flush();
  }

  const Masker& masker_;
  std::string out_;
};

json::object InputsOf(const LoadedRun& run, const Masker& masker) {
  const std::set<std::string> secret = SecretInputs(run.workflow, masker.names());
  json::object inputs;
  for (const auto& [name, value] : run.inputs)
    inputs[name] = secret.contains(std::string(name)) ? json::value(std::string(kMask)) : masker.MaskJson(value);
  return inputs;
}

class JsonWriter {
 public:
  explicit JsonWriter(const Masker& masker) : masker_(masker) {}

  json::object State(const PlannedState& state) const {
    json::object texts, faults;
    for (const PlannedText& text : state.texts) {
      texts[text.field] = Masked(text.text);
      if (!text.fault.empty()) faults[text.field] = Masked(text.fault);
    }
    json::array targets;
    for (const PlannedTarget& target : state.targets)
      targets.push_back({{"when", Masked(target.when)}, {"goes", Masked(target.goes)}});
    json::object out{{"name", state.name},           {"path", state.path},
                     {"type", ToString(state.kind)}, {"fields", std::move(texts)},
                     {"timeout", state.timeout},     {"max_attempts", state.retry.max_attempts},
                     {"targets", std::move(targets)}};
    if (!state.description.empty()) out["description"] = Masked(state.description);
    if (!faults.empty()) out["unrendered"] = std::move(faults);
    if (!state.holds.empty()) out["holds"] = List(state.holds);
    if (state.agent) out["agent"] = Agent(*state.agent);
    if (!state.notes.empty()) out["notes"] = List(state.notes);
    return out;
  }

  json::array List(const std::vector<std::string>& words) const {
    json::array list;
    for (const std::string& word : words) list.emplace_back(Masked(word));
    return list;
  }

 private:
  json::string Masked(const std::string& text) const { return JsonText(masker_.MaskText(text)); }

  // Files of a CLI are mostly JSON: what stands under a key that speaks of a secret is masked too.
  json::value Contents(const std::string& text) const {
    boost::system::error_code fault;
    const json::value value = json::parse(text, fault);
    return fault ? json::value(Masked(text)) : masker_.MaskJson(value);
  }

  json::object Agent(const AgentPreview& agent) const {
    json::object files;
    for (const PrivateFile& file : agent.files) files[file.name] = Contents(file.contents);
    json::object out{{"provider", agent.provider},      {"model", Masked(agent.model)},
                     {"argv", List(agent.argv)},        {"sets", List(agent.set_env)},
                     {"unsets", List(agent.unset_env)}, {"files", std::move(files)},
                     {"tools", List(agent.tools)},      {"isolation", nullptr},
                     {"notes", List(agent.notes)}};
    if (agent.isolation) out["isolation"] = ToString(*agent.isolation);
    return out;
  }

  const Masker& masker_;
};

}  // namespace

std::string DryRunText(const RunPlan& plan, const LoadedRun& run, const Masker& masker) {
  TextWriter writer(masker);
  writer.Line("dry run of " + run.workflow.name + " (" + run.workflow.file + "): nothing is started or written");
  for (const auto& [name, value] : InputsOf(run, masker))
    writer.Fact("input " + std::string(name),
                value.is_string() ? std::string(value.get_string()) : json::serialize(value));
  for (const PlannedState& state : plan.states) writer.State(state);
  if (!plan.not_walked.empty())
    writer.Line("\nnot walked, since every state is taken to succeed: " + Joined(plan.not_walked, ", "));
  return writer.Text();
}

json::object DryRunJson(const RunPlan& plan, const LoadedRun& run, const Masker& masker) {
  const JsonWriter writer(masker);
  json::array states;
  for (const PlannedState& state : plan.states) states.emplace_back(writer.State(state));
  return {{"workflow", JsonText(run.workflow.name)},   {"version", JsonText(run.workflow.version)},
          {"file", JsonText(run.workflow.file)},       {"dry_run", true},
          {"inputs", InputsOf(run, masker)},           {"states", std::move(states)},
          {"not_walked", writer.List(plan.not_walked)}};
}

}  // namespace awf::cli

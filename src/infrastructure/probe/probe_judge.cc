#include "infrastructure/probe/probe_judge.h"

#include <algorithm>

namespace awf::probe {
namespace {

template <typename Names>
std::string Listed(const Names& names) {
  constexpr int kShown = 8;
  std::string text;
  int count = 0;
  for (const std::string& name : names) {
    if (++count > kShown) continue;
    text += (text.empty() ? "" : ", ") + name;
  }
  return count > kShown ? text + " and " + std::to_string(count - kShown) + " more" : text;
}

// Every name that any request offers. What a request of unknown kind names may reach another model: it counts too.
std::set<std::string> AllOffered(const Evidence& evidence) {
  std::set<std::string> names;
  for (const SeenRequest& request : evidence.requests) {
    if (request.offered) names.insert(request.offered->begin(), request.offered->end());
    if (!request.offered) names.insert(request.named.begin(), request.named.end());
  }
  return names;
}

std::set<std::string> Foreign(const Evidence& evidence) {
  std::set<std::string> foreign = AllOffered(evidence);
  std::erase_if(foreign, [&](const std::string& name) {
    return evidence.ours.contains(name) || evidence.harmless.contains(name);
  });
  return foreign;
}

// Requests that offer no tools at all are side requests: a title, a summary.
std::string DoubtOfOffers(const Evidence& evidence) {
  bool any = false;
  for (const SeenRequest& request : evidence.requests) {
    if (!request.offered || request.offered->empty()) continue;
    any = true;
    std::set<std::string> names;
    for (const std::string& name : *request.offered) {
      if (!names.insert(name).second) return name + " was offered twice in one request";
    }
    std::vector<std::string> missing;
    for (const auto& [shown, name] : evidence.ours) {
      if (!names.contains(shown)) missing.push_back(shown);
    }
    if (!missing.empty()) return "a request to the model left out " + Listed(missing);
  }
  if (any) return {};
  const std::string cause = evidence.failure ? ": " + evidence.failure->message : "";
  if (evidence.requests.empty()) return "the model was asked nothing" + cause;
  return "no request to the model offered any tool" + cause;
}

// The answers that the first request with any of them brings: those to the native calls.
std::vector<ToolAnswer> FirstAnswers(const Evidence& evidence) {
  const auto found =
      std::ranges::find_if(evidence.requests, [](const auto& request) { return !request.answers.empty(); });
  return found == evidence.requests.end() ? std::vector<ToolAnswer>() : found->answers;
}

std::string DoubtOfRefusals(const Evidence& evidence) {
  if (evidence.native.empty()) return "no native tool is known that could be called";
  const std::vector<ToolAnswer> answers = FirstAnswers(evidence);
  // Calls of one turn may be answered in any order.
  const auto refuses = [&](const ToolAnswer& answer) {
    return std::ranges::any_of(evidence.native, [&](const std::string& tool) { return IsRefusal(answer.text, tool); });
  };
  for (std::size_t i = 0; i < evidence.native.size(); ++i) {
    const std::string& tool = evidence.native[i];
    if (i >= answers.size()) return "the call of the native tool " + tool + " was not answered";
    if (!refuses(answers[i])) return "the call of the native tool " + tool + " was not refused";
  }
  return {};
}

// Read is called alone, after the native tools: its answer is the next one.
bool ReadReachedTheModel(const Evidence& evidence) {
  const std::size_t place = evidence.native.size();
  return std::ranges::any_of(evidence.requests, [&](const SeenRequest& request) {
    return request.answers.size() > place && request.answers[place].text.find(evidence.secret) != std::string::npos;
  });
}

std::string DoubtOfOurs(const Evidence& evidence) {
  for (const auto& [shown, name] : evidence.ours) {
    if (!evidence.called.contains(name)) return name + " was called by the model, but not through the proxy";
  }
  if (!evidence.read_ok) return "Read failed in the proxy";
  return ReadReachedTheModel(evidence) ? "" : "what Read returned did not reach the model";
}

}  // namespace

std::string DoubtOf(const Evidence& evidence) {
  if (evidence.mark) return "a native tool ran: the call of " + Listed(evidence.native) + " had its effect";
  if (!evidence.ran.empty()) return "a native tool ran, by the CLI's own account: " + Listed(evidence.ran);
  if (const auto foreign = Foreign(evidence); !foreign.empty()) {
    return "the model was offered tools that are not awf's: " + Listed(foreign);
  }
  if (!evidence.announced.empty()) {
    return evidence.provider + " announced tools that are not awf's: " + Listed(evidence.announced);
  }
  if (!evidence.changed.empty()) return "files of the workspace were changed: " + Listed(evidence.changed);
  if (evidence.unreadable > 0) return "a request to the model could not be read";
  if (std::string doubt = DoubtOfOffers(evidence); !doubt.empty()) return doubt;
  if (evidence.failure) return "the step of the probe failed: " + evidence.failure->message;
  if (std::string doubt = DoubtOfRefusals(evidence); !doubt.empty()) return doubt;
  if (std::string doubt = DoubtOfOurs(evidence); !doubt.empty()) return doubt;
  return evidence.doubt.empty() ? "" : "the step of the probe lost its level: " + evidence.doubt;
}

agents::ProbeReport Judge(const Evidence& evidence) {
  agents::ProbeReport report;
  report.reason = DoubtOf(evidence);
  report.proven = report.reason.empty();
  const auto offered = AllOffered(evidence);
  report.offered.assign(offered.begin(), offered.end());
  const auto foreign = Foreign(evidence);
  report.foreign.assign(foreign.begin(), foreign.end());
  return report;
}

}  // namespace awf::probe

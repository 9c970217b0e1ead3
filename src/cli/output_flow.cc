#include "cli/output_flow.h"

#include <utility>

namespace awf::cli {
namespace {

std::string PrefixOf(const FlowOptions& options) {
  if (options.label.empty()) return {};
  const std::string prefix = "[" + options.label + "]";
  return options.color ? "\x1b[2m" + prefix + "\x1b[0m" : prefix;
}

}  // namespace

OutputFlow::OutputFlow(FlowOptions options, const Masker& masker)
    : options_(std::move(options)), prefix_(PrefixOf(options_)), secrets_(masker) {}

std::string OutputFlow::Feed(std::string_view text) { return Take(Filtered(secrets_.Feed(text), false)); }

std::string OutputFlow::Break() {
  std::string out = Take(Filtered(secrets_.Flush(), true));
  EndLine();
  return out + Take({});
}

std::string OutputFlow::Finish() {
  std::string out = Break();
  const std::string rest = std::exchange(pending_, {});
  return out + (options_.label.empty() ? rest : Labelled(rest));
}

std::string OutputFlow::Filtered(std::string text, bool final) {
  if (!options_.terminal) return text;
  std::string shown = filter_.Feed(text);
  return final ? shown + filter_.Flush() : shown;
}

// Where lines have to be whole; a text that is passed on as it comes is ended by the console.
void OutputFlow::EndLine() {
  if (!pending_.empty() && !pending_.ends_with('\n')) pending_.push_back('\n');
}

std::string OutputFlow::Take(std::string_view text) {
  if (options_.label.empty() && !options_.hold) return std::string(text);
  pending_.append(text);
  std::size_t ready = pending_.rfind('\n') + 1;  // 0 when there is none
  if (options_.hold && pending_.size() <= kMostHeld) return {};
  if (pending_.size() - ready > kLongestLine) {
    pending_.push_back('\n');
    ready = pending_.size();
  }
  std::string lines = pending_.substr(0, ready);
  pending_.erase(0, ready);
  return options_.label.empty() ? lines : Labelled(lines);
}

std::string OutputFlow::Labelled(std::string_view lines) const {
  std::string out;
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    const std::string_view line = lines.substr(0, end);
    out.append(prefix_).append(line.empty() ? "" : " ").append(line).append("\n");
    lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  }
  return out;
}

}  // namespace awf::cli

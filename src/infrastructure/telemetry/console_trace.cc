#include "infrastructure/telemetry/console_trace.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "domain/duration_text.h"
#include "domain/terminal_text.h"
#include "domain/utf8.h"

namespace awf::telemetry {
namespace {

constexpr std::size_t kLongestText = 200;  // of a name, value or message, in bytes

// Attributes that tell something beside the span's name, and the words before their values.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kShown = {{
    {"workflow.name", ""},
    {"awf.run.status", ""},
    {"awf.loop.index", "pass "},
    {"awf.provider", ""},
    {"gen_ai.request.model", ""},
    {"awf.attempts", "attempts "},
    {"gen_ai.usage.input_tokens", "tokens in "},
    {"gen_ai.usage.output_tokens", "tokens out "},
    {"awf.isolation.level", "isolation "},
}};

const AttributeValue* Find(const Attributes& attributes, std::string_view name) {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const auto& attribute) { return attribute.first == name; });
  return found == attributes.end() ? nullptr : &found->second;
}

// Below each span those that it holds, in the order of their starts.
template <class Kept>
class TreeText {
 public:
  explicit TreeText(const std::map<SpanId, std::vector<const Kept*>>& children) : children_(children) {}

  void Children(const SpanId& parent, const std::string& margin) {
    const auto found = children_.find(parent);
    if (found == children_.end()) return;
    for (const Kept* child : found->second) {
      const bool last = child == found->second.back();
      text_ += margin + (last ? "└─ " : "├─ ") + child->line + "\n";
      Children(child->id, margin + (last ? "   " : "│  "));
    }
  }
  std::string Take() { return std::move(text_); }

 private:
  const std::map<SpanId, std::vector<const Kept*>>& children_;
  std::string text_;
};

}  // namespace

ConsoleTrace::ConsoleTrace(SpanId remote_parent, const Masker& masker, std::function<void(std::string_view)> print,
                           std::size_t most_spans)
    : remote_parent_(std::move(remote_parent)), masker_(masker), print_(std::move(print)), most_spans_(most_spans) {}

bool ConsoleTrace::Write(const SpanRecord& span) {
  Kept kept{span.span_id, span.parent_span_id, span.start, Line(span)};
  Held held;
  {
    const std::lock_guard lock(mutex_);
    const bool root = span.parent_span_id.empty() || span.parent_span_id == remote_parent_;
    if (!root) {
      if (held_.spans.size() < most_spans_) {
        held_.spans.push_back(std::move(kept));
      } else {
        ++held_.more;
      }
      return true;
    }
    held = std::exchange(held_, {});
  }
  print_(Tree(kept, std::move(held)));
  return true;
}

std::string ConsoleTrace::Line(const SpanRecord& span) const {
  const auto shown = [this](std::string_view text) {
    const std::string whole = PrintableLine(masker_.MaskText(text));
    const std::string_view prefix = Utf8Prefix(whole, kLongestText);
    return std::string(prefix) + (prefix.size() < whole.size() ? "…" : "");
  };
  std::string line = shown(span.name) + "  " +
                     DurationText(std::chrono::duration_cast<std::chrono::microseconds>(span.end - span.start));
  for (const auto& [name, word] : kShown) {
    const AttributeValue* value = Find(span.attributes, name);
    if (value == nullptr) continue;
    line.append("  ").append(word);
    if (const auto* text = std::get_if<std::string>(value)) line += shown(*text);
    if (const auto* number = std::get_if<std::int64_t>(value)) line += std::to_string(*number);
  }
  if (!span.failed) return line;
  const AttributeValue* type = Find(span.attributes, "error.type");
  const std::string* words = type == nullptr ? nullptr : std::get_if<std::string>(type);
  line += "  ✗ error";
  if (!span.status_message.empty()) return line + ": " + shown(span.status_message);
  return words == nullptr ? line : line + ": " + shown(*words);
}

std::string ConsoleTrace::Tree(const Kept& root, Held held) {
  std::stable_sort(held.spans.begin(), held.spans.end(),
                   [](const Kept& a, const Kept& b) { return a.start < b.start; });
  std::set<SpanId> known;
  for (const Kept& span : held.spans) known.insert(span.id);
  std::map<SpanId, std::vector<const Kept*>> children;
  for (const Kept& span : held.spans) children[known.contains(span.parent) ? span.parent : root.id].push_back(&span);
  TreeText<Kept> tree(children);
  tree.Children(root.id, "");
  std::string text = root.line + "\n" + tree.Take();
  if (held.more > 0) text += "… and " + std::to_string(held.more) + " more spans\n";
  return text;
}

}  // namespace awf::telemetry

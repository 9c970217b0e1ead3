#include "infrastructure/yaml/yaml_composer.h"

#include <yaml.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::string_view kSyntax = "WORKFLOW.PARSE.YAML_SYNTAX";

class Event {
 public:
  Event() = default;
  ~Event() {
    if (filled_) yaml_event_delete(&event_);
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool Read(yaml_parser_t& parser) {
    filled_ = yaml_parser_parse(&parser, &event_) != 0;
    return filled_;
  }
  const yaml_event_t& get() const { return event_; }
  yaml_event_type_t type() const { return event_.type; }

 private:
  yaml_event_t event_{};
  bool filled_ = false;
};

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

YamlNode::Style StyleOf(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return YamlNode::Style::kSingleQuoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return YamlNode::Style::kDoubleQuoted;
    case YAML_LITERAL_SCALAR_STYLE:
      return YamlNode::Style::kLiteral;
    case YAML_FOLDED_SCALAR_STYLE:
      return YamlNode::Style::kFolded;
    default:
      return YamlNode::Style::kPlain;
  }
}

class Composer {
 public:
  Composer(const YamlSource& source, std::string file, std::vector<Finding>& findings)
      : source_(source), file_(std::move(file)), findings_(findings) {
    ready_ = yaml_parser_initialize(&parser_) != 0;
    if (!ready_) return;
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(source_.text().data()),
                                 source_.text().size());
  }
  ~Composer() {
    if (ready_) yaml_parser_delete(&parser_);
  }
  Composer(const Composer&) = delete;
  Composer& operator=(const Composer&) = delete;

  bool empty() const { return empty_; }

  YamlNodePtr Document() {
    if (!ready_) return Failed(1, 1, "out of memory");
    bool in_document = false;
    YamlNodePtr root;
    while (true) {
      Event event;
      if (!event.Read(parser_)) return ParserFailed();
      switch (event.type()) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
          break;
        case YAML_STREAM_END_EVENT:
          empty_ = root == nullptr;
          return empty_ ? Failed(1, 1, "the file holds no document") : root;
        case YAML_DOCUMENT_START_EVENT:
          if (in_document) return FailedAt(event, "a second document begins here", "one file holds one document");
          in_document = true;
          break;
        default:
          root = Node(event, 1);
          if (root == nullptr) return nullptr;
      }
    }
  }

 private:
  YamlNodePtr Node(const Event& event, std::size_t depth) {
    if (event.type() == YAML_ALIAS_EVENT) return Alias(event, depth);
    if (depth > kMaxYamlDepth) return FailedAt(event, "nested deeper than 100 levels");
    if (!Count(event, 1, 0)) return nullptr;
    auto node = std::make_shared<YamlNode>();
    const yaml_mark_t start = event.get().start_mark;
    node->line = start.line + 1;
    node->column = start.column + 1;
    node->begin = source_.OffsetOf(start.index);
    node->end = source_.OffsetOf(event.get().end_mark.index);
    bool filled = false;
    std::string anchor;
    switch (event.type()) {
      case YAML_SCALAR_EVENT:
        anchor = View(event.get().data.scalar.anchor);
        filled = Scalar(event, *node);
        break;
      case YAML_SEQUENCE_START_EVENT:
        anchor = View(event.get().data.sequence_start.anchor);
        filled = TagAllowed(event, View(event.get().data.sequence_start.tag), "seq") && Sequence(*node, depth);
        break;
      case YAML_MAPPING_START_EVENT:
        anchor = View(event.get().data.mapping_start.anchor);
        filled = TagAllowed(event, View(event.get().data.mapping_start.tag), "map") && Mapping(*node, depth);
        break;
      default:
        FailedAt(event, "unexpected content");
    }
    if (!filled) return nullptr;
    // Only now: an alias inside the anchored node itself would make a loop.
    if (!anchor.empty()) anchors_[anchor] = node;
    return node;
  }

  bool Scalar(const Event& event, YamlNode& node) {
    const auto& scalar = event.get().data.scalar;
    const std::string_view tag = View(scalar.tag);
    if (tag != "!" && !TagAllowed(event, tag, "str")) return false;
    node.kind = YamlNode::Kind::kScalar;
    node.style = StyleOf(scalar.style);
    node.forced_string = !tag.empty();
    node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    node.bytes = scalar.length;
    return Count(event, 0, node.bytes);
  }

  bool Sequence(YamlNode& node, std::size_t depth) {
    node.kind = YamlNode::Kind::kSequence;
    while (true) {
      Event event;
      if (!event.Read(parser_)) return ParserFailed() != nullptr;
      if (event.type() == YAML_SEQUENCE_END_EVENT) return true;
      YamlNodePtr item = Node(event, depth + 1);
      if (item == nullptr) return false;
      Add(node, *item);
      node.items.push_back(std::move(item));
    }
  }

  bool Mapping(YamlNode& node, std::size_t depth) {
    node.kind = YamlNode::Kind::kMapping;
    std::unordered_map<std::string_view, std::size_t> lines;  // views into the keys that the entries hold
    while (true) {
      Event event;
      if (!event.Read(parser_)) return ParserFailed() != nullptr;
      if (event.type() == YAML_MAPPING_END_EVENT) return true;
      YamlEntry entry;
      entry.key = Node(event, depth + 1);
      if (entry.key == nullptr) return false;
      if (entry.key->kind != YamlNode::Kind::kScalar) {
        return FailedAt(event, "a key must be a plain or quoted word, not a list or a map") != nullptr;
      }
      Event value_event;
      if (!value_event.Read(parser_)) return ParserFailed() != nullptr;
      entry.value = Node(value_event, depth + 1);
      if (entry.value == nullptr) return false;
      Add(node, *entry.key);
      Add(node, *entry.value);
      const auto [first, added] = lines.emplace(entry.key->text, entry.key->line);
      if (added) {
        node.entries.push_back(std::move(entry));
      } else {
        Duplicate(event, entry.key->text, first->second);
      }
    }
  }

  YamlNodePtr Alias(const Event& event, std::size_t depth) {
    const std::string name(View(event.get().data.alias.anchor));
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return FailedAt(event, "alias '*" + name + "' names no anchor that ends before it");
    }
    const YamlNode& node = *found->second;
    if (depth + node.height - 1 > kMaxYamlDepth) return FailedAt(event, "nested deeper than 100 levels");
    if (!Count(event, node.nodes, node.bytes)) return nullptr;
    return found->second;
  }

  static void Add(YamlNode& parent, const YamlNode& child) {
    parent.nodes += child.nodes;
    parent.bytes += child.bytes;
    parent.height = std::max(parent.height, child.height + 1);
  }

  bool Count(const Event& event, std::size_t nodes, std::size_t bytes) {
    nodes_ += nodes;
    bytes_ += bytes;
    if (nodes_ > kMaxYamlNodes) return FailedAt(event, "more than 100 000 nodes after alias expansion") != nullptr;
    if (bytes_ > kMaxYamlText) return FailedAt(event, "more than 16 MiB of text after alias expansion") != nullptr;
    return true;
  }

  bool TagAllowed(const Event& event, std::string_view tag, std::string_view kind) {
    if (tag.empty() || tag == "tag:yaml.org,2002:" + std::string(kind)) return true;
    return FailedAt(event, "the tag '" + std::string(tag) + "' is not supported", "remove it") != nullptr;
  }

  void Duplicate(const Event& event, const std::string& key, std::size_t first_line) {
    const yaml_mark_t& mark = event.get().start_mark;
    Report("WORKFLOW.PARSE.DUPLICATE_KEY", mark.line + 1, mark.column + 1,
           "key '" + key + "' was already given in line " + std::to_string(first_line), "remove one of the two");
  }

  void Report(std::string_view code, std::size_t line, std::size_t column, std::string message, std::string hint) {
    findings_.push_back(
        {Severity::kError, {std::string(code), std::move(message), std::move(hint), {file_, line, column}, {}, {}}});
  }

  YamlNodePtr Failed(std::size_t line, std::size_t column, std::string message, std::string hint = {}) {
    Report(kSyntax, line, column, std::move(message), std::move(hint));
    return nullptr;
  }
  YamlNodePtr FailedAt(const Event& event, std::string message, std::string hint = {}) {
    const yaml_mark_t& mark = event.get().start_mark;
    return Failed(mark.line + 1, mark.column + 1, std::move(message), std::move(hint));
  }

  // libyaml's problem in our words where its own would puzzle.
  YamlNodePtr ParserFailed() {
    const std::string problem = parser_.problem == nullptr ? "cannot be read" : parser_.problem;
    if (parser_.error == YAML_READER_ERROR) {
      const TextMark mark = source_.MarkOf(parser_.problem_offset);
      return Failed(mark.line, mark.column, problem, "remove the character");
    }
    const std::string context = parser_.context == nullptr ? "" : parser_.context;
    if (context == "while scanning a quoted scalar" && problem == "found unexpected end of stream") {
      return Failed(parser_.context_mark.line + 1, parser_.context_mark.column + 1, "this quote is never closed");
    }
    const std::size_t line = parser_.problem_mark.line + 1, column = parser_.problem_mark.column + 1;
    const std::size_t offset = source_.OffsetOf(parser_.problem_mark.index);
    if (offset < source_.text().size() && source_.text()[offset] == '\t') {
      return Failed(line, column, "a tab in the indentation", "indent with spaces");
    }
    std::string message = problem;
    if (!context.empty()) {
      message += " (" + context + " that begins in line " + std::to_string(parser_.context_mark.line + 1) + ")";
    }
    return Failed(line, column, std::move(message), HintFor(problem));
  }

  static std::string HintFor(const std::string& problem) {
    if (problem == "mapping values are not allowed in this context") return "put text that holds ': ' in quotes";
    if (problem == "found character that cannot start any token") return "put text that begins with it in quotes";
    if (problem == "did not find expected key") return "check the indentation";
    return {};
  }

  const YamlSource& source_;
  std::string file_;
  std::vector<Finding>& findings_;
  yaml_parser_t parser_{};
  bool ready_ = false, empty_ = false;
  std::map<std::string, YamlNodePtr, std::less<>> anchors_;
  std::size_t nodes_ = 0, bytes_ = 0;
};

Finding Refusal(const std::string& file, TextMark mark, std::string message, std::string hint) {
  return {Severity::kError,
          {std::string(kSyntax), std::move(message), std::move(hint), {file, mark.line, mark.column}, {}, {}}};
}

}  // namespace

ComposedYaml ComposeYaml(std::string_view bytes, const std::string& file) {
  ComposedYaml composed;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  if (bytes.size() > kMaxYamlBytes) {
    composed.findings.push_back(Refusal(file, {0, 1, 1}, "the file is larger than 4 MiB", {}));
    return composed;
  }
  composed.source = std::make_unique<YamlSource>(std::string(bytes));
  if (!IsValidUtf8(bytes)) {
    std::size_t bad = 0;
    while (const std::size_t length = Utf8CharacterLength(bytes.substr(bad))) bad += length;
    composed.findings.push_back(
        Refusal(file, composed.source->MarkOf(bad), "the text is not valid UTF-8", "save the file in UTF-8"));
    return composed;
  }
  Composer composer(*composed.source, file, composed.findings);
  composed.root = composer.Document();
  composed.empty = composer.empty();
  return composed;
}

}  // namespace awf

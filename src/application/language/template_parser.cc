#include "application/language/template_parser.h"

#include <algorithm>
#include <string>
#include <utility>

#include "application/language/template_expression_parser.h"
#include "application/language/template_lexer.h"

namespace awf {
namespace {

constexpr int kMaxNesting = 100;

using Nodes = std::vector<TemplateNode>;

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_{std::move(tokens)}, expressions_(tokens_, names_) {}

  std::expected<Nodes, TemplateFault> Run() {
    auto nodes = List();
    if (!nodes || tokens_.Peek().kind == TokenKind::kEnd) return nodes;
    const Token& word = tokens_.PeekBehind();
    return BadSyntax(word.offset, "'" + word.text + "' belongs to no if, range or with");
  }

 private:
  using Node = std::expected<TemplateNode, TemplateFault>;
  struct Setting {
    VariableBinding target;
    TemplateExpression value;
  };
  // How the body of an if, with or range ended.
  struct Stop {
    Token word;              // `end` or `else`
    std::string else_word;   // `if` or `with` behind the else
    std::size_t offset = 0;  // of else_word
  };

  bool WordFollows(std::string_view word) const {
    const Token& token = tokens_.PeekBehind();
    return token.kind == TokenKind::kIdentifier && token.text == word;
  }

  // Up to the end of the template, or to an {{else}} or {{end}}, which is not taken.
  std::expected<Nodes, TemplateFault> List() {
    Nodes nodes;
    while (tokens_.Peek().kind != TokenKind::kEnd) {
      if (tokens_.Peek().kind == TokenKind::kText) {
        Token token = tokens_.Take();
        nodes.push_back({token.offset, TextNode{std::move(token.text)}});
        continue;
      }
      if (WordFollows("else") || WordFollows("end")) break;
      const std::size_t open = tokens_.Take().offset;
      Node node = Action(open);
      if (!node) return std::unexpected(std::move(node.error()));
      node->offset = open;
      nodes.push_back(std::move(*node));
    }
    return nodes;
  }

  Node Action(std::size_t open) {
    const Token first = tokens_.Peek();
    if (first.kind == TokenKind::kClose) return BadSyntax(open, "an action must not be empty");
    if (first.kind == TokenKind::kIdentifier) {
      if (first.text == "if") return Choice<IfNode>();
      if (first.text == "with") return Choice<WithNode>();
      if (first.text == "range") return Range();
      if (first.text == "break") return Jump(BreakNode{});
      if (first.text == "continue") return Jump(ContinueNode{});
    }
    auto setting = PipelineWithTarget(1);
    if (!setting) return std::unexpected(std::move(setting.error()));
    if (setting->target.names.empty()) return TemplateNode{0, ActionNode{std::move(setting->value)}};
    Declare(setting->target);
    return TemplateNode{0, VariableNode{std::move(setting->target), std::move(setting->value)}};
  }

  // [$x :=] pipeline }}. The variables are not declared yet.
  std::expected<Setting, TemplateFault> PipelineWithTarget(std::size_t max_names) {
    auto target = Target(max_names);
    if (!target) return std::unexpected(std::move(target.error()));
    auto value = expressions_.Parse();
    if (!value) return std::unexpected(std::move(value.error()));
    return Setting{std::move(*target), std::move(*value)};
  }

  std::expected<VariableBinding, TemplateFault> Target(std::size_t max_names) {
    VariableBinding target;
    if (tokens_.Peek().kind != TokenKind::kVariable) return target;
    const TokenKind behind = tokens_.PeekBehind().kind;
    if (behind != TokenKind::kComma && behind != TokenKind::kDeclare && behind != TokenKind::kAssign) return target;
    const std::size_t first = tokens_.at;
    while (tokens_.Peek().kind == TokenKind::kVariable) {
      if (target.names.size() == max_names) {
        return BadSyntax(tokens_.Peek().offset,
                         max_names == 1 ? "only range sets two variables" : "range sets no more than two variables");
      }
      target.names.push_back(tokens_.Take().text);
      if (!tokens_.TakeIf(TokenKind::kComma)) break;
      if (tokens_.Peek().kind != TokenKind::kVariable) return expressions_.Unexpected();
    }
    target.declares = tokens_.Peek().kind == TokenKind::kDeclare;
    if (!target.declares && tokens_.Peek().kind != TokenKind::kAssign) return expressions_.Unexpected();
    ++tokens_.at;
    for (std::size_t i = 0; i < target.names.size(); ++i) {
      const std::size_t offset = tokens_.tokens[first + 2 * i].offset;
      const std::string& name = target.names[i];
      if (name.empty()) return BadSyntax(offset, "'$' is the root and cannot be set", "give the variable a name: $x");
      if (!target.declares && !IsDeclared(name)) {
        return BadSyntax(offset, "there is no variable '$" + name + "' to set here", "':=' declares one");
      }
    }
    return target;
  }

  bool IsDeclared(const std::string& name) const {
    return std::ranges::find(names_.variables, name) != names_.variables.end();
  }

  void Declare(const VariableBinding& target) {
    if (!target.declares) return;
    names_.variables.insert(names_.variables.end(), target.names.begin(), target.names.end());
  }

  // {{word [$x :=] pipeline}}
  std::expected<Setting, TemplateFault> Head(std::size_t max_names) {
    const Token word = tokens_.Take();
    if (tokens_.Peek().kind == TokenKind::kClose) {
      return BadSyntax(word.offset, "'" + word.text + "' needs a value behind it");
    }
    auto setting = PipelineWithTarget(max_names);
    if (setting) Declare(setting->target);
    return setting;
  }

  // What stands between a head and the {{else}} or {{end}} that follows, which is taken. What it declares is gone then.
  std::expected<Nodes, TemplateFault> Body(const Token& head, Stop& stop) {
    const std::size_t variables = names_.variables.size();
    auto nodes = List();
    if (!nodes) return nodes;
    names_.variables.resize(variables);
    if (tokens_.Peek().kind == TokenKind::kEnd) {
      return BadSyntax(head.offset, "this '" + head.text + "' is never closed with {{end}}");
    }
    ++tokens_.at;
    stop = {tokens_.Take(), "", 0};
    const Token& next = tokens_.Peek();
    const bool chained =
        stop.word.text == "else" && next.kind == TokenKind::kIdentifier && (next.text == "if" || next.text == "with");
    if (chained) {
      stop.else_word = next.text;
      stop.offset = next.offset;
    } else if (!tokens_.TakeIf(TokenKind::kClose)) {
      return BadSyntax(next.offset, "nothing can stand behind '" + stop.word.text + "'",
                       stop.word.text == "else" ? "but if, as in {{else if .inputs.name}}" : "");
    }
    return nodes;
  }

  // The {{else}} … {{end}} of `head`, when `stop` is an else.
  std::expected<Nodes, TemplateFault> Otherwise(const Token& head, const Stop& stop) {
    if (stop.word.text == "end") return Nodes();
    Stop last;
    auto nodes = Body(head, last);
    if (nodes && last.word.text != "end") {
      return BadSyntax(last.word.offset, "this 'else' comes behind the last one of its '" + head.text + "'");
    }
    return nodes;
  }

  bool Enter() { return ++depth_ <= kMaxNesting; }

  template <class Form>
  Node Choice() {
    constexpr bool kRebindsDot = std::is_same_v<Form, WithNode>;
    const Token head = tokens_.Peek();
    const std::size_t variables = names_.variables.size();
    if (!Enter()) return TooDeep(head);
    Form form;
    Stop stop;
    do {
      if (!stop.else_word.empty() && stop.else_word != head.text) return WrongElse(head, stop);
      auto setting = Head(1);
      if (!setting) return std::unexpected(std::move(setting.error()));
      names_.rebound_dots += kRebindsDot;
      auto body = Body(head, stop);
      names_.rebound_dots -= kRebindsDot;
      if (!body) return std::unexpected(std::move(body.error()));
      form.branches.push_back({std::move(setting->target), std::move(setting->value), std::move(*body)});
    } while (!stop.else_word.empty());
    auto otherwise = Otherwise(head, stop);
    if (!otherwise) return std::unexpected(std::move(otherwise.error()));
    form.otherwise = std::move(*otherwise);
    names_.variables.resize(variables);
    --depth_;
    return TemplateNode{0, std::move(form)};
  }

  Node Range() {
    const Token head = tokens_.Peek();
    const std::size_t variables = names_.variables.size();
    if (!Enter()) return TooDeep(head);
    auto setting = Head(2);
    if (!setting) return std::unexpected(std::move(setting.error()));
    Stop stop;
    ++names_.rebound_dots;
    ++ranges_;
    auto body = Body(head, stop);
    --ranges_;
    --names_.rebound_dots;
    if (!body) return std::unexpected(std::move(body.error()));
    if (!stop.else_word.empty()) return WrongElse(head, stop);
    auto otherwise = Otherwise(head, stop);
    if (!otherwise) return std::unexpected(std::move(otherwise.error()));
    names_.variables.resize(variables);
    --depth_;
    return TemplateNode{
        0, RangeNode{std::move(setting->target), std::move(setting->value), std::move(*body), std::move(*otherwise)}};
  }

  template <class Form>
  Node Jump(Form form) {
    const Token word = tokens_.Take();
    if (ranges_ == 0) return BadSyntax(word.offset, "'" + word.text + "' stands outside of a range");
    if (!tokens_.TakeIf(TokenKind::kClose)) {
      return BadSyntax(tokens_.Peek().offset, "nothing can stand behind '" + word.text + "'");
    }
    return TemplateNode{0, form};
  }

  static std::unexpected<TemplateFault> TooDeep(const Token& head) {
    return BadSyntax(head.offset, "if, range and with are nested deeper than 100 levels");
  }

  static std::unexpected<TemplateFault> WrongElse(const Token& head, const Stop& stop) {
    return BadSyntax(stop.offset, "'else " + stop.else_word + "' cannot follow '" + head.text + "'");
  }

  TokenStream tokens_;
  TemplateNames names_;
  TemplateExpressionParser expressions_;
  int depth_ = 0;
  int ranges_ = 0;
};

}  // namespace

std::expected<std::vector<TemplateNode>, TemplateFault> ParseTemplate(std::string_view text) {
  auto tokens = LexTemplate(text);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  return Parser(std::move(*tokens)).Run();
}

}  // namespace awf

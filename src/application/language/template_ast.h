// The tree of a parsed template. Plain data, constant once parsed; every vector of one element says so.
//
// What the parser has already done, so that readers of the tree need not:
//   * Trim markers and comments are gone (lexer); adjacent TextNodes are possible.
//   * Pipelines are calls: `a | f x` is f(x, a). Parentheses are gone.
//   * Names are resolved: `.a` outside of range and with, `$.a` and `a.b` anywhere are references from the root;
//     `.` and `.a` inside the body of a range or with are DotExpressions, as the dot is another value there. In the
//     head of a range or with, and in its else, the dot is the outer one.
//   * Every variable that is used has been declared before, in a scope that is still open.
//   * break and continue stand inside the body of a range.
//   * Known functions got a number of arguments that they take. Unknown functions and namespaces may be there.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "domain/json.h"

namespace awf {

struct TemplateExpression;
struct TemplateNode;

// .inputs.x, $.inputs.x, inputs.x: the names on the way down from the root, the namespace first. One name alone is a
// whole namespace; the parser refuses that for env and states.
struct ReferenceExpression {
  std::vector<std::string> path;
};

// . and .a.b inside a range or with: an empty path is the dot itself.
struct DotExpression {
  std::vector<std::string> path;
};

// $x and $x.a.b. The name lacks the dollar sign and is never empty ($ is the root).
struct VariableExpression {
  std::string name;
  std::vector<std::string> path;
};

struct LiteralExpression {
  json::value value;  // nil is null
};

// `and`, `or` and `default` are calls too. They alone need not evaluate all of their arguments: `default` provides for
// a last argument that is not there, when that is a reference, dot, variable, select or a call of `index`.
struct CallExpression {
  std::string function;
  std::vector<TemplateExpression> arguments;
};

// (call).a.b
struct SelectExpression {
  std::vector<TemplateExpression> base;  // exactly one
  std::vector<std::string> path;         // never empty
};

struct TemplateExpression {
  std::size_t offset = 0;  // of its first character in the template
  std::variant<ReferenceExpression, DotExpression, VariableExpression, LiteralExpression, CallExpression,
               SelectExpression>
      form;
};

// The variables that a pipeline sets: `$x :=`, `$x =`, and for range `$i, $v :=`.
struct VariableBinding {
  bool declares = false;           // := makes new variables, = changes those that there are
  std::vector<std::string> names;  // none, one, or (range only) two: index or key, then the element
};

struct TextNode {
  std::string text;
};

// {{value}}: prints the value.
struct ActionNode {
  TemplateExpression expression;
};

// {{$x := value}}, {{$x = value}}: prints nothing. Exactly one name.
struct VariableNode {
  VariableBinding target;
  TemplateExpression value;
};

// One `if` or `else if`, `with` or `else with`. A variable declared here lives until the `end`: the branches that
// follow and the else see it too. What a body declares lives until the end of that body.
struct TemplateBranch {
  VariableBinding target;  // at most one name
  TemplateExpression value;
  std::vector<TemplateNode> body;
};

// The first branch whose value is true, else `otherwise`.
struct IfNode {
  std::vector<TemplateBranch> branches;  // at least one
  std::vector<TemplateNode> otherwise;
};

// As if, and the value is the dot in the body of its branch.
struct WithNode {
  std::vector<TemplateBranch> branches;  // at least one
  std::vector<TemplateNode> otherwise;
};

// The body once for each element, which is the dot there; `otherwise` when there is none.
struct RangeNode {
  VariableBinding target;
  TemplateExpression value;
  std::vector<TemplateNode> body;
  std::vector<TemplateNode> otherwise;
};

struct BreakNode {};
struct ContinueNode {};

struct TemplateNode {
  std::size_t offset = 0;  // of its text, or of its {{
  std::variant<TextNode, ActionNode, VariableNode, IfNode, WithNode, RangeNode, BreakNode, ContinueNode> form;
};

}  // namespace awf

// The tree of a parsed template. Plain data, constant once parsed.
//
// Pipelines are calls already: `a | f x` is f(x, a). A new kind of node (if, range, …) is a new alternative of
// TemplateNode; a new kind of operand one of TemplateExpression.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "domain/json.h"

namespace awf {

struct TemplateExpression;

// .inputs.x: the names on the way down from the root.
struct ReferenceExpression {
  std::vector<std::string> path;
};

struct LiteralExpression {
  json::value value;
};

struct CallExpression {
  std::string function;
  std::vector<TemplateExpression> arguments;
};

// (call).a.b
struct SelectExpression {
  std::vector<TemplateExpression> base;  // exactly one
  std::vector<std::string> path;
};

struct TemplateExpression {
  std::size_t offset = 0;
  std::variant<ReferenceExpression, LiteralExpression, CallExpression, SelectExpression> form;
};

struct TextNode {
  std::string text;
};

struct ActionNode {
  TemplateExpression expression;
};

using TemplateNode = std::variant<TextNode, ActionNode>;

}  // namespace awf

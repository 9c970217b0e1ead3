#include "infrastructure/yaml/yaml_composer.h"

#include <gtest/gtest.h>

namespace awf {
namespace {

std::string Findings(const ComposedYaml& yaml) {
  std::string text;
  for (const Finding& finding : yaml.findings) {
    text += std::to_string(finding.error.position.line) + ":" + std::to_string(finding.error.position.column) + " " +
            finding.error.message + "; ";
  }
  return text;
}

const YamlNode& Value(const ComposedYaml& yaml, std::string_view key) {
  for (const YamlEntry& entry : yaml.root->entries) {
    if (entry.key->text == key) return *entry.value;
  }
  ADD_FAILURE() << "no key " << key;
  return *yaml.root;
}

// line:column of every character of the scalar's value.
std::string Positions(std::string_view text, std::string_view key = "k") {
  const ComposedYaml yaml = ComposeYaml(text, "f.yaml");
  EXPECT_EQ(Findings(yaml), "");
  if (yaml.root == nullptr) return "";
  const YamlNode& node = Value(yaml, key);
  const TemplateText value{node.text, {"f.yaml", node.line, node.column}, yaml.source->MarksOf(node)};
  std::string positions;
  for (std::size_t i = 0; i < value.text.size(); ++i) {
    if ((static_cast<unsigned char>(value.text[i]) & 0xC0) == 0x80 || value.text[i] == ' ' || value.text[i] == '\n') {
      continue;
    }
    std::string character(1, value.text[i]);
    while (i + character.size() < value.text.size() &&
           (static_cast<unsigned char>(value.text[i + character.size()]) & 0xC0) == 0x80) {
      character.push_back(value.text[i + character.size()]);
    }
    const Position position = value.At(i);
    positions += character + std::to_string(position.line) + ":" + std::to_string(position.column) + " ";
  }
  return positions;
}

TEST(YamlComposer, KnowsPositionsAndTypes) {
  const ComposedYaml yaml = ComposeYaml("a: 1\nü: [x,\n  \"y\"]\n", "f.yaml");
  ASSERT_NE(yaml.root, nullptr);
  EXPECT_EQ(yaml.root->line, 1U);
  const YamlNode& list = Value(yaml, "ü");
  EXPECT_EQ(list.column, 4U);
  EXPECT_EQ(list.items[1]->line, 3U);
  EXPECT_EQ(list.items[1]->column, 3U);
  EXPECT_EQ(yaml.root->nodes, 7U);
  EXPECT_EQ(yaml.root->height, 3U);
}

TEST(YamlComposer, TypesPlainScalars) {
  const auto type = [](std::string text, YamlNode::Style style = YamlNode::Style::kPlain) {
    YamlNode node;
    node.text = std::move(text);
    node.style = style;
    return TypeOf(node);
  };
  for (const char* text : {"", "~", "null"}) EXPECT_EQ(type(text), ScalarType::kNull) << text;
  for (const char* text : {"true", "false"}) EXPECT_EQ(type(text), ScalarType::kBool) << text;
  for (const char* text : {"0", "-12", "+3", "0x1F", "0o17"}) EXPECT_EQ(type(text), ScalarType::kInteger) << text;
  for (const char* text : {"1.5", "-.5", "1.", "1e3", "1.5E-3"}) EXPECT_EQ(type(text), ScalarType::kFloat) << text;
  for (const char* text : {"yes", "on", "True", "NULL", "1.2.3", ".", "-", "1e", "0x", "0xG", "1_000", ".inf", "1h"}) {
    EXPECT_EQ(type(text), ScalarType::kString) << text;
  }
  EXPECT_EQ(type("true", YamlNode::Style::kDoubleQuoted), ScalarType::kString);
}

TEST(YamlComposer, AliasesShareTheirNode) {
  const ComposedYaml yaml = ComposeYaml("a: &x [1, 2]\nb: *x\n", "f.yaml");
  ASSERT_NE(yaml.root, nullptr);
  EXPECT_EQ(&Value(yaml, "a"), &Value(yaml, "b"));
  EXPECT_EQ(yaml.root->nodes, 9U);
}

TEST(YamlComposer, LimitsAreExact) {
  const auto nested = [](int depth) {
    return "k: " + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(Findings(ComposeYaml(nested(99), "f")), "");
  EXPECT_EQ(Findings(ComposeYaml(nested(100), "f")), "1:103 nested deeper than 100 levels; ");
  // root, key, list and its items
  const auto list = [](std::size_t items) {
    std::string text = "k: [";
    for (std::size_t i = 0; i < items; ++i) text += "a,";
    return text + "]";
  };
  EXPECT_EQ(Findings(ComposeYaml(list(kMaxYamlNodes - 3), "f")), "");
  EXPECT_EQ(Findings(ComposeYaml(list(kMaxYamlNodes - 2), "f")),
            "1:" + std::to_string(5 + 2 * (kMaxYamlNodes - 3)) + " more than 100 000 nodes after alias expansion; ");
  const std::string filler = "k: " + std::string(kMaxYamlBytes - 3, 'x');
  EXPECT_EQ(Findings(ComposeYaml(filler, "f")), "");
  EXPECT_EQ(Findings(ComposeYaml(filler + "x", "f")), "1:1 the file is larger than 4 MiB; ");
  EXPECT_EQ(Findings(ComposeYaml("\xEF\xBB\xBF" + filler, "f")), "");
}

TEST(YamlComposer, AliasesCannotMultiplyText) {
  std::string text = "a: &x " + std::string(1U << 20, 'x') + "\nb: [";
  for (int i = 0; i < 20; ++i) text += "*x, ";
  const std::string findings = Findings(ComposeYaml(text + "]", "f"));
  EXPECT_EQ(findings, "2:61 more than 16 MiB of text after alias expansion; ");
}

TEST(YamlComposer, DeepAliasesCount) {
  std::string text = "a: &x " + std::string(60, '[') + std::string(60, ']') + "\nb: " + std::string(60, '[') + "*x";
  EXPECT_EQ(Findings(ComposeYaml(text + std::string(60, ']'), "f")), "2:64 nested deeper than 100 levels; ");
}

TEST(YamlComposer, SurvivesGarbage) {
  for (const char* text : {"\x00",     "%YAML 3.0\n---\n",
                           "%FOO\n",   "&a",
                           "*",        "- - - -",
                           "? ",       ": ",
                           "!!",       "\"\\x",
                           "|9\n",     "{",
                           "[",        "}",
                           "k: >\n\t", "--- ---",
                           "...",      "\xFE\xFF",
                           "@",        "`"}) {
    const ComposedYaml yaml = ComposeYaml(text, "f.yaml");
    EXPECT_TRUE(yaml.root != nullptr || !yaml.findings.empty()) << text;
  }
}

TEST(YamlMarks, PlainAndQuotedScalars) {
  EXPECT_EQ(Positions("k: ab c"), "a1:4 b1:5 c1:7 ");
  EXPECT_EQ(Positions("k: ab\n  cd"), "a1:4 b1:5 c2:3 d2:4 ");
  EXPECT_EQ(Positions("k: 'a''b'"), "a1:5 '1:6 b1:8 ");
  EXPECT_EQ(Positions("k: 'a\n\n  b'"), "a1:5 b3:3 ");
  EXPECT_EQ(Positions("k: \"é\\té\\u00e9x\\\"y\""), "é1:5 \t1:6 é1:8 é1:9 x1:15 \"1:16 y1:18 ");
  EXPECT_EQ(Positions("k: \"a\\\n   b\""), "a1:5 b2:4 ");
  EXPECT_EQ(Positions("k: &x !!str ab"), "a1:13 b1:14 ");
}

TEST(YamlMarks, BlockScalars) {
  EXPECT_EQ(Positions("k: |\n  ab\n    c\n\n  d\n"), "a2:3 b2:4 c3:5 d5:3 ");
  EXPECT_EQ(Positions("k: |2-\n    a\n  b\n"), "a2:5 b3:3 ");
  EXPECT_EQ(Positions("k: | # note\n\n\n  a\n"), "a4:3 ");
  EXPECT_EQ(Positions("k: >\n  a\n  b\n\n  c\n    d\n"), "a2:3 b3:3 c5:3 d6:5 ");
  EXPECT_EQ(Positions("k: |\r\n  a\r\n  b\r\n"), "a2:3 b3:3 ");
}

// A finding's place must not cost a walk over all of a long line.
TEST(YamlMarks, LongLinesHaveMarksInBetween) {
  for (const std::string quote : {"", "'", "\""}) {
    std::string text;
    for (int i = 0; i < 2000; ++i) text += "a\xC3\xA4";
    const ComposedYaml yaml = ComposeYaml("k: " + quote + text + quote + "\n", "f.yaml");
    const YamlNode& node = Value(yaml, "k");
    const TemplateText value{node.text, {"f.yaml", node.line, node.column}, yaml.source->MarksOf(node)};
    for (std::size_t i = 1; i < value.marks.size(); ++i) {
      EXPECT_LE(value.marks[i].offset - value.marks[i - 1].offset, 1030U);
    }
    EXPECT_GE(value.marks.size(), 5U);
    EXPECT_EQ(value.At(5997), (Position{"f.yaml", 1, 4 + quote.size() + 3998}));
    EXPECT_EQ(value.At(5998), (Position{"f.yaml", 1, 4 + quote.size() + 3999}));
  }
}

TEST(YamlMarks, TextWithoutMarksIsAtItsValue) {
  const TemplateText text{"abc", {"f.yaml", 3, 7}, {}};
  EXPECT_EQ(text.At(2), (Position{"f.yaml", 3, 7}));
}

}  // namespace
}  // namespace awf

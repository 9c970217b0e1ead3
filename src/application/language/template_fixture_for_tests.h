// Values and shorthands for the tests of templates.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "application/language/rows_for_tests.h"
#include "application/language/template.h"
#include "domain/test_files.h"

namespace awf {

inline Scope TemplateTestScope() {
  static FilesInMemory files;
  files.texts = {{"/flow/notes.txt", "a note\n"}, {"/etc/motd", "hello"}};
  Scope scope;
  scope.Set("inputs", json::parse(R"({
    "name": "Ann", "empty": "", "count": 3, "flag": true, "csv": "a, b ,c", "nothing": null, "ratio": 1.1,
    "quoted": "it's", "list": ["a", "b"], "nums": [1, 2, 3], "none": [], "map": {"b": 2, "a": 1},
    "people": [{"name": "Bo", "tags": ["x"]}, {"name": "Cy", "tags": []}]})")
                          .as_object());
  scope.Set("workflow", json::parse(R"({"ID": "r1", "Name": "wf"})").as_object());
  scope.Set("captures", json::parse(R"({"version": "1.2"})").as_object());
  const auto state = [&](const char* name, const char* fields) {
    scope.states[name] = std::make_shared<const json::object>(json::parse(fields).as_object());
  };
  state("one", R"({"Output": "  out\n", "ExitCode": 0, "JSON": null, "Response": {"a": {"b": [1, "x", 2.0]}}})");
  state("my-state", R"({"Output": "dashed"})");
  scope.environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "HOME") return "/home/ann";
    if (name == "BLANK") return "";
    return std::nullopt;
  };
  scope.files = &files;
  scope.folder = "/flow";
  return scope;
}

// The text, or "PARSE offset message", or "FAULT offset message".
inline std::string Rendered(std::string_view text) {
  const auto parsed = Template::Parse(text);
  if (!parsed) return Told("PARSE", parsed.error());
  const auto rendered = parsed->Render(TemplateTestScope());
  if (!rendered) return Told("FAULT", rendered.error());
  return *rendered;
}

}  // namespace awf

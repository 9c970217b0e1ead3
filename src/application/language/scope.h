// Scope: the values that templates and expressions can name at one moment of a run.
//
// A cheap copy: values are shared and constant. Made anew for each evaluation, so that branches that run at the same
// time see a consistent picture without locks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "domain/json.h"
#include "domain/regex.h"
#include "domain/text_files.h"

namespace awf {

using EnvironmentLookup = std::function<std::optional<std::string>(const std::string& name)>;
std::optional<std::string> ProcessEnvironment(const std::string& name);

// The result fields of a state, by name. A state that has not run is not there.
using StateResults = std::map<std::string, std::shared_ptr<const json::object>, std::less<>>;

struct Scope {
  // inputs, captures, workflow, awf, context; in loop bodies `loop`, in failure messages `error`. Keys are spelt as
  // vocabulary.h lists them.
  std::map<std::string, std::shared_ptr<const json::object>, std::less<>> namespaces;
  StateResults states;
  EnvironmentLookup environment;           // env.NAME
  const RegexCompiler* regexes = nullptr;  // `matches`; not owned
  TextFiles* files = nullptr;              // readFile; not owned
  std::string folder;                      // absolute: what relative paths of readFile start from

  void Set(std::string name, json::object values) {
    namespaces[std::move(name)] = std::make_shared<const json::object>(std::move(values));
  }
  // The whole namespace, or null. Not for `states` and `env`.
  const json::object* Namespace(std::string_view name) const {
    const auto found = namespaces.find(name);
    return found == namespaces.end() ? nullptr : found->second.get();
  }
  const json::object* State(std::string_view name) const {
    const auto found = states.find(name);
    return found == states.end() ? nullptr : found->second.get();
  }
};

}  // namespace awf

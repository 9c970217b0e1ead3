// For tests: plugins that are there without being there.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "domain/operation.h"

namespace awf {

class FakeCatalogue : public OperationCatalogue {
 public:
  std::expected<KnownOperations, Error> Find(std::string_view plugin) override {
    ++asked[std::string(plugin)];
    using Source = KnownOperations::Source;
    if (plugin == "later") return KnownOperations{Source::kUnknown, {}, "it has never been started"};
    if (plugin == "off") return Fail("EXECUTION.PLUGIN.DISABLED", "plugin 'off' is disabled", "awf plugin enable off");
    const auto found = plugins.find(plugin);
    if (found != plugins.end()) return KnownOperations{Source::kLock, found->second, {}};
    return Fail("USER.MCP_PROXY.UNKNOWN_PLUGIN", "plugin '" + std::string(plugin) + "' not found in .awf/plugins");
  }

  static Operation Op(std::string name, std::vector<OperationInput> inputs = {}) {
    return {std::move(name), {}, std::move(inputs), {}};
  }

  std::map<std::string, int> asked;
  std::map<std::string, std::vector<Operation>, std::less<>> plugins = {
      {"k8s", {Op("get"), Op("list"), Op("top")}},
      {"k8s-prod", {Op("get")}},
      {"k8s_prod", {Op("get")}},
      {"a_b", {Op("c")}},
      {"a", {Op("b_c"), Op("_x"), Op("cal.list"), Op("New Tool"), Op(std::string(60, 'n'))}},
      {"odd", {Op("read", {{"where", "file", true, {}, {}, {}}})}},
      {"bare", {Op("anything")}},
      {"forge",
       {Op("create_issue", {{"title", "string", true, {}, {}, {}},
                            {"labels", "array", false, {}, {}, {}},
                            {"number", "integer", false, {}, {}, {}},
                            {"due", "string", false, {}, {}, "url"},
                            {"open", "boolean", false, {}, {}, {}}}),
        Op("list")}}};
};

}  // namespace awf

#include "application/operations/exposed_names.h"

#include <algorithm>
#include <span>
#include <utility>

#include "application/operations/tool_name.h"
#include "domain/fault_list.h"
#include "domain/joined.h"
#include "domain/nearest_name.h"

namespace awf {
namespace {

constexpr std::size_t kMostListed = 30;  // operations in a message

Error Plain(std::string code, std::string message, std::string hint) {
  return {std::move(code), std::move(message), std::move(hint), {}, {}, {}};
}

std::string Named(std::string_view plugin, std::string_view operation) {
  return "operation " + schema::Quoted(operation) + " of plugin " + schema::Quoted(plugin);
}

}  // namespace

Error UnknownOperation(std::string_view plugin, std::string_view operation, const std::vector<Operation>& operations,
                       const HintFor& nearest) {
  std::vector<std::string> names;
  names.reserve(operations.size());
  for (const Operation& known : operations) names.push_back(known.name);
  std::ranges::sort(names);
  std::string message = "plugin " + schema::Quoted(plugin) + " has no operation " + schema::Quoted(operation) + "; ";
  const std::size_t shown = std::min(names.size(), kMostListed);
  message += names.empty() ? "it has none at all" : "it has " + Joined(std::span(names).first(shown), ", ");
  if (shown < names.size()) message += " and " + std::to_string(names.size() - shown) + " more";
  return Plain("USER.MCP_PROXY.UNKNOWN_OPERATION", std::move(message), nearest(operation, names));
}

std::expected<std::string, Error> ExposedNames::Add(std::string_view plugin, std::string_view operation) {
  auto name = OperationToolName(plugin, operation);
  if (!name) {
    return std::unexpected(Plain("USER.MCP_PROXY.INVALID_NAME", Named(plugin, operation) + ": " + name.error(),
                                 "models refuse such names; the plugin must give another"));
  }
  const auto [entry, added] =
      taken_.try_emplace(CollisionKey(*name), std::string(plugin), std::string(operation), *name);
  if (added) return std::move(*name);
  const Taken& other = entry->second;
  std::string message;
  if (other.plugin == plugin && other.operation == operation) {
    message = Named(plugin, operation) + " is exposed twice";
  } else if (other.name == *name) {
    message = "two tools would be named " + *name + ": " + Named(other.plugin, other.operation) + " and " +
              Named(plugin, operation);
  } else {
    message =
        "the tools " + other.name + " and " + *name + " have one name for clients that take '-' for '_' or ignore case";
  }
  return std::unexpected(Plain("USER.MCP_PROXY.NAME_COLLISION", std::move(message), "expose only one of them"));
}

}  // namespace awf

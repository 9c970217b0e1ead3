// The messages between awf and a plugin, serialized, from and to values of the domain. What comes from a plugin may be
// anything: its texts are repaired to UTF-8, and bytes that are no such message are an error, a clause. Pure,
// thread-safe.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "domain/json.h"
#include "domain/operation.h"

namespace awf::plugins {

struct PluginInfo {
  std::string name, version, description;
  std::vector<std::string> capabilities;

  friend bool operator==(const PluginInfo&, const PluginInfo&) = default;
};

// What a plugin printed.
struct StdioMessage {
  bool is_stderr = false;  // else of its stdout
  std::string bytes;       // as they came

  friend bool operator==(const StdioMessage&, const StdioMessage&) = default;
};

// A healthy service, as ReadHealthReply names it.
inline constexpr std::string_view kServing = "SERVING";

// A value as its JSON text: integers exactly, other numbers as the shortest text that reads back the same.
std::string JsonText(const json::value& value);

// Requests without fields (GetInfo, ListOperations, Shutdown, the stream of prints) are the empty text.
std::string InitRequestOf(const json::object& config);
std::string ExecuteRequestOf(std::string_view operation, const json::object& inputs);
std::string HealthRequestOf(std::string_view service);

std::expected<PluginInfo, std::string> ReadInfoReply(std::string_view reply);
std::expected<std::vector<Operation>, std::string> ReadOperationsReply(std::string_view reply);
// Fields of `data` that are no JSON become strings. The keys are sorted; of a key that comes twice the last counts.
std::expected<OperationResult, std::string> ReadExecuteReply(std::string_view reply);
std::expected<StdioMessage, std::string> ReadStdioMessage(std::string_view message);
// The status as the health service of gRPC names it; "status 7" for a number without a name.
std::expected<std::string, std::string> ReadHealthReply(std::string_view reply);

}  // namespace awf::plugins

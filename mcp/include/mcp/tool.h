// Tool: one entry of the answer to tools/list. A plain value; what runs is the CallHandler (call.h).
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>

namespace mcp {

namespace json = boost::json;

// Hints for the client. Absent means "not sent".
struct Annotations {
  std::optional<bool> read_only{}, destructive{}, idempotent{}, open_world{};
};

struct Tool {
  std::string name;           // 1 to 48 of [A-Za-z0-9_-], no "__"
  std::string title;          // may be empty
  std::string description;    // under 2 KiB: clients cut there
  json::object input_schema;  // a plain root object: "type", "properties", "required" only where it is not empty
  Annotations annotations;
  json::object meta;  // "_meta"; may be empty
};

}  // namespace mcp

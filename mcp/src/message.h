// Message: a line of JSON-RPC as a request, notification or response, and back. The only file that knows the wire form.
//
// Free functions without state. They throw std::bad_alloc and nothing else.
#pragma once

#include <boost/json.hpp>
#include <expected>
#include <string>
#include <string_view>

#include "json_reader.h"
#include "mcp/observer.h"

namespace mcp {

struct Message {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  Id id;  // of a request
  std::string method;
  boost::json::object params;  // empty when absent or null
  bool bad_params = false;     // "params" was neither absent, null nor an object
};

// Rejection::answered is false where nothing may be written.
std::expected<Message, Rejection> ReadMessage(std::string_view line, int max_depth);

// What to do about a line of which only the head is there, or for which the memory did not suffice.
Rejection RejectUnread(std::string_view head, int max_depth, int code, std::string reason);

// Lines without their end. An id is JSON text; an empty one is left out. result, data and params are JSON text.
std::string ResultLine(std::string_view id, std::string_view result);
std::string ErrorLine(std::string_view id, int code, std::string_view message, std::string_view data = {});
std::string NotificationLine(std::string_view method, std::string_view params);

}  // namespace mcp

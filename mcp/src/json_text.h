// JSON text that goes out: strings and values appended to a line under construction, always valid UTF-8.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace mcp {

// Appends text as a JSON string with its quotes. Control characters are escaped, ill-formed UTF-8 becomes U+FFFD.
void AppendQuoted(std::string& out, std::string_view text);

// Appends `"key":` and the text as a JSON string.
void AppendMember(std::string& out, std::string_view key, std::string_view text);

// Appends a value as JSON.
void AppendJson(std::string& out, const boost::json::value& value);
void AppendJson(std::string& out, const boost::json::object& value);

}  // namespace mcp

// A client that sends anything: each line goes to a session. Whatever comes back is one line of JSON with an answer or
// a notification; a result only ever carries an id that the client sent.
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

#include "mcp/session.h"

namespace {

namespace json = boost::json;

void CheckAnswer(const std::string& line) {
  if (line.find('\n') != std::string::npos) std::abort();
  json::parse_options options;
  options.max_depth = 300;
  json::error_code error;
  const json::value value = json::parse(line, error, {}, options);
  if (error || !value.is_object()) std::abort();
  const json::object& object = value.get_object();
  if (object.at("jsonrpc") != "2.0") std::abort();
  const int kinds =
      (object.contains("result") ? 1 : 0) + (object.contains("error") ? 1 : 0) + (object.contains("method") ? 1 : 0);
  if (kinds != 1 || (object.contains("result") && !object.contains("id"))) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  mcp::Options options;
  options.page = 1;
  options.log = {};
  mcp::Session* self = nullptr;
  int depth = 0;
  mcp::Session session(
      {"fuzz", "1", ""},
      [&](mcp::CallContext& context, std::string_view tool,
          const json::object& arguments) -> std::expected<mcp::CallResult, mcp::CallError> {
        if (tool == "throw") throw std::runtime_error("x");
        if (tool == "unknown") return std::unexpected(mcp::CallError{.message = std::string(tool)});
        (void)context.Progress(1, 2, context.client_call_id());
        // As if it came while the call runs.
        const json::value* frame = arguments.if_contains("frame");
        if (frame != nullptr && frame->is_string() && depth < 3) {
          ++depth;
          for (const std::string& line : self->Feed(std::string_view(frame->get_string()))) CheckAnswer(line);
          --depth;
        }
        return mcp::CallResult{{mcp::TextContent{json::serialize(arguments)}}, false, context.meta()};
      },
      options);
  self = &session;
  for (const std::string name : {"a", "b"}) {
    mcp::Tool tool;
    tool.name = name;
    tool.input_schema = {{"type", "object"}, {"properties", json::object()}};
    if (!session.Register(tool)) std::abort();
  }
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    for (const std::string& line : session.Feed(bytes.substr(0, end))) CheckAnswer(line);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
  }
  for (const std::string& line : session.End()) CheckAnswer(line);
  return 0;
}

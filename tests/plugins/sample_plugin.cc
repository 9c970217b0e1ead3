// The plugin "demo" that the tests of the host, of the proxy and of the SDK start: operations for everything that a
// plugin may do well or badly. Environment:
//   AWF_DEMO_OPERATIONS=FILE  a JSON list of operation schemas (as on the wire, snake_case) that are announced as well
//   AWF_DEMO_SLEEP_MS=N       wait before the handshake
//   AWF_DEMO_CONFIG=1         refuse a configuration without `greeting`
#include <atomic>
#include <boost/json.hpp>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "awf/plugin.h"

namespace {

namespace json = boost::json;
using namespace awf::sdk;

std::string Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::string{} : std::string{value};
}

// All inputs as one JSON object, as they came.
Value Received(const Call& call) {
  std::string text = "{";
  for (const auto& [name, value] : call.texts()) {
    if (text.size() > 1) text += ",";
    text += Value{name}.json() + ":" + value;
  }
  return Value::Json(text + "}");
}

// Until the call is cancelled or the time has passed. Whether it was cancelled.
bool WaitForCancel(const Call& call, std::optional<std::chrono::milliseconds> longest) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock{mutex};
  const auto never = [] { return false; };
  if (longest) {
    changed.wait_for(lock, call.cancelled(), *longest, never);
  } else {
    changed.wait(lock, call.cancelled(), never);
  }
  return call.cancelled().stop_requested();
}

Result Hang(Call& call) {
  std::cout << "demo: hanging\n" << std::flush;
  WaitForCancel(call, std::nullopt);
  if (call.Has("mark")) std::ofstream{call.String("mark")} << "cancelled";
  return Failed("cancelled");
}

Result Slow(Call& call) {
  const bool cancelled = WaitForCancel(call, std::chrono::milliseconds{call.Int("ms")});
  return cancelled ? Failed("cancelled") : Ok().Output("done");
}

// Exactly that many bytes, in lines of 64.
std::string Lines(std::int64_t bytes, char letter) {
  std::string text(static_cast<std::size_t>(bytes), letter);
  for (std::size_t i = 63; i < text.size(); i += 64) text[i] = '\n';
  return text;
}

Result Print(Call& call) {
  std::cout << Lines(call.Int("bytes"), 'o');
  std::cerr << Lines(call.Int("bytes"), 'e');
  return Ok().Output("printed");
}

Result Die(Call&) {
  std::cerr << "demo: about to abort\n";
  std::abort();
}

Result Environment(Call& call) {
  const char* value = std::getenv(call.String("name").c_str());
  return value == nullptr ? Ok().Set("set", false) : Ok().Set("set", true).Set("value", value);
}

void AddAnswers(Plugin& plugin) {
  plugin.Add(
      {.name = "echo", .description = "Says back the text.", .inputs = {{"text", "string", Required, "What to say."}}},
      [](Call& call) { return Ok().Output(call.String("text")); });
  plugin.Add({.name = "add",
              .description = "Adds two integers.",
              .inputs = {{"a", "integer", Required}, {"b", "integer", Required}},
              .outputs = {{"sum", "integer", "a + b"}}},
             [](Call& call) { return Ok().Set("sum", call.Int("a") + call.Int("b")); });
  plugin.Add({.name = "void", .description = "Returns nothing."}, [](Call&) { return Ok(); });
  plugin.Add({.name = "big", .description = "Returns text of that size.", .inputs = {{"bytes", "integer", Required}}},
             [](Call& call) { return Ok().Output(std::string(static_cast<std::size_t>(call.Int("bytes")), 'b')); });
  plugin.Add({.name = "types",
              .description = "Returns the inputs as they came.",
              .inputs = {{"text"},
                         {"whole", "integer", Optional, "", "5"},
                         {"number", "number"},
                         {"flag", "boolean"},
                         {"list", "array"},
                         {"map", "object"}},
              .outputs = {{"received", "object"}}},
             [](Call& call) { return Ok().Set("received", Received(call)); });
  plugin.Add({.name = "env", .description = "Reads a variable.", .inputs = {{"name", "string", Required}}},
             Environment);
  plugin.Add({.name = "state", .description = "Counts its calls.", .outputs = {{"count", "integer"}}},
             [count = std::make_shared<std::atomic<int>>(0)](Call&) { return Ok().Set("count", ++*count); });
  plugin.Add({.name = "trace", .description = "Returns its trace context.", .outputs = {{"traceparent"}}},
             [](Call& call) { return Ok().Set("traceparent", call.traceparent()); });
  plugin.Add({.name = "binary", .description = "Returns bytes that are no UTF-8."},
             [](Call&) { return Ok().Output("a\xFFz").Set("field", "a\xC0z"); });
}

void AddMisbehaviour(Plugin& plugin) {
  plugin.Add({.name = "die", .description = "Aborts the plugin."}, Die);
  plugin.Add({.name = "exit", .description = "Ends the plugin.", .inputs = {{"code", "integer", Required}}},
             [](Call& call) -> Result { std::_Exit(static_cast<int>(call.Int("code"))); });
  plugin.Add({.name = "hang",
              .description = "Waits until cancelled, and writes \"cancelled\" to the file `mark` then.",
              .inputs = {{"mark"}}},
             Hang);
  plugin.Add({.name = "slow", .description = "Waits for a time.", .inputs = {{"ms", "integer", Required}}}, Slow);
  plugin.Add({.name = "print",
              .description = "Writes that many bytes to stdout and as many to stderr.",
              .inputs = {{"bytes", "integer", Required}}},
             Print);
  plugin.Add({.name = "fail", .description = "Fails.", .inputs = {{"message", "string", Required}}},
             [](Call& call) { return Failed(call.String("message")); });
  plugin.Add({.name = "throw", .description = "Throws."},
             [](Call&) -> Result { throw std::runtime_error("thrown by demo"); });
}

std::string Text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string{std::string_view{value->get_string()}} : std::string{};
}

const json::array& Items(const json::object& object, std::string_view key) {
  static const json::array none;
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_array() ? value->get_array() : none;
}

Operation OperationOf(const json::object& schema) {
  Operation operation{.name = Text(schema, "name"), .description = Text(schema, "description")};
  for (const json::value& item : Items(schema, "inputs")) {
    const json::object& input = item.as_object();
    const json::value* required = input.if_contains("required");
    const bool is_required = required != nullptr && required->as_bool();
    operation.inputs.push_back({Text(input, "name"), Text(input, "type"), is_required ? Required : Optional,
                                Text(input, "description"), Text(input, "default"), Text(input, "validation")});
  }
  for (const json::value& item : Items(schema, "outputs")) {
    const json::object& output = item.as_object();
    operation.outputs.push_back({Text(output, "name"), Text(output, "type"), Text(output, "description")});
  }
  return operation;
}

void AddAnnounced(Plugin& plugin, const std::string& path) {
  std::ifstream file{path};
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const json::value list = json::parse(text);
  for (const json::value& schema : list.as_array()) {
    plugin.Add(OperationOf(schema.as_object()),
               [](Call& call) { return Ok().Set("operation", call.operation()).Set("received", Received(call)); });
  }
}

std::expected<void, std::string> Init(const Config& config) {
  if (Variable("AWF_DEMO_CONFIG") == "1" && !config.Has("greeting")) return std::unexpected("greeting is missing");
  return {};
}

}  // namespace

int main() {
  Plugin plugin{"demo", "0.1.0", "Operations for awf's tests."};
  plugin.OnInit(Init);
  plugin.OnShutdown([] { std::cout << "demo: shut down\n"; });
  AddAnswers(plugin);
  AddMisbehaviour(plugin);
  if (const std::string path = Variable("AWF_DEMO_OPERATIONS"); !path.empty()) AddAnnounced(plugin, path);
  if (const std::string pause = Variable("AWF_DEMO_SLEEP_MS"); !pause.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds{std::stoi(pause)});
  }
  return plugin.Serve();
}

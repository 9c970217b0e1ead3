// A plugin of awf: a program whose operations agents call as tools and workflows as steps. This is the whole interface.
//
//   using namespace awf::sdk;
//   int main() {
//     Plugin plugin{"demo", "0.1.0", "what it does"};
//     plugin.Add({.name = "add",
//                 .description = "Adds two integers.",
//                 .inputs = {{"a", "integer", Required}, {"b", "integer", Required}},
//                 .outputs = {{"sum", "integer"}}},
//                [](Call& call) -> Result { return Ok().Set("sum", call.Int("a") + call.Int("b")); });
//     return plugin.Serve();
//   }
//
// Threads: every call runs its handler on a thread of its own, many at the same time; what handlers share, they guard.
// Ownership: all classes but Plugin are plain values.
// Errors: a handler returns Failed(text). An exception that leaves a handler becomes such a failure, too.
// Prints: from Serve on, what is written to stdout reaches awf's log and never disturbs the protocol; stderr as well.
#pragma once

#include <concepts>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace awf::sdk {

// A JSON value that goes out, kept as its text. Text that is no UTF-8 is repaired; a number that JSON does not know
// (infinite, NaN) becomes null.
class Value {
 public:
  Value(std::string_view text);
  Value(const std::string& text) : Value(std::string_view{text}) {}
  Value(const char* text) : Value(std::string_view{text}) {}
  Value(const std::vector<std::string>& texts);  // an array of strings
  Value(double number);
  template <std::same_as<bool> T>
  Value(T flag) : json_(flag ? "true" : "false") {}
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Value(T number) : json_(std::to_string(number)) {}

  // `text` is JSON of any kind, made by the caller's own JSON library.
  static Value Json(std::string text);

  const std::string& json() const { return json_; }

 private:
  Value() = default;

  std::string json_;
};

// Named JSON values that came in. A value that is absent, null or of another type than the accessor's gives the
// fallback. Values of declared inputs are checked before the handler runs, so there only absence remains.
class Inputs {
 public:
  using Texts = std::map<std::string, std::string, std::less<>>;  // name to JSON text

  explicit Inputs(Texts texts) : texts_(std::move(texts)) {}

  bool Has(std::string_view name) const;
  std::string String(std::string_view name, std::string_view fallback = {}) const;
  std::int64_t Int(std::string_view name, std::int64_t fallback = 0) const;  // 3.0 is an integer, too
  double Number(std::string_view name, double fallback = 0) const;
  bool Bool(std::string_view name, bool fallback = false) const;
  // The items of an array; those that are no strings as their JSON text.
  std::vector<std::string> Strings(std::string_view name) const;
  // The JSON text of the value; empty when absent. Lives as long as this object.
  std::string_view Json(std::string_view name) const;

  const Texts& texts() const { return texts_; }

 private:
  Texts texts_;
};

// The configuration from .awf/plugins.yaml, the state file and the defaults of plugin.yaml.
class Config : public Inputs {
 public:
  using Inputs::Inputs;
};

// One call of an operation.
class Call : public Inputs {
 public:
  Call(std::string operation, Texts inputs, std::stop_token cancelled = {}, std::string traceparent = {})
      : Inputs(std::move(inputs)),
        operation_(std::move(operation)),
        cancelled_(std::move(cancelled)),
        traceparent_(std::move(traceparent)) {}

  const std::string& operation() const { return operation_; }
  // Stops when nobody waits for the answer any more: cancelled, past its deadline, or awf is gone. A handler that takes
  // long should end then; what it returns is dropped.
  const std::stop_token& cancelled() const { return cancelled_; }
  // The W3C trace context of the call, to hand on to what the handler calls; empty without tracing.
  const std::string& traceparent() const { return traceparent_; }

 private:
  std::string operation_;
  std::stop_token cancelled_;
  std::string traceparent_;
};

// What a call came to. Made by Ok and Failed.
class Result {
 public:
  // Text for the agent.
  Result& Output(std::string_view text) &;
  Result&& Output(std::string_view text) && { return std::move(Output(text)); }
  // A field for the agent and for templates of later steps.
  Result& Set(std::string name, Value value) &;
  Result&& Set(std::string name, Value value) && { return std::move(Set(std::move(name), std::move(value))); }

  bool success() const { return success_; }
  const std::string& error() const { return error_; }
  const std::string& output() const { return output_; }
  const std::map<std::string, Value>& data() const { return data_; }

 private:
  friend Result Ok();
  friend Result Failed(std::string_view text);
  Result() = default;

  bool success_ = true;
  std::string error_;
  std::string output_;
  std::map<std::string, Value> data_;
};

Result Ok();
// `text` tells the agent what went wrong. Output and fields may be added.
Result Failed(std::string_view text);

enum Presence : bool { Optional = false, Required = true };

// `type`: string, integer, number, boolean, array or object. `validation`: empty, url or email; awf checks it.
// `fallback` is told to the agent only: the handler names the same one in its accessor.
struct Input {
  std::string name;
  std::string type = "string";
  Presence presence = Optional;
  std::string description{};
  std::string fallback{};
  std::string validation{};
};

struct Output {
  std::string name;
  std::string type = "string";
  std::string description{};
};

// The agent sees it as tool PLUGIN_NAME: both together at most 48 letters, digits, `_` and `-`.
struct Operation {
  std::string name;
  std::string description{};
  std::vector<Input> inputs{};
  std::vector<Output> outputs{};
};

using Handler = std::function<Result(Call&)>;

struct PluginDefinition;

class Plugin {
 public:
  Plugin(std::string name, std::string version, std::string description);
  ~Plugin();
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  // Runs once, before every call. The error text is shown to the user, and the plugin is not used.
  void OnInit(std::function<std::expected<void, std::string>(const Config&)> init);
  // Runs once when awf stops the plugin in good order, within 1.5 s. A killed plugin does not get there.
  void OnShutdown(std::function<void()> shutdown);
  void Add(Operation operation, Handler handler);

  // Speaks with awf until awf ends the plugin, then ends the process with status 0: stdout is flushed, destructors and
  // other files' buffers are left alone. Returns only when it cannot start: 1, with the reason on stderr. Call it last
  // in main, before any thread is started.
  [[nodiscard]] int Serve();

 private:
  std::unique_ptr<PluginDefinition> definition_;
};

}  // namespace awf::sdk

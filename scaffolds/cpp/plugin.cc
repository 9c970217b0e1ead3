// The plugin @NAME@: each operation is a tool of agents and a step of workflows.
#include <awf/plugin.h>

#include <string>

using namespace awf::sdk;

int main() {
  std::string greeting = "Hello";
  Plugin plugin{"@NAME@", "0.1.0", "what it does, in one line"};
  plugin.OnInit([&](const Config& config) -> std::expected<void, std::string> {
    greeting = config.String("greeting", greeting);
    if (greeting.empty()) return std::unexpected("greeting must not be empty");
    return {};
  });
  plugin.Add({.name = "greet",
              .description = "Greets somebody.",
              .inputs = {{"who", "string", Required, "Whom to greet."}},
              .outputs = {{"text", "string", "The greeting."}}},
             [&](Call& call) -> Result {
               const std::string text = greeting + ", " + call.String("who") + "!";
               return Ok().Output(text).Set("text", text);
             });
  return plugin.Serve();
}

#include "infrastructure/step_channel/handshake.h"

#include "domain/json.h"
#include "infrastructure/step_channel/json_line.h"
#include "infrastructure/step_channel/step_channel.h"

namespace awf::channel {
namespace {

std::string Line(const json::object& object) { return json::serialize(object) + "\n"; }

}  // namespace

std::string HelloLine(std::string_view token, pid_t pid) {
  return Line({{"type", "hello"}, {"version", kVersion}, {"token", token}, {"pid", pid}});
}

std::string WelcomeLine() { return Line({{"type", "welcome"}}); }

std::string RefusedLine(std::string_view reason) { return Line({{"type", "refused"}, {"reason", reason}}); }

std::expected<Hello, std::string> ReadHello(std::string_view line) {
  auto fields = Fields::Parse(line);
  if (!fields) return std::unexpected(std::move(fields).error());
  if (fields->Text("type") != "hello") return std::unexpected("the first message is not hello");
  Hello hello;
  hello.version = static_cast<int>(fields->Number("version", 0, INT32_MAX));
  hello.token = fields->Text("token");
  hello.pid = static_cast<pid_t>(fields->Number("pid", 0, INT32_MAX));
  return fields->Done(std::move(hello));
}

std::expected<void, std::string> ReadAnswer(std::string_view line) {
  auto fields = Fields::Parse(line);
  if (!fields) return std::unexpected(std::move(fields).error());
  const std::string type = fields->Text("type");
  if (type == "welcome") return {};
  if (type == "refused") return std::unexpected(fields->Text("reason"));
  return std::unexpected("unexpected answer to hello");
}

}  // namespace awf::channel

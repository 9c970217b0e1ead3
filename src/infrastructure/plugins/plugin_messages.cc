#include "infrastructure/plugins/plugin_messages.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "domain/parse_json.h"
#include "domain/utf8.h"
#include "goplugin/go_plugin.pb.h"
#include "goplugin/health.pb.h"
#include "plugin/reply.pb.h"
#include "plugin/v1/plugin.pb.h"

namespace awf::plugins {
namespace {

constexpr const char* kUnreadable = "the message cannot be read";

// Nothing when the bytes are no such message.
template <typename Message>
std::optional<Message> Parsed(std::string_view bytes) {
  Message message;
  if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return std::nullopt;
  return message;
}

// JSON has no word for infinity; this reads back as it where that is possible at all. NaN comes from no JSON.
void AppendDouble(std::string& out, double number) {
  if (std::isnan(number)) {
    out += "null";
  } else if (std::isinf(number)) {
    out += number < 0 ? "-1e999" : "1e999";
  } else if (number == 0 && std::signbit(number)) {
    out += "-0.0";  // "-0" reads back as the integer 0
  } else {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
  }
}

void AppendJson(std::string& out, const json::value& value);

void AppendJson(std::string& out, const json::object& object) {
  out += '{';
  for (bool first = true; const auto& [key, member] : object) {
    if (!std::exchange(first, false)) out += ',';
    out += json::serialize(json::string(key));
    out += ':';
    AppendJson(out, member);
  }
  out += '}';
}

void AppendJson(std::string& out, const json::array& array) {
  out += '[';
  for (bool first = true; const json::value& element : array) {
    if (!std::exchange(first, false)) out += ',';
    AppendJson(out, element);
  }
  out += ']';
}

void AppendJson(std::string& out, const json::value& value) {
  if (const json::object* object = value.if_object())
    AppendJson(out, *object);
  else if (const json::array* array = value.if_array())
    AppendJson(out, *array);
  else if (const double* number = value.if_double())
    AppendDouble(out, *number);
  else
    out += json::serialize(value);
}

json::value ValueOf(const std::string& text) {
  if (std::optional<json::value> value = ParseJson(text)) return *std::move(value);
  return json::value(RepairUtf8(text));
}

// Large ones are moved: the pages of another copy cost more than the look.
std::string Repaired(std::string&& text) { return IsValidUtf8(text) ? std::move(text) : RepairUtf8(text); }

Operation OperationOf(const plugin::reply::Operation& wire) {
  Operation operation{RepairUtf8(wire.name()), RepairUtf8(wire.description()), {}, {}};
  for (const plugin::reply::Input& input : wire.inputs()) {
    operation.inputs.push_back({RepairUtf8(input.name()), RepairUtf8(input.type()), input.required(),
                                RepairUtf8(input.default_()), RepairUtf8(input.description()),
                                RepairUtf8(input.validation())});
  }
  for (const plugin::reply::Output& output : wire.outputs())
    operation.outputs.push_back(
        {RepairUtf8(output.name()), RepairUtf8(output.type()), RepairUtf8(output.description())});
  return operation;
}

}  // namespace

std::string JsonText(const json::value& value) {
  std::string text;
  AppendJson(text, value);
  return text;
}

std::string InitRequestOf(const json::object& config) {
  plugin::v1::InitRequest request;
  for (const auto& [name, value] : config) (*request.mutable_config())[std::string(name)] = JsonText(value);
  return request.SerializeAsString();
}

std::string ExecuteRequestOf(std::string_view operation, const json::object& inputs) {
  plugin::v1::ExecuteRequest request;
  request.set_operation(std::string(operation));
  for (const auto& [name, value] : inputs) (*request.mutable_inputs())[std::string(name)] = JsonText(value);
  return request.SerializeAsString();
}

std::string HealthRequestOf(std::string_view service) {
  grpc::health::v1::HealthCheckRequest request;
  request.set_service(std::string(service));
  return request.SerializeAsString();
}

std::expected<PluginInfo, std::string> ReadInfoReply(std::string_view reply) {
  const auto wire = Parsed<plugin::reply::Info>(reply);
  if (!wire) return std::unexpected(kUnreadable);
  PluginInfo info{RepairUtf8(wire->name()), RepairUtf8(wire->version()), RepairUtf8(wire->description()), {}};
  for (const std::string& capability : wire->capabilities()) info.capabilities.push_back(RepairUtf8(capability));
  return info;
}

std::expected<std::vector<Operation>, std::string> ReadOperationsReply(std::string_view reply) {
  const auto wire = Parsed<plugin::reply::Operations>(reply);
  if (!wire) return std::unexpected(kUnreadable);
  std::vector<Operation> operations;
  for (const plugin::reply::Operation& operation : wire->operations()) operations.push_back(OperationOf(operation));
  return operations;
}

std::expected<OperationResult, std::string> ReadExecuteReply(std::string_view reply) {
  auto wire = Parsed<plugin::reply::Result>(reply);
  if (!wire) return std::unexpected(kUnreadable);
  OperationResult result;
  result.success = wire->success();
  result.output = Repaired(std::move(*wire->mutable_output()));
  result.error = RepairUtf8(wire->error());
  std::map<std::string, const std::string*> sorted;
  for (const plugin::reply::Entry& entry : wire->data()) sorted[RepairUtf8(entry.key())] = &entry.value();
  for (const auto& [key, text] : sorted) result.data[key] = ValueOf(*text);
  return result;
}

std::expected<StdioMessage, std::string> ReadStdioMessage(std::string_view message) {
  auto wire = Parsed<plugin::StdioData>(message);
  if (!wire) return std::unexpected(kUnreadable);
  return StdioMessage{wire->channel() == plugin::StdioData::STDERR, std::move(*wire->mutable_data())};
}

std::expected<std::string, std::string> ReadHealthReply(std::string_view reply) {
  using Response = grpc::health::v1::HealthCheckResponse;
  const auto wire = Parsed<Response>(reply);
  if (!wire) return std::unexpected(kUnreadable);
  switch (wire->status()) {
    case Response::UNKNOWN:
      return "UNKNOWN";
    case Response::SERVING:
      return std::string(kServing);
    case Response::NOT_SERVING:
      return "NOT_SERVING";
    case Response::SERVICE_UNKNOWN:
      return "SERVICE_UNKNOWN";
    default:
      return "status " + std::to_string(static_cast<int>(wire->status()));
  }
}

}  // namespace awf::plugins

#include "services.h"

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "awf/plugin.h"
#include "goplugin/go_plugin.pb.h"
#include "json.h"
#include "plugin/v1/plugin.pb.h"
#include "utf8.h"

namespace awf::sdk {
namespace {

namespace wire = ::plugin::v1;

template <typename Message>
RpcAnswer Reply(const Message& message) {
  return {.message = message.SerializeAsString()};
}

RpcAnswer Unreadable() { return {.code = kRpcInternal, .error = "the request cannot be read"}; }

Inputs::Texts TextsOf(const google::protobuf::Map<std::string, std::string>& values) {
  return {values.begin(), values.end()};
}

wire::OperationSchema SchemaOf(const Operation& operation) {
  wire::OperationSchema schema;
  schema.set_name(RepairedUtf8(operation.name));
  schema.set_description(RepairedUtf8(operation.description));
  for (const Input& input : operation.inputs) {
    wire::InputSchema& added = *schema.add_inputs();
    added.set_name(RepairedUtf8(input.name));
    added.set_type(RepairedUtf8(input.type));
    added.set_required(input.presence == Required);
    added.set_default_(RepairedUtf8(input.fallback));
    added.set_description(RepairedUtf8(input.description));
    added.set_validation(RepairedUtf8(input.validation));
  }
  for (const Output& output : operation.outputs) {
    wire::OutputSchema& added = *schema.add_outputs();
    added.set_name(RepairedUtf8(output.name));
    added.set_type(RepairedUtf8(output.type));
    added.set_description(RepairedUtf8(output.description));
  }
  return schema;
}

// Runs code of the plugin's author. What it throws becomes the error, in words.
template <typename Code>
std::optional<std::string> Caught(Code code) {
  try {
    code();
    return std::nullopt;
  } catch (const std::exception& error) {
    return "plugin panic: " + RepairedUtf8(error.what());
  } catch (...) {
    return "plugin panic: an exception of unknown type";
  }
}

// Other hosts than awf may send what the schema does not allow. Nothing: the inputs fit.
std::optional<std::string> Misfit(const Operation& operation, const Inputs& inputs) {
  for (const Input& input : operation.inputs) {
    if (inputs.Has(input.name)) {
      if (HasType(inputs.Json(input.name), input.type)) continue;
      return "input \"" + input.name + "\" must be " + std::string{TypeInWords(input.type)};
    }
    if (input.presence == Required) return "input \"" + input.name + "\" is required";
  }
  return std::nullopt;
}

Result Run(const PluginDefinition& plugin, Call& call) {
  const RegisteredOperation* operation = plugin.Find(call.operation());
  if (operation == nullptr) return Failed("unknown operation \"" + call.operation() + "\"");
  if (const auto misfit = Misfit(operation->schema, call)) return Failed(*misfit);
  Result result = Ok();
  if (const auto error = Caught([&] { result = operation->handler(call); })) return Failed(*error);
  return result;
}

}  // namespace

RpcAnswer Services::Answer(Rpc& rpc) {
  using Method = RpcAnswer (Services::*)(Rpc&);
  static const std::map<std::string_view, Method> methods = {
      {"/plugin.v1.PluginService/GetInfo", &Services::GetInfo},
      {"/plugin.v1.PluginService/Init", &Services::Init},
      {"/plugin.v1.PluginService/Shutdown", &Services::Shutdown},
      {"/plugin.v1.OperationService/ListOperations", &Services::ListOperations},
      {"/plugin.v1.OperationService/GetOperation", &Services::GetOperation},
      {"/plugin.v1.OperationService/Execute", &Services::Execute},
      {"/plugin.GRPCController/Shutdown", &Services::EndProcess},
      {"/plugin.GRPCStdio/StreamStdio", &Services::StreamStdio},
  };
  const auto found = methods.find(rpc.method());
  if (found == methods.end()) return {.code = kRpcUnimplemented, .error = "unknown method"};
  RpcAnswer answer;
  if (const auto error = Caught([&] { answer = (this->*found->second)(rpc); })) {
    return {.code = kRpcInternal, .error = *error};
  }
  return answer;
}

RpcAnswer Services::GetInfo(Rpc&) {
  wire::GetInfoResponse info;
  info.set_name(RepairedUtf8(plugin_.name));
  info.set_version(RepairedUtf8(plugin_.version));
  info.set_description(RepairedUtf8(plugin_.description));
  info.add_capabilities("operations");
  return Reply(info);
}

RpcAnswer Services::Init(Rpc& rpc) {
  wire::InitRequest request;
  if (!request.ParseFromString(rpc.request())) return Unreadable();
  std::expected<void, std::string> done;
  const auto error = Caught([&] {
    if (plugin_.init) done = plugin_.init(Config{TextsOf(request.config())});
  });
  if (error) return {.code = kRpcUnknown, .error = *error};
  if (!done) return {.code = kRpcUnknown, .error = RepairedUtf8(done.error())};
  return Reply(wire::InitResponse{});
}

RpcAnswer Services::Shutdown(Rpc&) {
  const auto error = Caught([&] {
    if (plugin_.shutdown) plugin_.shutdown();
  });
  if (error) return {.code = kRpcUnknown, .error = *error};
  return Reply(wire::ShutdownResponse{});
}

RpcAnswer Services::ListOperations(Rpc&) {
  wire::ListOperationsResponse list;
  for (const RegisteredOperation& operation : plugin_.operations) *list.add_operations() = SchemaOf(operation.schema);
  return Reply(list);
}

RpcAnswer Services::GetOperation(Rpc& rpc) {
  wire::GetOperationRequest request;
  if (!request.ParseFromString(rpc.request())) return Unreadable();
  const RegisteredOperation* operation = plugin_.Find(request.name());
  if (operation == nullptr) return {.code = kRpcUnknown, .error = "unknown operation \"" + request.name() + "\""};
  wire::GetOperationResponse response;
  *response.mutable_operation() = SchemaOf(operation->schema);
  return Reply(response);
}

RpcAnswer Services::Execute(Rpc& rpc) {
  wire::ExecuteRequest request;
  if (!request.ParseFromString(rpc.request())) return Unreadable();
  Call call{request.operation(), TextsOf(request.inputs()), rpc.cancelled(), rpc.traceparent()};
  const Result result = Run(plugin_, call);
  wire::ExecuteResponse response;
  response.set_success(result.success());
  response.set_output(result.output());
  response.set_error(result.error());
  for (const auto& [name, value] : result.data()) (*response.mutable_data())[RepairedUtf8(name)] = value.json();
  return Reply(response);
}

RpcAnswer Services::EndProcess(Rpc&) {
  RpcAnswer answer = Reply(::plugin::Nothing{});
  answer.ends_server = true;
  return answer;
}

RpcAnswer Services::StreamStdio(Rpc& rpc) {
  while (std::optional<std::string> piece = prints_.Fetch(rpc.cancelled())) {
    ::plugin::StdioData data;
    data.set_channel(::plugin::StdioData::STDOUT);
    data.set_data(*piece);
    if (rpc.Send(data.SerializeAsString())) continue;
    prints_.GiveBack(*std::move(piece));
    break;
  }
  return {};
}

}  // namespace awf::sdk

// Names of spans and of their attributes that come from the OpenTelemetry semantic conventions
// (semantic-conventions-genai as of autumn 2026; all gen_ai.* and mcp.* are at stage Development, rpc.* are stable). A
// change there is a change here and nowhere else.
#pragma once

namespace awf::span_names {

inline constexpr char kErrorType[] = "error.type";
inline constexpr char kExceptionEvent[] = "exception";
inline constexpr char kExceptionType[] = "exception.type";
inline constexpr char kExceptionMessage[] = "exception.message";
inline constexpr char kProcessExitCode[] = "process.exit.code";
inline constexpr char kNetworkTransport[] = "network.transport";
inline constexpr char kOperation[] = "gen_ai.operation.name";
inline constexpr char kWorkflow[] = "gen_ai.workflow.name";
inline constexpr char kAgent[] = "gen_ai.agent.name";
inline constexpr char kProvider[] = "gen_ai.provider.name";
inline constexpr char kModel[] = "gen_ai.request.model";
inline constexpr char kConversation[] = "gen_ai.conversation.id";
inline constexpr char kInputTokens[] = "gen_ai.usage.input_tokens";
inline constexpr char kOutputTokens[] = "gen_ai.usage.output_tokens";
inline constexpr char kTool[] = "gen_ai.tool.name";
inline constexpr char kToolType[] = "gen_ai.tool.type";
inline constexpr char kToolCallId[] = "gen_ai.tool.call.id";
inline constexpr char kCallArguments[] = "gen_ai.tool.call.arguments";
inline constexpr char kCallResult[] = "gen_ai.tool.call.result";
inline constexpr char kMcpMethod[] = "mcp.method.name";
inline constexpr char kMcpProtocol[] = "mcp.protocol.version";
inline constexpr char kRequestId[] = "jsonrpc.request.id";
inline constexpr char kRpcSystem[] = "rpc.system.name";
inline constexpr char kRpcSystemGrpc[] = "grpc";
inline constexpr char kRpcMethod[] = "rpc.method";
inline constexpr char kRpcStatus[] = "rpc.response.status_code";

// awf's own: the conventions know an RPC as a span.
inline constexpr char kRpcEvent[] = "rpc";

// Of OpenInference, in place since its first version.
inline constexpr char kOpenInferenceKind[] = "openinference.span.kind";
inline constexpr char kOpenInferenceTool[] = "TOOL";

// Values of gen_ai.operation.name and mcp.method.name, which are the beginnings of span names, too.
inline constexpr char kInvokeWorkflow[] = "invoke_workflow";
inline constexpr char kInvokeAgent[] = "invoke_agent";
inline constexpr char kExecuteTool[] = "execute_tool";
inline constexpr char kToolsCall[] = "tools/call";

}  // namespace awf::span_names

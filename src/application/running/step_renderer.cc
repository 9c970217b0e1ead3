#include "application/running/step_renderer.h"

#include <system_error>
#include <utility>

#include "application/language/duration.h"
#include "application/language/inputs.h"
#include "application/language/provider_options.h"
#include "application/language/template.h"
#include "application/language/template_functions.h"
#include "application/running/rendered_json.h"
#include "domain/trace_context.h"
#include "domain/trimmed.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

// Of what is there, but will not do.
constexpr const char* kInvalid = "WORKFLOW.PARSE.INVALID_VALUE";
// The kernel refuses to start a program with an environment string of more than 128 KiB.
constexpr std::size_t kMaxVariable = 128U * 1024 - 1024;

std::unexpected<Error> Wrong(std::string code, std::string message, const State& state, std::string field,
                             Position position, std::string hint = {}) {
  return std::unexpected(
      Error{std::move(code), std::move(message), std::move(hint), std::move(position), state.name, std::move(field)});
}

// The content of a file as a template whose positions are the file's.
TemplateText TextOfFile(std::string content, const fs::path& path) {
  TemplateText text{std::move(content), {path.string(), 1, 1}, {}};
  std::size_t line = 1;
  for (std::size_t at = 0; at != std::string::npos && HasTemplate(text.text); ++line) {
    text.marks.push_back({at, line, 1});
    const std::size_t feed = text.text.find('\n', at);
    at = feed == std::string::npos ? feed : feed + 1;
  }
  return text;
}

}  // namespace

std::expected<std::string, Error> StepRenderer::Text(const State& state, const TemplateText& text,
                                                     const std::string& field) const {
  if (!HasTemplate(text.text)) return text.text;
  const auto parsed = Template::Parse(text.text);
  auto rendered = parsed ? parsed->Render(scope_) : std::unexpected(parsed.error());
  if (rendered) return std::move(*rendered);
  const TemplateFault& fault = rendered.error();
  return Wrong(fault.code, fault.message, state, field, text.At(fault.offset), fault.hint);
}

std::expected<json::value, Error> StepRenderer::Value(const State& state, const TemplateText& text,
                                                      const std::string& field) const {
  const auto parsed = Template::Parse(text.text);
  auto value = parsed ? parsed->Evaluate(scope_) : std::unexpected(parsed.error());
  if (value) return std::move(*value);
  const TemplateFault& fault = value.error();
  return Wrong(fault.code, fault.message, state, field, text.At(fault.offset), fault.hint);
}

std::expected<fs::path, Error> StepRenderer::Folder(const State& state, std::string code) const {
  const auto text = Text(state, state.dir, "dir");
  if (!text) return std::unexpected(text.error());
  fs::path folder = (run_.working_dir / *text).lexically_normal();
  if (!folder.has_filename() && folder.has_relative_path()) folder = folder.parent_path();  // no slash at the end
  std::error_code fault;
  if (fs::is_directory(folder, fault)) return folder;
  return Wrong(std::move(code), "the working directory " + folder.string() + " does not exist", state, "dir",
               state.dir.position);
}

std::expected<std::optional<std::chrono::milliseconds>, Error> StepRenderer::Timeout(const State& state) const {
  std::chrono::milliseconds limit{0};
  if (!state.timeout) {
    if (std::holds_alternative<CommandState>(state.body) || std::holds_alternative<OperationState>(state.body))
      limit = run_.step_timeout;
    if (std::holds_alternative<AgentState>(state.body)) limit = run_.agent_timeout;
  } else if (state.timeout->value) {
    limit = *state.timeout->value;
  } else {
    const auto text = Text(state, state.timeout->text, "timeout");
    if (!text) return std::unexpected(text.error());
    const auto parsed = ParseDuration(*text);
    if (!parsed) {
      return Wrong(kInvalid, "timeout '" + *text + "' " + parsed.error(), state, "timeout", state.timeout->position);
    }
    limit = *parsed;
  }
  if (limit.count() == 0) return std::nullopt;
  return limit;
}

std::vector<std::pair<std::string, std::string>> StepRenderer::Environment(const StepContext& context) const {
  std::vector<std::pair<std::string, std::string>> variables = {{"AWF_RUN_ID", run_.run_id},
                                                                {"AWF_STEP", context.step}};
  const json::object* inputs = scope_.Namespace("inputs");
  for (const auto& [name, value] : inputs == nullptr ? json::object() : *inputs) {
    if (value.is_null()) continue;
    std::string text = TextOf(value);
    if (text.size() <= kMaxVariable) variables.emplace_back(InputVariable(name), std::move(text));
  }
  for (auto& variable : TraceVariables(run_.tracing, context.trace_id, context.span_id))
    variables.push_back(std::move(variable));
  return variables;
}

std::expected<std::string, Error> StepRenderer::FileText(const State& state, const TemplateText& path,
                                                         const std::string& field, fs::path& found) const {
  const auto written = Text(state, path, field);
  if (!written) return std::unexpected(written.error());
  if (Trimmed(*written).empty()) return Wrong(kInvalid, "the path is empty", state, field, path.position);
  if (scope_.files == nullptr) {
    return Wrong("SYSTEM.INTERNAL.UNMAPPED", "the run has no access to files", state, field, path.position);
  }
  found = run_.folders.Resolve(*written, workflow_folder_, scope_.environment, *scope_.files);
  auto text = scope_.files->Read(found);
  if (text) return std::move(*text);
  return Wrong(text.error().code, text.error().message, state, field, path.position, text.error().hint);
}

std::expected<CommandRequest, Error> StepRenderer::Command(const State& state, const CommandState& command,
                                                           const StepContext& context) const {
  auto request = command.script_file.empty() ? HookCommand(state, command.command, context)
                                             : Script(state, command.script_file, context);
  if (!request) return request;
  request->max_output = state.capture.max_size;
  request->encoding = state.capture.encoding;
  return request;
}

std::expected<CommandRequest, Error> StepRenderer::Script(const State& state, const TemplateText& file,
                                                          const StepContext& context) const {
  fs::path path;
  auto script = FileText(state, file, "script_file", path);
  if (!script) return std::unexpected(script.error());
  auto request = WithoutText(state, context);
  if (request) request->script = std::move(*script);
  return request;
}

std::expected<CommandRequest, Error> StepRenderer::HookCommand(const State& state, const TemplateText& command,
                                                               const StepContext& context) const {
  auto text = Text(state, command, "command");
  if (!text) return std::unexpected(text.error());
  if (text->find('\0') != std::string::npos) {
    return Wrong("EXECUTION.COMMAND.SPAWN_FAILED", "the command holds a NUL byte", state, "command", command.position);
  }
  auto request = WithoutText(state, context);
  if (request) request->command = std::move(*text);
  return request;
}

// The surroundings, which are the same for command and script.
std::expected<CommandRequest, Error> StepRenderer::WithoutText(const State& state, const StepContext& context) const {
  CommandRequest request;
  request.step = context;
  auto folder = Folder(state, "EXECUTION.COMMAND.SPAWN_FAILED");
  if (!folder) return std::unexpected(folder.error());
  request.working_dir = std::move(*folder);
  request.set_env = Environment(context);
  return request;
}

std::expected<std::string, Error> StepRenderer::Provider(const State& state, const AgentState& agent,
                                                         std::string& written) const {
  auto text = Text(state, agent.provider, "provider");
  if (!text) return std::unexpected(text.error());
  written = std::move(*text);
  auto provider = ResolveProvider(written);
  if (provider) return provider;
  const Error& fault = provider.error();
  return Wrong(fault.code, fault.message, state, "provider", agent.provider.position, fault.hint);
}

std::expected<std::string, Error> StepRenderer::Prompt(const State& state, const AgentState& agent) const {
  const bool from_file = !agent.prompt_file.empty();
  const std::string field = from_file ? "prompt_file" : "prompt";
  TemplateText text = agent.prompt;
  if (from_file) {
    fs::path path;
    auto content = FileText(state, agent.prompt_file, field, path);
    if (!content) return std::unexpected(content.error());
    text = TextOfFile(std::move(*content), path);
  }
  auto prompt = Text(state, text, field);
  if (!prompt || !Trimmed(*prompt).empty()) return prompt;
  return Wrong(kInvalid, "the prompt is empty", state, field,
               from_file ? agent.prompt_file.position : agent.prompt.position);
}

std::expected<AgentRequest, Error> StepRenderer::Agent(const State& state, const AgentState& agent,
                                                       const StepContext& context) const {
  AgentRequest request;
  request.step = context;
  auto provider = Provider(state, agent, request.provider_as_written);
  if (!provider) return std::unexpected(provider.error());
  request.provider = std::move(*provider);
  auto prompt = Prompt(state, agent);
  if (!prompt) return std::unexpected(prompt.error());
  request.prompt = std::move(*prompt);
  auto system_prompt = Text(state, agent.system_prompt, "system_prompt");
  if (!system_prompt) return std::unexpected(system_prompt.error());
  request.system_prompt = std::move(*system_prompt);
  auto options = Options(state, agent, request.provider);
  if (!options) return std::unexpected(options.error());
  request.options = std::move(*options);
  auto folder = Folder(state, "EXECUTION.AGENT.FAILED");
  if (!folder) return std::unexpected(folder.error());
  request.working_dir = std::move(*folder);
  auto proxy = Proxy(state, agent, request.working_dir);
  if (!proxy) return std::unexpected(proxy.error());
  request.proxy = std::move(*proxy);
  return request;
}

std::expected<json::object, Error> StepRenderer::Inputs(const State& state, const OperationState& operation) const {
  const auto render = [&](const TemplateText& text, const std::string& path) {
    return Value(state, text, "inputs." + path);
  };
  json::object rendered;
  for (const auto& [name, value] : operation.inputs) {
    auto item = RenderedJson(value, operation.input_templates, std::string(name), render);
    if (!item) return std::unexpected(item.error());
    rendered[name] = std::move(*item);
  }
  return rendered;
}

StepStart StepRenderer::AgentStart(const State& state, const AgentState& agent) const {
  StepStart start;
  std::string written;
  if (const auto provider = Provider(state, agent, written)) {
    start.provider = *provider;
    const auto options = Options(state, agent, *provider);
    const json::value* model = options ? options->if_contains("model") : nullptr;
    if (model != nullptr && model->is_string()) start.model = model->get_string();
  }
  start.proxy_set = agent.mcp_proxy.has_value();
  start.proxy = agent.mcp_proxy && agent.mcp_proxy->enable;
  if (!start.proxy) return start;
  start.intercept = agent.mcp_proxy->intercept_builtins;
  start.sandbox = ToString(agent.mcp_proxy->sandbox.mode);
  return start;
}

std::expected<json::object, Error> StepRenderer::Options(const State& state, const AgentState& agent,
                                                         const std::string& provider) const {
  const auto render = [&](const TemplateText& text, const std::string& path) -> std::expected<json::value, Error> {
    const auto rendered = Text(state, text, "options." + path);
    if (!rendered) return std::unexpected(rendered.error());
    return json::value(*rendered);
  };
  json::object rendered;
  for (const auto& [key, value] : agent.options) {
    auto item = RenderedJson(value, agent.option_templates, std::string(key), render);
    if (!item) return std::unexpected(item.error());
    rendered[key] = std::move(*item);
  }
  const auto configured = run_.providers.find(provider);
  const json::object* defaults = configured == run_.providers.end() ? nullptr : &configured->second.options;
  CheckedOptions checked =
      CheckProviderOptions({provider, rendered, agent.option_sources, true, defaults}, scope_.environment);
  for (Finding& finding : checked.findings) {
    if (finding.severity != Severity::kError) continue;
    const auto position = agent.option_positions.find(finding.error.field);
    return Wrong(finding.error.code, finding.error.message, state,
                 finding.error.field.empty() ? "options" : "options." + finding.error.field,
                 position == agent.option_positions.end() ? agent.provider.position : position->second,
                 finding.error.hint);
  }
  return std::move(checked.options);
}

std::expected<std::optional<McpProxySettings>, Error> StepRenderer::Proxy(const State& state, const AgentState& agent,
                                                                          const fs::path& folder) const {
  if (!agent.mcp_proxy || !agent.mcp_proxy->enable) return std::nullopt;
  McpProxySettings proxy = *agent.mcp_proxy;
  // Commands cannot be confined by this build: only the implicit default may degrade, what was asked for must hold.
  const bool wants_mode = proxy.sandbox.explicit_mode && proxy.sandbox.mode != SandboxMode::kOff;
  if (wants_mode || !proxy.sandbox.network) {
    const std::string wanted = wants_mode ? "sandbox: " + std::string(ToString(proxy.sandbox.mode)) : "network: false";
    return Wrong("USER.MCP_PROXY.UNSUPPORTED_PROVIDER",
                 wanted + " cannot be enforced: this build cannot confine commands", state, "mcp_proxy.sandbox",
                 agent.mcp_proxy_position, "leave the sandbox out, or set it to off");
  }
  for (auto* folders : {&proxy.sandbox.write, &proxy.sandbox.read}) {
    for (fs::path& path : *folders) {
      const std::string text = path.string();
      if (text == "~" || text.starts_with("~/")) path = scope_.environment("HOME").value_or("/") + text.substr(1);
      path = (folder / path).lexically_normal();
    }
  }
  return proxy;
}

}  // namespace awf

#include "application/step_renderer.h"

#include <system_error>
#include <utility>

#include "application/duration.h"
#include "application/inputs.h"
#include "application/template.h"
#include "application/template_functions.h"
#include "domain/trace_context.h"

namespace awf {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUndefined = "EXECUTION.TEMPLATE.UNDEFINED";
// The kernel refuses to start a program with an environment string of more than 128 KiB.
constexpr std::size_t kMaxVariable = 128U * 1024 - 1024;

std::unexpected<Error> Wrong(std::string code, std::string message, const State& state, std::string field,
                             Position position, std::string hint = {}) {
  return std::unexpected(
      Error{std::move(code), std::move(message), std::move(hint), std::move(position), state.name, std::move(field)});
}

bool IsBlank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

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

std::expected<Deadline, Error> StepRenderer::DeadlineOf(const State& state, Deadline by_default) const {
  if (!state.timeout) return by_default;
  std::chrono::milliseconds limit{0};
  if (state.timeout->value) {
    limit = *state.timeout->value;
  } else {
    const auto text = Text(state, state.timeout->text, "timeout");
    if (!text) return std::unexpected(text.error());
    const auto parsed = ParseDuration(*text);
    if (!parsed) {
      return Wrong(std::string(kUndefined), "timeout '" + *text + "' " + parsed.error(), state, "timeout",
                   state.timeout->position);
    }
    limit = *parsed;
  }
  if (limit.count() == 0) return Deadline();
  return Deadline(SteadyClock::now() + limit);
}

std::vector<std::pair<std::string, std::string>> StepRenderer::Environment(const StepContext& context) const {
  std::vector<std::pair<std::string, std::string>> variables = {{"AWF_RUN_ID", run_.run_id},
                                                                {"AWF_STEP", context.step}};
  for (const auto& [name, value] : run_.inputs) {
    if (value.is_null()) continue;
    std::string text = TextOf(value);
    if (text.size() <= kMaxVariable) variables.emplace_back(InputVariable(name), std::move(text));
  }
  if (run_.spans) variables.emplace_back("TRACEPARENT", FormatTraceParent(context.trace_id, context.span_id));
  return variables;
}

std::expected<CommandRequest, Error> StepRenderer::Command(const State& state, const CommandState& command,
                                                           const StepContext& context) const {
  CommandRequest request;
  request.step = context;
  auto text = Text(state, command.command, "command");
  if (!text) return std::unexpected(text.error());
  if (text->find('\0') != std::string::npos) {
    return Wrong("EXECUTION.COMMAND.SPAWN_FAILED", "the command holds a NUL byte", state, "command",
                 command.command.position);
  }
  request.command = std::move(*text);
  auto folder = Folder(state, "EXECUTION.COMMAND.SPAWN_FAILED");
  if (!folder) return std::unexpected(folder.error());
  request.working_dir = std::move(*folder);
  request.set_env = Environment(context);
  request.cancelled = run_.cancelled;
  const auto deadline = DeadlineOf(state, std::nullopt);
  if (!deadline) return std::unexpected(deadline.error());
  request.deadline = *deadline;
  return request;
}

std::expected<AgentRequest, Error> StepRenderer::Agent(const State& state, const AgentState& agent,
                                                       const StepContext& context) const {
  AgentRequest request;
  request.step = context;
  auto written = Text(state, agent.provider, "provider");
  if (!written) return std::unexpected(written.error());
  request.provider_as_written = std::move(*written);
  const auto provider = ResolveProvider(request.provider_as_written);
  if (!provider) {
    return Wrong(provider.error().code, provider.error().message, state, "provider", agent.provider.position,
                 provider.error().hint);
  }
  request.provider = *provider;
  auto prompt = Text(state, agent.prompt, "prompt");
  if (!prompt) return std::unexpected(prompt.error());
  if (IsBlank(*prompt)) {
    return Wrong(std::string(kUndefined), "the prompt is empty", state, "prompt", agent.prompt.position);
  }
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
  request.cancelled = run_.cancelled;
  const auto deadline = DeadlineOf(state, SteadyClock::now() + kDefaultAgentTimeout);
  if (!deadline) return std::unexpected(deadline.error());
  request.deadline = *deadline;
  return request;
}

std::expected<json::object, Error> StepRenderer::Options(const State& state, const AgentState& agent,
                                                         const std::string& provider) const {
  json::object rendered;
  for (const auto& [key, value] : agent.options) {
    auto item = OptionValue(state, agent, value, std::string(key));
    if (!item) return std::unexpected(item.error());
    rendered[key] = std::move(*item);
  }
  CheckedOptions checked = CheckProviderOptions({provider, rendered, agent.option_sources, true}, environment_);
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

std::expected<json::value, Error> StepRenderer::OptionValue(const State& state, const AgentState& agent,
                                                            const json::value& value, const std::string& path) const {
  if (value.is_string()) {
    const auto text = agent.option_templates.find(path);
    if (text == agent.option_templates.end()) return value;
    const auto rendered = Text(state, text->second, "options." + path);
    if (!rendered) return std::unexpected(rendered.error());
    return json::value(*rendered);
  }
  if (value.is_array()) {
    json::array list;
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
      auto item = OptionValue(state, agent, value.get_array()[i], path + "[" + std::to_string(i) + "]");
      if (!item) return item;
      list.push_back(std::move(*item));
    }
    return list;
  }
  if (value.is_object()) {
    json::object map;
    for (const auto& [key, inner] : value.get_object()) {
      auto item = OptionValue(state, agent, inner, path + "." + std::string(key));
      if (!item) return item;
      map[key] = std::move(*item);
    }
    return map;
  }
  return value;
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
      if (text == "~" || text.starts_with("~/")) path = environment_("HOME").value_or("/") + text.substr(1);
      path = (folder / path).lexically_normal();
    }
  }
  return proxy;
}

}  // namespace awf

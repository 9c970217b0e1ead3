#include "cli/run_setup.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "application/language/characters.h"
#include "infrastructure/otlp/resource.h"

namespace awf::cli {
namespace {

constexpr std::string_view kFileExporter = "file:";

struct NamedExporter {
  std::string name, origin;
};

NamedExporter ExporterOf(const RunOptions& options, const GetVariable& get) {
  if (options.otel_exporter)
    return {options.otel_exporter->empty() ? "none" : *options.otel_exporter, "--otel-exporter"};
  if (auto variable = get("OTEL_TRACES_EXPORTER")) return {std::move(*variable), "OTEL_TRACES_EXPORTER"};
  const std::string& configured = options.config.telemetry.exporter;
  return {configured.empty() ? "none" : configured, "telemetry.exporter of the configuration"};
}

// OTEL_SDK_DISABLED.
std::expected<bool, Error> Disabled(const GetVariable& get) {
  const std::string written = get("OTEL_SDK_DISABLED").value_or("false");
  std::string value = written;
  std::ranges::transform(value, value.begin(), ToLower);
  if (value == "true" || value == "false") return value == "true";
  std::string message = "OTEL_SDK_DISABLED: '";
  message.append(written).append("' is neither true nor false");
  return Fail("USER.INPUT.INVALID_FORMAT", std::move(message), "Use true or false.");
}

bool Holds(std::string_view text, char c) { return std::ranges::find(text, c) != text.end(); }

std::expected<TraceTarget, Error> TargetOf(const NamedExporter& exporter, const GetVariable& get) {
  TraceTarget target;
  if (exporter.name == "file" || exporter.name == kFileExporter) {
    target.in_run_folder = true;
  } else if (exporter.name.starts_with(kFileExporter)) {
    target.file = exporter.name.substr(kFileExporter.size());
  } else if (exporter.name == "console") {
    target.console = true;
  } else if (Holds(exporter.name, ',') && !Holds(exporter.name, ':')) {
    return Fail("USER.INPUT.INVALID_FORMAT", exporter.origin + ": there can be one exporter only",
                "Choose one; --trace-file may stand beside it.");
  } else if (exporter.name != "none") {
    auto settings = otlp::ResolveExport(exporter.name, exporter.origin, get);
    if (!settings) return std::unexpected(std::move(settings.error()));
    target.collector = std::move(*settings);
  }
  return target;
}

// The name that stands behind `prefix` in a template, from `at` on; moves `at` behind it.
std::string NameBehind(std::string_view text, std::string_view prefix, std::size_t& at) {
  at = text.find(prefix, at);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + prefix.size();
  for (at = begin; at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');)
    ++at;
  return std::string(text.substr(begin, at - begin));
}

// What options say of secrets: strings under a key that speaks of one, at any depth, and passwords in URLs.
class OptionSecrets {
 public:
  OptionSecrets(const json::object& inputs, Masker& masker) : inputs_(inputs), masker_(masker) {}

  void Learn(const json::value& value, bool secret) {
    if (const auto* object = value.if_object()) {
      for (const auto& [key, member] : *object) Learn(member, secret || masker_.names().Covers(key));
    } else if (const auto* array = value.if_array()) {
      for (const json::value& element : *array) Learn(element, secret);
    } else if (const auto* text = value.if_string()) {
      masker_.AddUrlPasswords(*text);
      if (secret) LearnText(*text);
    }
  }

 private:
  // A template is no value itself; the variables and inputs that it names are.
  void LearnText(std::string_view text) {
    if (text.find("{{") == std::string_view::npos) return masker_.AddSecret(text);
    for (std::size_t at = 0; at != std::string_view::npos;)
      masker_.AddSecret(NonEmptyVariable(NameBehind(text, "env.", at)).value_or(""));
    for (std::size_t at = 0; at != std::string_view::npos;) {
      const json::value* value = inputs_.if_contains(NameBehind(text, "inputs.", at));
      if (value != nullptr && value->is_string()) masker_.AddSecret(value->get_string());
    }
  }

  const json::object& inputs_;
  Masker& masker_;
};

}  // namespace

std::optional<std::string> NonEmptyVariable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::expected<std::filesystem::path, Error> WorkingDirectory() {
  std::error_code cause;
  std::filesystem::path folder = std::filesystem::current_path(cause);
  if (cause)
    return Fail("SYSTEM.IO.READ_FAILED", "no working directory: " + cause.message(), "Go to a folder that exists.");
  return folder;
}

std::expected<std::filesystem::path, Error> StorageFolder(const std::string& option, const GetVariable& get) {
  if (!option.empty()) return option;
  if (const auto storage = get("AWF_STORAGE")) return *storage;
  if (const auto data = get("XDG_DATA_HOME"); data && data->starts_with('/'))
    return std::filesystem::path(*data) / "awf";
  if (const auto home = get("HOME")) return std::filesystem::path(*home) / ".local" / "share" / "awf";
  return Fail("USER.INPUT.INVALID_FORMAT", "there is no place for the records of the run: HOME is not set",
              "Give --storage DIR.");
}

std::expected<TraceTarget, Error> ChooseTrace(const RunOptions& options, const GetVariable& get) {
  const NamedExporter exporter = ExporterOf(options, get);
  TraceTarget target;
  target.in_run_folder = options.trace_file;
  if (exporter.name != "none") {
    const auto disabled = Disabled(get);
    if (!disabled) return std::unexpected(disabled.error());
    // Its name must be right all the same; variables that only an export asks for may say what they like.
    auto exported =
        *disabled ? TargetOf(exporter, [](const std::string&) { return std::nullopt; }) : TargetOf(exporter, get);
    if (!exported) return std::unexpected(std::move(exported.error()));
    if (!*disabled) target = std::move(*exported);
    target.in_run_folder = target.in_run_folder || options.trace_file;
  }
  if (!target.any()) return target;
  const auto checked = otlp::CheckResourceAttributes(get("OTEL_RESOURCE_ATTRIBUTES").value_or(""));
  if (!checked) return std::unexpected(checked.error());
  return target;
}

TraceTarget Unsampled(TraceTarget target, const RunOptions& options) {
  const bool by_flag = options.otel_exporter.has_value();
  if (!by_flag) target.in_run_folder = options.trace_file;
  if (!by_flag) target.file.clear();
  target.console = false;
  target.collector.reset();
  return target;
}

std::vector<std::string> ExportSecrets(const RunOptions& options, const SecretNames& names, const GetVariable& get) {
  std::vector<std::string> secrets = otlp::ExportSecrets(ExporterOf(options, get).name, get);
  std::ranges::move(otlp::ResourceSecrets(get("OTEL_RESOURCE_ATTRIBUTES").value_or(""), names),
                    std::back_inserter(secrets));
  return secrets;
}

std::optional<TranscriptContent> ChooseTranscript(const RunOptions& options) {
  const std::string& content = options.config.transcript_content;
  if (content == "none") return TranscriptContent::kNone;
  if (content == "full") return TranscriptContent::kFull;
  if (content == "text" || options.transcript) return TranscriptContent::kText;
  return std::nullopt;
}

std::string ServiceName(const RunOptions& options, const GetVariable& get) {
  if (!options.service_name.empty()) return options.service_name;
  const std::string by_default =
      options.config.telemetry.service_name.empty() ? "awf" : options.config.telemetry.service_name;
  return get("OTEL_SERVICE_NAME").value_or(by_default);
}

std::set<std::string> SecretInputs(const Workflow& workflow, const SecretNames& names) {
  std::set<std::string> secret;
  for (const WorkflowInput& input : workflow.inputs)
    if (input.secret || names.Covers(input.name)) secret.insert(input.name);
  return secret;
}

void LearnSecrets(const Workflow& workflow, const json::object& inputs, char** environment, Masker& masker) {
  masker.AddEnvironment(environment);
  const std::set<std::string> secret = SecretInputs(workflow, masker.names());
  for (const auto& [name, value] : inputs) {
    const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    masker.AddUrlPasswords(text);
    if (secret.contains(std::string(name)) && (value.is_string() || value.is_int64())) masker.AddSecret(text);
  }
  for (const State& state : workflow.states) {
    if (const auto* agent = std::get_if<AgentState>(&state.body)) LearnOptionSecrets(agent->options, masker, inputs);
    if (const auto* step = std::get_if<OperationState>(&state.body)) LearnOptionSecrets(step->inputs, masker, inputs);
  }
}

void LearnOptionSecrets(const json::object& options, Masker& masker, const json::object& inputs) {
  OptionSecrets(inputs, masker).Learn(options, false);
}

std::string UserName() {
  passwd entry{}, *found = nullptr;
  std::vector<char> buffer(16'384);
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return entry.pw_name;
  return std::to_string(::geteuid());
}

std::string HostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string();
}

}  // namespace awf::cli

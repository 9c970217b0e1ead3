#include "cli/run_setup.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <variant>
#include <vector>

namespace awf::cli {
namespace {

constexpr std::string_view kFileExporter = "file:";

std::unexpected<Error> UnknownExporter(const std::string& name, const std::string& origin) {
  const bool planned =
      name == "otlp" || name == "otlp-http" || name == "console" || name.find(':') != std::string::npos;
  const std::string exporter = "exporter '" + name + "'" + origin;
  return Fail("USER.INPUT.INVALID_FORMAT", planned ? exporter + " is not supported yet" : "there is no " + exporter,
              "Use --otel-exporter with none, file or file:PATH (OTLP JSON lines).");
}

// Strings under a key that speaks of a secret, at any depth. Templates are no values.
void LearnFrom(const json::value& value, bool secret, Masker& masker) {
  if (const auto* object = value.if_object()) {
    for (const auto& [key, member] : *object) LearnFrom(member, secret || IsSecretName(key), masker);
  } else if (const auto* array = value.if_array()) {
    for (const json::value& element : *array) LearnFrom(element, secret, masker);
  } else if (const auto* text = value.if_string(); text != nullptr && secret) {
    if (std::string_view(*text).find("{{") == std::string_view::npos) masker.AddSecret(*text);
  }
}

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
  TraceTarget target;
  target.in_run_folder = options.trace_file;
  std::string exporter = options.otel_exporter, origin;
  if (exporter.empty()) {
    const auto variable = get("OTEL_TRACES_EXPORTER");
    exporter = variable ? *variable : options.config.telemetry.exporter.empty() ? "none" : options.config.telemetry.exporter;
    origin = variable ? " (from OTEL_TRACES_EXPORTER)" : " (from the configuration)";
  }
  if (exporter == "file" || exporter == kFileExporter) {
    target.in_run_folder = true;
  } else if (exporter.starts_with(kFileExporter)) {
    target.file = exporter.substr(kFileExporter.size());
  } else if (exporter != "none") {
    return UnknownExporter(exporter, origin);
  }
  if (get("OTEL_SDK_DISABLED") == "true") return TraceTarget{options.trace_file, {}};
  return target;
}

std::string ServiceName(const RunOptions& options, const GetVariable& get) {
  if (!options.service_name.empty()) return options.service_name;
  const std::string by_default = options.config.telemetry.service_name.empty() ? "awf" : options.config.telemetry.service_name;
  return get("OTEL_SERVICE_NAME").value_or(by_default);
}

std::set<std::string> SecretInputs(const Workflow& workflow) {
  std::set<std::string> names;
  for (const WorkflowInput& input : workflow.inputs)
    if (input.secret || IsSecretName(input.name)) names.insert(input.name);
  return names;
}

void LearnSecrets(const Workflow& workflow, const json::object& inputs, char** environment, Masker& masker) {
  masker.AddEnvironment(environment);
  for (const std::string& name : SecretInputs(workflow)) {
    const json::value* value = inputs.if_contains(name);
    if (value != nullptr && value->is_string()) masker.AddSecret(value->get_string());
    if (value != nullptr && value->is_int64()) masker.AddSecret(json::serialize(*value));
  }
  for (const State& state : workflow.states)
    if (const auto* agent = std::get_if<AgentState>(&state.body)) LearnOptionSecrets(agent->options, masker);
}

void LearnOptionSecrets(const json::object& options, Masker& masker) { LearnFrom(options, false, masker); }

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

// What a run needs to know before it starts, worked out from options, environment and workflow.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "application/records/transcript_recorder.h"
#include "cli/commands.h"
#include "domain/masker.h"
#include "domain/workflow.h"
#include "infrastructure/otlp/export_settings.h"

namespace awf::cli {

using GetVariable = std::function<std::optional<std::string>(const std::string&)>;  // empty values count as unset

// That of the process's environment.
std::optional<std::string> NonEmptyVariable(const std::string& name);

// The working directory; SYSTEM.IO.READ_FAILED when it was deleted.
std::expected<std::filesystem::path, Error> WorkingDirectory();

// Of a command that --strict stops.
inline constexpr int kStrictExit = 2;

// Where run folders lie: --storage, else $AWF_STORAGE, $XDG_DATA_HOME/awf, ~/.local/share/awf.
std::expected<std::filesystem::path, Error> StorageFolder(const std::string& option, const GetVariable& get);

inline constexpr std::string_view kPluginsSkipped =
    "--skip-plugins: plugins and what steps use of them were not checked";

// Where spans go.
struct TraceTarget {
  bool in_run_folder = false;  // trace.json
  std::filesystem::path file;  // another file; may stand beside it
  bool console = false;
  std::optional<otlp::ExportSettings> collector;
  bool any() const { return in_run_folder || !file.empty() || console || collector; }
};
// From --otel-exporter, else $OTEL_TRACES_EXPORTER, else the configuration: one of none, otlp, otlp-http, console,
// file, file:PATH, HOST:PORT and a URL; and --trace-file. An empty flag is none. With $OTEL_SDK_DISABLED it is
// --trace-file alone. What cannot be understood is USER.INPUT.INVALID_FORMAT; variables count only where spans are made
// or exported.
std::expected<TraceTarget, Error> ChooseTrace(const RunOptions& options, const GetVariable& get);
// What is left of it when the trace is not sampled: the files that a flag asks for.
TraceTarget Unsampled(TraceTarget target, const RunOptions& options);

// What must not be shown of how spans are exported: values of headers, passwords in addresses, resource attributes
// whose key speaks of a secret.
std::vector<std::string> ExportSecrets(const RunOptions& options, const SecretNames& names, const GetVariable& get);

// How much of the conversation is written to transcript.jsonl: as the configuration says (transcript.content), with
// --transcript alone messages; nothing: there is no such file.
std::optional<TranscriptContent> ChooseTranscript(const RunOptions& options);

// --otel-service-name, else $OTEL_SERVICE_NAME, else that of the configuration, else awf.
std::string ServiceName(const RunOptions& options, const GetVariable& get);

// Inputs whose values are secret: declared so, or named so.
std::set<std::string> SecretInputs(const Workflow& workflow, const SecretNames& names = {});

// Everything that must not be shown: secret inputs, the environment's secrets, keys in the options of agent steps.
void LearnSecrets(const Workflow& workflow, const json::object& inputs, char** environment, Masker& masker);

// Keys in options of a provider, passwords in its URLs. Of a template the environment variables and inputs that it
// names.
void LearnOptionSecrets(const json::object& options, Masker& masker, const json::object& inputs = {});

// The user's name and the host's, for the audit.
std::string UserName();
std::string HostName();

}  // namespace awf::cli

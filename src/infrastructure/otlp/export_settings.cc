#include "infrastructure/otlp/export_settings.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "domain/nearest_name.h"
#include "infrastructure/otlp/endpoint.h"
#include "infrastructure/otlp/key_values.h"

namespace awf::otlp {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kHttpPath = "/v1/traces";
constexpr std::string_view kGrpcPath = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
constexpr int kHttpPort = 4318;
constexpr std::int64_t kLongestMs = 3'600'000;
constexpr std::int64_t kMostSpans = 1'000'000;

std::unexpected<Error> Invalid(const std::string& origin, const std::string& message, const std::string& hint) {
  return Fail("USER.INPUT.INVALID_FORMAT", origin + ": " + message, hint);
}

std::unexpected<Error> UnknownExporter(const std::string& name, const std::string& origin) {
  static const std::array<std::string, 5> kNames = {"none", "otlp", "otlp-http", "console", "file"};
  const std::string nearest = DidYouMean(name, kNames);
  return Invalid(
      origin, "there is no exporter '" + name + "'",
      nearest.empty() ? "Use none, otlp, otlp-http, console, file, file:PATH, HOST:PORT or a URL." : nearest);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Headers of the request itself.
bool BelongsToProtocol(const std::string& name) {
  static constexpr std::array<std::string_view, 7> kNames = {"accept", "connection",        "expect", "host",
                                                             "te",     "transfer-encoding", "upgrade"};
  return name.starts_with("content-") || name.starts_with("grpc-") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

struct Setting {
  std::string name, value;
  bool of_traces = false;  // from the _TRACES_ form
};

class Resolver {
 public:
  explicit Resolver(const GetVariable& get) : get_(get) {}

  std::expected<ExportSettings, Error> Resolve(const std::string& exporter, const std::string& origin);

 private:
  using Done = std::expected<void, Error>;

  // OTEL_EXPORTER_OTLP_TRACES_X, else OTEL_EXPORTER_OTLP_X.
  std::optional<Setting> Find(const std::string& what) const;
  std::expected<std::optional<Protocol>, Error> AskedProtocol() const;
  std::expected<bool, Error> PlainByDefault() const;
  Done TakeAddress(const std::string& exporter, const std::string& origin);
  Done TakeEndpoint(const Endpoint& endpoint, Protocol protocol, bool generic);
  Done TakeHeaders();
  Done TakeHeader(const std::string& origin, std::size_t number, const KeyValue& pair);
  Done TakeFiles();
  Done TakeCompression();
  Done TakeLimits();
  Done Number(const std::string& variable, std::int64_t least, std::int64_t most, std::int64_t& value) const;

  const GetVariable& get_;
  ExportSettings settings_;
};

std::expected<ExportSettings, Error> Resolver::Resolve(const std::string& exporter, const std::string& origin) {
  if (auto taken = TakeAddress(exporter, origin); !taken) return std::unexpected(taken.error());
  for (const auto take :
       {&Resolver::TakeHeaders, &Resolver::TakeFiles, &Resolver::TakeCompression, &Resolver::TakeLimits}) {
    if (auto taken = (this->*take)(); !taken) return std::unexpected(taken.error());
  }
  return std::move(settings_);
}

std::optional<Setting> Resolver::Find(const std::string& what) const {
  for (const bool of_traces : {true, false}) {
    std::string name = std::string("OTEL_EXPORTER_OTLP_") + (of_traces ? "TRACES_" : "") + what;
    if (auto value = get_(name)) return Setting{std::move(name), std::move(*value), of_traces};
  }
  return std::nullopt;
}

std::expected<std::optional<Protocol>, Error> Resolver::AskedProtocol() const {
  static const std::array<std::string, 2> kProtocols = {"grpc", "http/protobuf"};
  const auto asked = Find("PROTOCOL");
  if (!asked) return std::nullopt;
  if (asked->value == kProtocols[0]) return Protocol::kGrpc;
  if (asked->value == kProtocols[1]) return Protocol::kHttpProtobuf;
  if (asked->value == "http/json")
    return Invalid(asked->name, "http/json is not supported", "Use http/protobuf, which every collector takes too.");
  const std::string nearest = DidYouMean(asked->value, kProtocols);
  return Invalid(asked->name, "there is no protocol '" + asked->value + "'",
                 nearest.empty() ? "Use grpc or http/protobuf." : nearest);
}

std::expected<bool, Error> Resolver::PlainByDefault() const {
  const auto insecure = Find("INSECURE");
  if (!insecure) return !Find("CERTIFICATE");
  const std::string value = Lower(insecure->value);
  if (value != "true" && value != "false")
    return Invalid(insecure->name, "'" + insecure->value + "' is neither true nor false", "Use true or false.");
  return value == "true";
}

std::expected<void, Error> Resolver::TakeAddress(const std::string& exporter, const std::string& origin) {
  const bool http = exporter == "otlp-http";
  const bool named = http || exporter == "otlp";
  if (!named && exporter.find(':') == std::string::npos) return UnknownExporter(exporter, origin);
  std::optional<Protocol> asked = Protocol::kHttpProtobuf;
  if (!http) {
    const auto by_variable = AskedProtocol();
    if (!by_variable) return std::unexpected(by_variable.error());
    asked = *by_variable;
  }
  const Setting local{"", asked == Protocol::kHttpProtobuf ? "http://localhost:4318" : "http://localhost:4317", false};
  const Setting where = named ? Find("ENDPOINT").value_or(local) : Setting{origin, exporter, false};
  const auto endpoint = ParseEndpoint(where.value);
  if (!endpoint) {
    // Which may hold a password.
    const bool show = where.value.find('@') == std::string::npos;
    return Invalid(where.name, (show ? "'" + where.value + "'" : "the value") + " is no address of a collector",
                   "Give HOST:PORT, http://HOST:PORT or https://HOST:PORT.");
  }
  const bool looks_http = endpoint->HasPath() || endpoint->port == kHttpPort;
  const Protocol by_look = looks_http ? Protocol::kHttpProtobuf : Protocol::kGrpc;
  const Protocol protocol = !named && looks_http ? Protocol::kHttpProtobuf : asked.value_or(by_look);
  return TakeEndpoint(*endpoint, protocol, named ? !where.of_traces : !endpoint->HasPath());
}

// `generic`: the path of the signal is added, else the path is what it is.
std::expected<void, Error> Resolver::TakeEndpoint(const Endpoint& endpoint, Protocol protocol, bool generic) {
  const auto plain = PlainByDefault();
  if (!plain) return std::unexpected(plain.error());
  std::string target(kGrpcPath);
  if (protocol == Protocol::kHttpProtobuf) {
    target = endpoint.path.empty() ? "/" : endpoint.path;
    if (generic) {
      while (target.ends_with('/')) target.pop_back();
      target += kHttpPath;
    }
    target += endpoint.query;
  }
  settings_.protocol = protocol;
  settings_.url = endpoint.Url(*plain ? "http" : "https", target);
  return {};
}

std::expected<void, Error> Resolver::TakeHeaders() {
  const auto headers = Find("HEADERS");
  if (!headers) return {};
  std::size_t number = 0;
  for (const KeyValue& pair : ParseKeyValues(headers->value))
    if (auto taken = TakeHeader(headers->name, ++number, pair); !taken) return taken;
  return {};
}

std::expected<void, Error> Resolver::TakeHeader(const std::string& origin, std::size_t number, const KeyValue& pair) {
  const std::string which = "pair " + std::to_string(number);
  const char* hint = "Give name=value,name=value; write a comma in a value as %2C.";
  if (!pair.complete) return Invalid(origin, which + " has no '='", hint);
  const std::string name = Lower(pair.key);
  const bool token = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!token) return Invalid(origin, which + " has no valid name of a header", hint);
  if (!pair.decoded)
    return Invalid(origin, "the value of '" + name + "' holds a '%' that begins no %XX",
                   "Write a percent sign as %25.");
  const auto control = [](unsigned char c) { return (c < ' ' && c != '\t') || c == 0x7F; };
  if (std::any_of(pair.value.begin(), pair.value.end(), control))
    return Invalid(origin, "the value of '" + name + "' holds a control character", hint);
  if (BelongsToProtocol(name))
    return Invalid(origin, "the header '" + name + "' is set by awf itself", "Leave it out.");
  settings_.headers.push_back({name, pair.value});
  return {};
}

std::expected<void, Error> Resolver::TakeFiles() {
  for (const auto& [what, path] : {std::pair("CERTIFICATE", &settings_.ca_file),
                                   {"CLIENT_CERTIFICATE", &settings_.client_certificate},
                                   {"CLIENT_KEY", &settings_.client_key}}) {
    const auto file = Find(what);
    if (!file) continue;
    if (::access(file->value.c_str(), R_OK) != 0)
      return Invalid(file->name, "'" + file->value + "' cannot be read", "Give the path of a PEM file.");
    *path = file->value;
  }
  if (const auto key = Find("CLIENT_KEY"); key && settings_.client_certificate.empty())
    return Invalid(key->name, "a key without a certificate", "Set OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE too.");
  return {};
}

std::expected<void, Error> Resolver::TakeCompression() {
  const auto compression = Find("COMPRESSION");
  if (!compression) return {};
  settings_.gzip = compression->value == "gzip";
  if (!settings_.gzip && compression->value != "none")
    return Invalid(compression->name, "'" + compression->value + "' is not supported", "Use gzip or none.");
  return {};
}

std::expected<void, Error> Resolver::TakeLimits() {
  BatchLimits& limits = settings_.batch;
  std::int64_t batch = static_cast<std::int64_t>(limits.batch), queue = static_cast<std::int64_t>(limits.queue);
  std::int64_t delay = limits.delay.count(), timeout = limits.timeout.count(), longest = kLongestMs;
  const auto variable = Find("TIMEOUT");
  for (const Done& done : {Number(variable ? variable->name : "OTEL_EXPORTER_OTLP_TIMEOUT", 1, kLongestMs, timeout),
                           Number("OTEL_BSP_EXPORT_TIMEOUT", 1, kLongestMs, longest),
                           Number("OTEL_BSP_SCHEDULE_DELAY", 0, kLongestMs, delay),
                           Number("OTEL_BSP_MAX_QUEUE_SIZE", 1, kMostSpans, queue),
                           Number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1, kMostSpans, batch)})
    if (!done) return done;
  // A queue made smaller than what a batch is by default makes batches smaller; one that was asked for must fit.
  if (batch > queue && get_("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"))
    return Invalid("OTEL_BSP_MAX_EXPORT_BATCH_SIZE",
                   "a batch of " + std::to_string(batch) + " spans does not fit a queue of " + std::to_string(queue) +
                       " (OTEL_BSP_MAX_QUEUE_SIZE)",
                   "Make the batch smaller or the queue larger.");
  limits.timeout = milliseconds(std::min(timeout, longest));
  limits.delay = milliseconds(delay);
  limits.queue = static_cast<std::size_t>(queue);
  limits.batch = static_cast<std::size_t>(std::min(batch, queue));
  return {};
}

// `value` stays what it is where the variable is not set.
std::expected<void, Error> Resolver::Number(const std::string& variable, std::int64_t least, std::int64_t most,
                                            std::int64_t& value) const {
  const auto text = get_(variable);
  if (!text) return {};
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, value);
  if (parsed.ec == std::errc() && parsed.ptr == end && value >= least && value <= most) return {};
  return Invalid(variable, "'" + *text + "' is no number from " + std::to_string(least) + " to " + std::to_string(most),
                 variable.ends_with("SIZE") ? "Give a number of spans." : "Give milliseconds.");
}

}  // namespace

std::expected<ExportSettings, Error> ResolveExport(const std::string& exporter, const std::string& origin,
                                                   const GetVariable& get) {
  return Resolver(get).Resolve(exporter, origin);
}

std::vector<std::string> ExportSecrets(const std::string& exporter, const GetVariable& get) {
  std::vector<std::string> secrets;
  std::vector<std::string> addresses = {exporter};
  for (const std::string prefix : {"OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_TRACES_"}) {
    addresses.push_back(get(prefix + "ENDPOINT").value_or(""));
    for (KeyValue& pair : ParseKeyValues(get(prefix + "HEADERS").value_or(""))) {
      const std::size_t space = pair.value.find(' ');
      if (space != std::string::npos) secrets.push_back(pair.value.substr(space + 1));
      secrets.push_back(std::move(pair.value));
    }
  }
  for (const std::string& address : addresses) {
    const auto endpoint = ParseEndpoint(address);
    if (!endpoint || endpoint->user_info.empty()) continue;
    secrets.push_back(endpoint->user_info.substr(endpoint->user_info.find(':') + 1));
  }
  std::erase(secrets, "");
  return secrets;
}

}  // namespace awf::otlp

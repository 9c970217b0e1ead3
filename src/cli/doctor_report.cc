#include "cli/doctor_report.h"

#include <algorithm>

#include "cli/finding_text.h"
#include "cli/text_table.h"
#include "domain/joined.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

using agents::LoginState;
using agents::ProviderHealth;

constexpr char kNothing[] = "-";

const std::string& Or(const std::string& text, const std::string& otherwise) { return text.empty() ? otherwise : text; }

std::string_view LoginWord(LoginState::Kind kind) {
  switch (kind) {
    case LoginState::Kind::kFound:
      return "found";
    case LoginState::Kind::kMissing:
      return "missing";
    case LoginState::Kind::kUnknown:
      break;
  }
  return "unknown";
}

void AddProvider(TextTable& table, const ProviderHealth& health) {
  static const std::string kNone = kNothing;
  if (health.program.empty()) {
    table.Add({health.provider, kNone, "not installed", kNone, kNone, health.hint});
    return;
  }
  table.Add({health.provider, Or(health.version, "unknown"), health.program.string(),
             std::string(ToString(health.isolation.level)), std::string(LoginWord(health.login.kind)), health.hint});
}

std::string ProviderTable(const DoctorReport& report, const LineStyle& style) {
  TextTable table(
      {{"provider"}, {"version"}, {"program", false, true}, {"isolation"}, {"login"}, {"what to do", false, true}});
  for (const ProviderHealth& health : report.providers) AddProvider(table, health);
  table.Add({"openai_compatible", kNothing, "in awf", "proven", report.has_base_url ? "found" : "unknown",
             report.http_fault     ? *report.http_fault
             : report.has_base_url ? ""
                                   : "set OPENAI_BASE_URL, or options.base_url of a step"});
  return table.Render(style);
}

std::string Kernel(const process::KernelFeatures& kernel) {
  std::string text = kernel.release + ": openat2 " + (kernel.openat2 ? "yes" : "no") + ", Landlock ";
  return text + (kernel.landlock_abi > 0 ? "ABI " + std::to_string(kernel.landlock_abi) : std::string("no"));
}

std::string Telemetry(const DoctorReport& report) {
  if (report.endpoint.empty()) return "no exporter is set; run.json, log.jsonl and audit.jsonl are always written";
  return report.endpoint + (report.endpoint_fault ? ": nobody answers there (" + *report.endpoint_fault + ")"
                                                  : std::string(": somebody listens there"));
}

json::object ProviderJson(const ProviderHealth& health) {
  json::object object{{"provider", health.provider}, {"installed", !health.program.empty()}};
  if (!health.program.empty()) {
    object["program"] = JsonText(health.program.string());
    object["version"] = JsonText(health.version);
    object["isolation"] = ToString(health.isolation.level);
    object["reason"] = JsonText(health.isolation.reason);
  }
  object["login"] = LoginWord(health.login.kind);
  object["login_detail"] = JsonText(health.login.text);
  if (!health.hint.empty()) object["hint"] = JsonText(health.hint);
  return object;
}

json::object InProcessJson(const DoctorReport& report) {
  json::object object{{"provider", "openai_compatible"},
                      {"installed", !report.http_fault},
                      {"isolation", "proven"},
                      {"reason", "in-process"},
                      {"login", report.has_base_url ? "found" : "unknown"}};
  if (report.http_fault) object["hint"] = JsonText(*report.http_fault);
  return object;
}

json::array Texts(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.push_back(JsonText(text));
  return array;
}

}  // namespace

std::string DoctorText(const DoctorReport& report, const LineStyle& style) {
  std::string text =
      "awf " + report.version + " " + report.program.string() + "\n\n" + ProviderTable(report, style) + "\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    text += StyledLine(name + std::string(std::max<std::size_t>(16 - name.size(), 1), ' ') + PrintableLine(value), {},
                       style);
  };
  line("kernel", Kernel(report.kernel));
  line("private folder",
       report.private_folder_fault ? report.private_folder_fault->message : report.private_folder.string());
  line("telemetry", Telemetry(report));
  for (const std::filesystem::path& other : report.other_awf) {
    line("other awf", other.string() + " is another program of this name on the PATH");
  }
  return text;
}

json::object DoctorJson(const DoctorReport& report) {
  json::array providers;
  for (const ProviderHealth& health : report.providers) providers.push_back(ProviderJson(health));
  providers.push_back(InProcessJson(report));
  json::array others;
  for (const std::filesystem::path& other : report.other_awf) others.push_back(JsonText(other.string()));
  json::object telemetry{{"endpoint", JsonText(report.endpoint)}};
  if (!report.endpoint.empty()) telemetry["reachable"] = !report.endpoint_fault;
  if (report.endpoint_fault) telemetry["error"] = JsonText(*report.endpoint_fault);
  json::object object{{"version", report.version},
                      {"program", JsonText(report.program.string())},
                      {"healthy", report.healthy()},
                      {"providers", std::move(providers)},
                      {"kernel", json::object{{"release", JsonText(report.kernel.release)},
                                              {"landlock_abi", report.kernel.landlock_abi},
                                              {"openat2", report.kernel.openat2}}},
                      {"private_folder", JsonText(report.private_folder.string())},
                      {"telemetry", std::move(telemetry)},
                      {"other_awf", std::move(others)}};
  if (report.private_folder_fault) object["error"] = ErrorJson(*report.private_folder_fault, true);
  return object;
}

std::string ProbeText(const agents::ProbeReport& report) {
  std::string text = PrintableLine(report.provider + (report.version.empty() ? "" : " " + report.version) + ": " +
                                   (report.proven ? "proven" : "not proven"));
  if (!report.reason.empty()) text += "\n  why:     " + PrintableLine(report.reason);
  text += "\n  offered: " + PrintableLine(report.offered.empty() ? "nothing" : Joined(report.offered, ", "));
  if (!report.foreign.empty()) text += "\n  foreign: " + PrintableLine(Joined(report.foreign, ", "));
  return text + "\n";
}

json::object ProbeJson(const agents::ProbeReport& report) {
  return {{"provider", JsonText(report.provider)},
          {"version", JsonText(report.version)},
          {"proven", report.proven},
          {"reason", JsonText(report.reason)},
          {"offered", Texts(report.offered)},
          {"foreign", Texts(report.foreign)}};
}

}  // namespace awf::cli

#include "cli/doctor_report.h"

#include <algorithm>

#include "cli/finding_text.h"
#include "cli/text_table.h"
#include "cli/wrapped_text.h"
#include "domain/joined.h"
#include "domain/terminal_text.h"

namespace awf::cli {
namespace {

using agents::LoginState;
using agents::ProviderHealth;

constexpr char kNothing[] = "-";

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

struct Row {
  std::string provider, version, program, isolation, login;
  std::string advice;  // empty: nothing is to be done
};

Row RowOf(const ProviderHealth& health) {
  if (health.program.empty()) return {health.provider, kNothing, "not installed", kNothing, kNothing, health.hint};
  const std::string login(LoginWord(health.login.kind));
  if (!health.fault.empty())
    return {health.provider, "unknown", health.program.string(), kNothing, login, health.fault};
  return {health.provider,
          health.version,
          health.program.string(),
          std::string(ToString(health.isolation.level)) + (health.announces ? "*" : ""),
          login,
          health.hint};
}

std::vector<Row> RowsOf(const DoctorReport& report) {
  std::vector<Row> rows;
  rows.reserve(report.providers.size() + 1);
  for (const ProviderHealth& health : report.providers) rows.push_back(RowOf(health));
  rows.push_back({"openai_compatible", kNothing, "in awf", "proven", report.has_base_url ? "found" : "unknown",
                  report.http_fault     ? *report.http_fault
                  : report.has_base_url ? ""
                                        : "set OPENAI_BASE_URL, or options.base_url of a step"});
  return rows;
}

// Nothing of it is cut: the first line after `indent` blanks, the others after `hang`.
std::string Paragraph(std::string_view text, std::size_t indent, std::size_t hang, const LineStyle& style) {
  constexpr std::size_t kNarrowest = 20;  // on a terminal that is narrower still, lines run over
  const auto columns = static_cast<std::size_t>(std::max(style.columns - 1, 0));
  const std::size_t room =
      style.columns <= 0 ? std::string::npos : std::max(columns - std::min(columns, hang), kNarrowest);
  std::string paragraph;
  for (const std::string& line : Wrapped(PrintableLine(text), room)) {
    paragraph += std::string(paragraph.empty() ? indent : hang, ' ') + line + '\n';
  }
  return paragraph;
}

std::string Table(const std::vector<Row>& rows, const LineStyle& style) {
  TextTable table({{"provider"}, {"version"}, {"program", false, true}, {"isolation"}, {"login"}});
  for (const Row& row : rows) table.Add({row.provider, row.version, row.program, row.isolation, row.login});
  return table.Render(style);
}

// For terminals that are too narrow for the table.
std::string Blocks(const std::vector<Row>& rows, const LineStyle& style) {
  std::string text;
  for (const Row& row : rows) {
    text += Paragraph(row.provider + (row.version == kNothing ? "" : " " + row.version), 0, 2, style);
    text += Paragraph(row.program, 2, 2, style);
    if (row.login != kNothing) text += Paragraph("isolation " + row.isolation + ", login " + row.login, 2, 2, style);
  }
  return text;
}

std::string Providers(const DoctorReport& report, const LineStyle& style) {
  constexpr int kTableNeeds = 64;
  const std::vector<Row> rows = RowsOf(report);
  std::string text = style.columns > 0 && style.columns < kTableNeeds ? Blocks(rows, style) : Table(rows, style);
  for (const ProviderHealth& health : report.providers) {
    if (!health.announces) continue;
    text += Paragraph("* " + health.provider + " announces its tools in every run: each step is judged by that", 0, 2,
                      style);
  }
  if (std::ranges::all_of(rows, [](const Row& row) { return row.advice.empty(); })) return text;
  text += "\n" + StyledLine("what to do", "1", style);
  for (const Row& row : rows) {
    if (!row.advice.empty()) text += Paragraph(row.provider + ": " + row.advice, 2, 4, style);
  }
  return text;
}

// Those that awf brings, which are always there, are left out.
std::string Plugins(const DoctorReport& report, const LineStyle& style) {
  std::string text;
  if (report.plugins_fault) {
    const Position& at = report.plugins_fault->position;
    text = report.plugins_fault->message;
    if (at.known()) text += " (" + at.file + ":" + std::to_string(at.line) + ")";
    text = Paragraph(text, 2, 4, style);
  }
  for (const PluginRow& row : report.plugins) {
    if (row.place == kBuiltinPlace) continue;
    text += Paragraph(
        row.name + (row.version.empty() ? "" : " " + row.version) + ", " + row.StatusText() + ", in " + row.place, 2, 4,
        style);
  }
  return text.empty() ? text : "\n" + StyledLine("plugins", "1", style) + text;
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
    if (health.fault.empty()) {
      object["isolation"] = ToString(health.isolation.level);
      object["reason"] = JsonText(health.isolation.reason);
    } else {
      object["error"] = JsonText(health.fault);
    }
    if (health.isolation.level == IsolationLevel::kProven) {
      object["proven_by"] = health.announces ? "announcement in each run" : "probe";
    }
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
  std::string text = Paragraph("awf " + report.version + " " + report.program.string(), 0, 2, style) + "\n" +
                     Providers(report, style) + Plugins(report, style) + "\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    constexpr std::size_t kValues = 16;  // the column where they begin
    text += name + Paragraph(value, kValues - name.size(), kValues, style);
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
  json::array plugins;
  for (const PluginRow& row : report.plugins) plugins.push_back(RowJson(row));
  json::array others;
  for (const std::filesystem::path& other : report.other_awf) others.push_back(JsonText(other.string()));
  json::object telemetry{{"endpoint", JsonText(report.endpoint)}};
  if (!report.endpoint.empty()) telemetry["reachable"] = !report.endpoint_fault;
  if (report.endpoint_fault) telemetry["error"] = JsonText(*report.endpoint_fault);
  json::object object{{"version", report.version},
                      {"program", JsonText(report.program.string())},
                      {"healthy", report.healthy()},
                      {"providers", std::move(providers)},
                      {"plugins", std::move(plugins)},
                      {"kernel", json::object{{"release", JsonText(report.kernel.release)},
                                              {"landlock_abi", report.kernel.landlock_abi},
                                              {"openat2", report.kernel.openat2}}},
                      {"private_folder", JsonText(report.private_folder.string())},
                      {"telemetry", std::move(telemetry)},
                      {"other_awf", std::move(others)}};
  if (report.plugins_fault) object["plugins_error"] = ErrorJson(*report.plugins_fault, true);
  if (report.private_folder_fault) object["error"] = ErrorJson(*report.private_folder_fault, true);
  return object;
}

std::string ProbeText(const agents::ProbeReport& report) {
  std::string text = PrintableLine(report.provider + (report.version.empty() ? "" : " " + report.version) + ": " +
                                   (report.proven ? "proven" : "not proven"));
  if (!report.reason.empty()) text += "\n  why:     " + PrintableLine(report.reason);
  text += "\n  offered: " + PrintableLine(report.offered.empty() ? "nothing" : Joined(report.offered, ", "));
  if (!report.foreign.empty()) text += "\n  foreign: " + PrintableLine(Joined(report.foreign, ", "));
  if (!report.not_kept.empty()) text += "\n  not kept: " + PrintableLine(report.not_kept);
  return text + "\n";
}

json::object ProbeJson(const agents::ProbeReport& report) {
  json::object object{{"provider", JsonText(report.provider)},
                      {"version", JsonText(report.version)},
                      {"proven", report.proven},
                      {"reason", JsonText(report.reason)},
                      {"offered", Texts(report.offered)},
                      {"foreign", Texts(report.foreign)}};
  if (!report.not_kept.empty()) object["not_kept"] = JsonText(report.not_kept);
  return object;
}

}  // namespace awf::cli

#include "cli/finding_text.h"

#include <utility>

#include "application/language/template_values.h"
#include "domain/terminal_text.h"
#include "domain/utf8.h"

namespace awf::cli {
namespace {

std::string_view Label(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "Error";
    case Severity::kWarning:
      return "Warning";
    case Severity::kNote:
      return "Note";
  }
  return "Error";
}

std::string Printable(std::string_view text) {
  TerminalFilter filter;
  std::string printable = filter.Feed(text);
  return printable + filter.Flush();
}

void AppendLine(std::string& block, std::string_view label, std::string_view text) {
  if (text.empty()) return;
  std::string printable = Printable(text);
  while (printable.ends_with('\n')) printable.pop_back();
  block.append(label).append(": ").append(printable).append("\n");
}

}  // namespace

std::string ErrorBlock(const Error& error, Severity severity, bool hints) {
  std::string details = error.message;
  while (details.ends_with('\n')) details.pop_back();
  if (error.position.known()) {
    details += " (" + error.position.file + ":" + std::to_string(error.position.line) + ":" +
               std::to_string(error.position.column) + ")";
  }
  std::string block;
  AppendLine(block, Label(severity), error.code);
  AppendLine(block, "Step", error.step);
  AppendLine(block, "Details", details);
  if (hints) AppendLine(block, "Hint", error.hint);
  return block;
}

json::object FindingJson(const Error& error) {
  return {{"code", JsonText(error.code)},          {"step", JsonText(error.step)},
          {"field", JsonText(error.field)},        {"message", JsonText(error.message)},
          {"file", JsonText(error.position.file)}, {"line", error.position.line},
          {"column", error.position.column},       {"hint", JsonText(error.hint)}};
}

json::object ErrorJson(const Error& error, bool hints) {
  json::object details;
  if (!error.field.empty()) details["field"] = JsonText(error.field);
  if (!error.position.file.empty()) details["file"] = JsonText(error.position.file);
  if (error.position.known()) {
    details["line"] = error.position.line;
    details["column"] = error.position.column;
  }
  json::array hint_list;
  if (hints && !error.hint.empty()) hint_list.push_back(json::value(JsonText(error.hint)));
  return {{"code", JsonText(error.code)},
          {"message", JsonText(error.message)},
          {"step", JsonText(error.step)},
          {"details", std::move(details)},
          {"hints", std::move(hint_list)}};
}

std::string JsonLine(const json::value& value) { return CompactJson(value) + "\n"; }

json::string JsonText(std::string_view text) { return json::string(RepairUtf8(text)); }

}  // namespace awf::cli

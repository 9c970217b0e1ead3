#include "infrastructure/plugins/plugin_log.h"

#include <optional>
#include <utility>
#include <vector>

#include "domain/parse_json.h"
#include "domain/trimmed.h"
#include "domain/utf8.h"

namespace awf::plugins {
namespace {

// Names of hclog's levels; nothing for other words.
std::optional<LogLevel> LevelOf(std::string_view name) {
  constexpr std::pair<std::string_view, LogLevel> kLevels[] = {{"trace", LogLevel::kDebug},
                                                               {"debug", LogLevel::kDebug},
                                                               {"info", LogLevel::kInfo},
                                                               {"warn", LogLevel::kWarn},
                                                               {"error", LogLevel::kError}};
  std::string lower;
  for (const char c : name) lower.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  for (const auto& [word, level] : kLevels)
    if (word == lower) return level;
  return std::nullopt;
}

std::optional<PluginLogLine> ParseJsonLine(std::string_view line) {
  if (!line.starts_with('{')) return std::nullopt;
  auto value = ParseJson(line);
  if (!value || !value->is_object()) return std::nullopt;
  const json::object& object = value->get_object();
  const json::value* level = object.if_contains("@level");
  const json::value* message = object.if_contains("@message");
  if (level == nullptr || !level->is_string()) return std::nullopt;
  const auto known = LevelOf(level->get_string());
  if (!known) return std::nullopt;
  PluginLogLine parsed{*known, {}, {}};
  if (message != nullptr && message->is_string()) parsed.message = std::string(message->get_string());
  for (const auto& [key, member] : object) {
    if (key == "@level" || key == "@message" || key == "@timestamp") continue;
    parsed.fields[key == "@module" ? json::string_view("module") : json::string_view(key)] = member;
  }
  return parsed;
}

// The value at the start of `text`, which is cut off; in double quotes it may hold blanks and escaped quotes.
std::optional<std::string> TakeValue(std::string_view& text) {
  if (!text.starts_with('"')) {
    const std::size_t end = text.find(' ');
    std::string value(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
    return value;
  }
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) return std::nullopt;
  const auto unquoted = ParseJson(text.substr(0, end + 1));
  std::string value =
      unquoted && unquoted->is_string() ? std::string(unquoted->get_string()) : std::string(text.substr(1, end - 1));
  text.remove_prefix(end + 1);
  return value;
}

// "k=v k2=\"v 2\"", the whole of it, or nothing.
std::optional<json::object> ParsePairs(std::string_view text) {
  json::object pairs;
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    const std::string_view key = text.substr(0, equals);
    if (key.find_first_of(" \"") != std::string_view::npos) return std::nullopt;
    text.remove_prefix(equals + 1);
    auto value = TakeValue(text);
    if (!value) return std::nullopt;
    pairs[key] = *value;
    if (!text.empty() && text[0] != ' ') return std::nullopt;
    text = Trimmed(text, " ");
  }
  return pairs;
}

// The first word of hclog's text is a time, which begins with the year; some plugins leave it out.
std::optional<PluginLogLine> ParseTextLine(std::string_view line) {
  const std::size_t open = line.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string_view time = Trimmed(line.substr(0, open), " ");
  const bool is_time = time.empty() || (time[0] >= '0' && time[0] <= '9' && time.find(' ') == std::string_view::npos);
  const std::size_t close = line.find(']', open);
  if (!is_time || close == std::string_view::npos) return std::nullopt;
  const auto level = LevelOf(line.substr(open + 1, close - open - 1));
  if (!level) return std::nullopt;
  const std::string_view text = Trimmed(line.substr(close + 1));
  for (std::size_t colon = text.find(": "); colon != std::string_view::npos; colon = text.find(": ", colon + 1)) {
    auto pairs = ParsePairs(Trimmed(text.substr(colon + 1), " "));
    if (pairs && !pairs->empty()) return PluginLogLine{*level, std::string(text.substr(0, colon)), std::move(*pairs)};
  }
  return PluginLogLine{*level, std::string(text), {}};
}

std::optional<PluginLogLine> ParseHclog(std::string_view line) {
  auto parsed = ParseJsonLine(line);
  return parsed ? std::move(parsed) : ParseTextLine(line);
}

bool IsQuietHclog(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto parsed = ParseHclog(line);
  return parsed && parsed->level < LogLevel::kWarn;
}

bool IsErrors(std::size_t mouth) { return mouth == PluginLog::kRawErrors || mouth == PluginLog::kStreamedErrors; }

// Keeps the end of a stream: the text grows to twice the size before its start is cut, so that bytes are moved rarely.
void Keep(std::string& tail, std::string_view bytes) {
  tail.append(bytes.substr(bytes.size() > kPluginTail ? bytes.size() - kPluginTail : 0));
  if (tail.size() > 2 * kPluginTail) tail.erase(0, tail.size() - kPluginTail);
}

std::string EndOf(const std::string& kept) {
  std::string_view end(kept);
  if (end.size() > kPluginTail) end.remove_prefix(end.size() - kPluginTail);
  while (kept.size() > kPluginTail && !end.empty() && IsUtf8Continuation(end[0])) end.remove_prefix(1);
  return RepairUtf8(end);
}

}  // namespace

PluginLogLine ParsePluginLog(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (auto parsed = ParseHclog(line)) return std::move(*parsed);
  const bool panic = line.starts_with("panic: ") || line.starts_with("fatal error: ");
  return {panic ? LogLevel::kError : LogLevel::kInfo, std::string(line), {}};
}

void PluginLog::Take(Mouth mouth, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (IsErrors(mouth)) {
    last_errors_ = mouth;
  } else {
    Keep(output_, bytes);
  }
  std::string& unfinished = unfinished_[mouth];
  while (!bytes.empty()) {
    const std::size_t feed = bytes.find('\n');
    const std::size_t room = kLongestPluginLine - unfinished.size();
    const std::string_view piece = bytes.substr(0, std::min(feed, room));
    unfinished.append(piece);
    bytes.remove_prefix(piece.size());
    if (bytes.empty() && piece.size() < room) return;
    const bool complete = bytes.starts_with('\n');
    if (complete) bytes.remove_prefix(1);
    TakeLine(mouth, unfinished, complete ? "\n" : "");
    unfinished.clear();
  }
}

void PluginLog::Finish() {
  const std::lock_guard lock(mutex_);
  for (const Mouth mouth : {kRawOutput, kRawErrors, kStreamedOutput, kStreamedErrors}) {
    TakeLine(mouth, unfinished_[mouth], {});
    std::string().swap(unfinished_[mouth]);
  }
}

// `end` is the line feed, or nothing.
void PluginLog::TakeLine(Mouth mouth, std::string_view line, std::string_view end) {
  if (IsErrors(mouth) && !IsQuietHclog(line)) {
    Keep(errors_, line);
    Keep(errors_, end);
  }
  if (!logged_ || Trimmed(line).empty()) return;
  const PluginLogLine parsed = ParsePluginLog(line);
  json::object fields{{"plugin", plugin_}};
  for (const auto& [key, value] : parsed.fields) fields.emplace(key, value);  // its own "plugin" does not count
  logged_(parsed.level, parsed.message, fields);
}

std::string PluginLog::ErrorTail() const {
  const std::lock_guard lock(mutex_);
  std::string kept = errors_;
  const Mouth other = last_errors_ == kRawErrors ? kStreamedErrors : kRawErrors;
  for (const Mouth mouth : {other, last_errors_})
    if (!IsQuietHclog(unfinished_[mouth])) kept += unfinished_[mouth];
  return EndOf(kept);
}

std::string PluginLog::OutputTail() const {
  const std::lock_guard lock(mutex_);
  return EndOf(output_);
}

}  // namespace awf::plugins

#include "application/running/output_format.h"

#include <cstddef>

#include "domain/parse_json.h"
#include "domain/trimmed.h"
#include "domain/utf8.h"

namespace awf {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::size_t kCharactersShown = 200;

// The line that begins at `at`, without its end; `at` moves to the next line, or to npos after the last.
std::string_view TakeLine(std::string_view text, std::size_t& at) {
  const std::size_t feed = text.find('\n', at);
  const std::string_view line = text.substr(at, feed == std::string_view::npos ? feed : feed - at);
  at = feed == std::string_view::npos ? feed : feed + 1;
  return Trimmed(line);
}

// What a fence around the whole of `text` holds; the text itself when there is none.
std::string_view Unfenced(std::string_view text) {
  if (!text.starts_with(kFence) || !text.ends_with(kFence)) return text;
  const std::size_t feed = text.find('\n');
  if (feed == std::string_view::npos || feed + kFence.size() >= text.size()) return text;
  return text.substr(feed + 1, text.size() - kFence.size() - feed - 1);
}

bool OpensJson(std::string_view line) {
  if (!line.starts_with(kFence)) return false;
  const std::string_view word = Trimmed(line.substr(kFence.size()));
  return word == "json" || word == "JSON";
}

std::optional<std::string_view> FirstJsonFence(std::string_view text) {
  for (std::size_t at = 0; at != std::string_view::npos;) {
    if (!OpensJson(TakeLine(text, at))) continue;
    const std::size_t begin = at;
    while (at != std::string_view::npos) {
      const std::size_t line = at;
      if (TakeLine(text, at).starts_with(kFence)) return text.substr(begin, line - begin);
    }
  }
  return std::nullopt;
}

}  // namespace

std::expected<json::value, std::string> JsonOfAnswer(std::string_view text) {
  const std::string_view trimmed = Trimmed(text);
  if (auto whole = ParseJson(Unfenced(trimmed))) return std::move(*whole);
  if (const auto fenced = FirstJsonFence(trimmed)) {
    if (auto embedded = ParseJson(*fenced)) return std::move(*embedded);
  }
  if (trimmed.empty()) return std::unexpected("the answer is empty, not JSON");
  const std::string valid = RepairUtf8(trimmed);
  const std::string_view shown = FirstCharacters(valid, kCharactersShown);
  return std::unexpected("the answer is not JSON: " + std::string(shown) + (shown.size() < valid.size() ? " …" : ""));
}

std::optional<json::value> ObjectOfAnswer(std::string_view text) {
  const std::string_view trimmed = Trimmed(text);
  if (!trimmed.starts_with('{') || !trimmed.ends_with('}')) return std::nullopt;
  auto value = ParseJson(trimmed);
  if (!value || !value->is_object()) return std::nullopt;
  return value;
}

}  // namespace awf

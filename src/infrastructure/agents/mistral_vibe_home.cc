#include "infrastructure/agents/mistral_vibe_home.h"

#include <algorithm>
#include <cctype>
#include <climits>
#include <system_error>

#include "infrastructure/agents/regular_file.h"

namespace awf::agents {
namespace {

namespace fs = std::filesystem;

// Ends of one mention that are tried.
constexpr std::size_t kMostTries = 32;

constexpr std::string_view kModelKeys[] = {"active_model",
                                           "allowed_models",
                                           "api_connect_timeout",
                                           "api_pool_timeout",
                                           "api_retry_max_elapsed_time",
                                           "api_stream_idle_timeout",
                                           "api_timeout",
                                           "api_write_timeout",
                                           "auto_compact_threshold",
                                           "compaction_model",
                                           "enable_system_trust_store",
                                           "models",
                                           "providers",
                                           "utility_models",
                                           "vision_model"};

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Where the string that begins at `at` ends; npos when it does not.
std::size_t StringEnd(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.substr(at, 3) == three;
  std::size_t next = at + (is_long ? 3 : 1);
  while (next < text.size()) {
    if (quote == '"' && text[next] == '\\') {
      next += 2;
      continue;
    }
    if (!is_long && text[next] == '\n') return std::string_view::npos;
    if (is_long && text.substr(next, 3) == three) {
      next += 3;
      // Up to two quotes may stand right before the closing ones.
      while (next < text.size() && text[next] == quote) ++next;
      return next;
    }
    if (!is_long && text[next] == quote) return next + 1;
    ++next;
  }
  return std::string_view::npos;
}

// Where the statement that begins at `at` ends, its line break included: values may go over many lines. npos when the
// text ends within one.
std::size_t StatementEnd(std::string_view text, std::size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = StringEnd(text, at);
      if (at == std::string_view::npos) return at;
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    ++at;
    if (c == '\n' && depth <= 0) return at;
  }
  return depth <= 0 ? at : std::string_view::npos;
}

// The first part of the key of a statement: of `models.x.name = 1`, of `[models.x]`, of `[[models]]`.
std::string_view RootKey(std::string_view statement) {
  while (!statement.empty() && (IsSpace(statement.front()) || statement.front() == '[')) statement.remove_prefix(1);
  if (!statement.empty() && (statement.front() == '"' || statement.front() == '\'')) {
    const std::size_t end = statement.find(statement.front(), 1);
    return end == std::string_view::npos ? std::string_view() : statement.substr(1, end - 1);
  }
  return statement.substr(
      0, static_cast<std::size_t>(std::ranges::find_if_not(statement, [](char c) { return IsWord(c) || c == '-'; }) -
                                  statement.begin()));
}

std::string Unquoted(std::string_view value) {
  if (value.empty() || (value.front() != '"' && value.front() != '\'')) {
    // A comment needs a blank before it.
    for (std::size_t at = value.find('#'); at != std::string_view::npos; at = value.find('#', at + 1)) {
      if (at == 0 || IsSpace(value[at - 1])) return std::string(Trimmed(value.substr(0, at)));
    }
    return std::string(value);
  }
  const char quote = value.front();
  std::string text;
  for (std::size_t at = 1; at < value.size() && value[at] != quote; ++at) {
    if (quote == '"' && value[at] == '\\' && at + 1 < value.size()) {
      const char escaped = value[++at];
      text += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
    } else {
      text += value[at];
    }
  }
  return text;
}

// What a mention that begins behind the '@' names; "" when it names nothing.
std::string Mentioned(std::string_view text) {
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
    const std::size_t end = text.find(text.front(), 1);
    return end == std::string_view::npos ? std::string() : std::string(text.substr(1, end - 1));
  }
  const auto belongs = [](char c) {
    return IsWord(c) || static_cast<unsigned char>(c) >= 0x80 || std::string_view("./\\-()[]{}~").contains(c);
  };
  return std::string(text.begin(), std::ranges::find_if_not(text, belongs));
}

fs::path Expanded(const std::string& path, const fs::path& home) {
  if (path == "~" || path.starts_with("~/")) return home / path.substr(std::min<std::size_t>(2, path.size()));
  return path;
}

// Also true where it would take long to find out: a blank too much does no harm.
bool MayExist(const std::string& path, const fs::path& working_dir, const fs::path& home) {
  std::error_code error;
  // A mention at the end of a sentence or in brackets is tried without what closes these.
  const std::size_t shortest = path.find_last_not_of(".)]}") + 1;
  if (shortest >= PATH_MAX || path.size() - shortest > kMostTries) return true;
  for (std::size_t size = path.size(); size > 0 && size >= shortest; --size) {
    if (fs::exists(working_dir / Expanded(path.substr(0, size), home), error)) return true;
  }
  return false;
}

}  // namespace

fs::path VibeHome(const Environment& environment) {
  if (const std::string folder = environment.Get("VIBE_HOME"); !folder.empty()) return folder;
  const std::string home = environment.Get("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".vibe";
}

std::string SmallFile(const fs::path& path) {
  return path.empty() ? std::string() : ReadRegularFile(path).value_or("");
}

std::vector<std::pair<std::string, std::string>> DotEnvValues(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("export ")) line = Trimmed(line.substr(7));
    const std::size_t equals = line.find('=');
    if (line.starts_with('#') || equals == std::string_view::npos) continue;
    const std::string_view name = Trimmed(line.substr(0, equals));
    std::string value = Unquoted(Trimmed(line.substr(equals + 1)));
    const bool is_name = !name.empty() && std::ranges::all_of(name, IsWord);
    if (is_name && !value.empty()) values.emplace_back(name, std::move(value));
  }
  return values;
}

std::string ModelSettings(std::string_view toml) {
  std::string kept;
  bool in_table = false, keeps_table = false;
  for (std::size_t at = 0; at < toml.size();) {
    const std::size_t end = StatementEnd(toml, at);
    if (end == std::string_view::npos) return {};
    const std::string_view statement = toml.substr(at, end - at);
    at = end;
    const std::string_view bare = Trimmed(statement.substr(0, statement.find('\n')));
    if (bare.empty() || bare.starts_with('#')) continue;
    const bool is_known = std::ranges::find(kModelKeys, RootKey(statement)) != std::end(kModelKeys);
    if (bare.starts_with('[')) {
      in_table = true;
      keeps_table = is_known;
    }
    if (in_table ? keeps_table : is_known) kept.append(statement).append(statement.ends_with('\n') ? "" : "\n");
  }
  return kept;
}

std::string WithoutMentions(std::string_view text, const fs::path& working_dir, const fs::path& home) {
  std::string changed;
  changed.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    changed += text[at];
    if (text[at] != '@' || (at > 0 && IsWord(text[at - 1]))) continue;
    if (MayExist(Mentioned(text.substr(at + 1)), working_dir, home)) changed += ' ';
  }
  return changed;
}

}  // namespace awf::agents

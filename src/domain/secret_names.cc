#include "domain/secret_names.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace awf {
namespace {

constexpr std::string_view kWords[] = {"secret",     "token",  "password",      "passwd", "passphrase",
                                       "credential", "apikey", "authorization", "cookie"};
constexpr std::string_view kKey = "key";  // behind api, private or access

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// The parts of a name in lower case: "GITHUB_apiKey" → github, api, key; "APIKey" → api, key.
std::vector<std::string> NameParts(std::string_view name) {
  std::vector<std::string> parts(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '_' || c == '-' || c == '.') {
      parts.emplace_back();
      continue;
    }
    const bool after_lower = i > 0 && IsUpper(c) && !IsUpper(name[i - 1]);
    const bool last_of_capitals =
        i > 0 && IsUpper(c) && IsUpper(name[i - 1]) && i + 1 < name.size() && IsLower(name[i + 1]);
    if ((after_lower || last_of_capitals) && !parts.back().empty()) parts.emplace_back();
    parts.back().push_back(Lower(c));
  }
  std::erase(parts, std::string());
  return parts;
}

bool EndsWithWord(std::string_view part, std::string_view word) {
  if (part.ends_with(word)) return true;
  return part.ends_with('s') && part.substr(0, part.size() - 1).ends_with(word);
}

// Whether the parts of `word` stand in `parts` from `at` on.
bool StandsAt(const std::vector<std::string>& parts, std::size_t at, const std::vector<std::string>& word) {
  if (word.size() == 1) return EndsWithWord(parts[at], word[0]);
  if (at + word.size() > parts.size() || !parts[at].ends_with(word[0])) return false;
  const std::size_t last = word.size() - 1;
  for (std::size_t i = 1; i < last; ++i) {
    if (parts[at + i] != word[i]) return false;
  }
  return parts[at + last] == word[last] || parts[at + last] == word[last] + "s";
}

// The keys of a record are asked for with every line of a log, and hardly any holds a word of these: no parts are made.
class LowerName {
 public:
  explicit LowerName(std::string_view name) : name_(name) { std::ranges::transform(name, name_.begin(), Lower); }
  bool Holds(std::string_view word) const { return name_.find(word) != std::string::npos; }
  bool HoldsAny() const {
    return Holds(kKey) || std::ranges::any_of(kWords, [this](std::string_view word) { return Holds(word); });
  }

 private:
  std::string name_;
};

bool HasBuiltInWord(const std::vector<std::string>& parts) {
  bool key_may_follow = false;  // api, private or access came before
  for (const std::string& part : parts) {
    if (std::ranges::any_of(kWords, [&](std::string_view word) { return EndsWithWord(part, word); })) return true;
    if (key_may_follow && (part == kKey || part == "keys")) return true;
    key_may_follow = key_may_follow || part == "api" || part == "private" || part == "access";
  }
  return false;
}

}  // namespace

bool IsSecretName(std::string_view name) { return LowerName(name).HoldsAny() && HasBuiltInWord(NameParts(name)); }

bool SecretNames::Add(std::string_view word) {
  std::vector<std::string> parts = NameParts(word);
  if (std::ranges::none_of(word, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; })) return false;
  words_.push_back(std::move(parts));
  return true;
}

bool SecretNames::Covers(std::string_view name) const {
  if (IsSecretName(name)) return true;
  if (words_.empty()) return false;
  const LowerName lower(name);
  std::vector<std::string> parts;
  for (const std::vector<std::string>& word : words_) {
    if (!lower.Holds(word[0])) continue;
    if (parts.empty()) parts = NameParts(name);
    for (std::size_t at = 0; at < parts.size(); ++at) {
      if (StandsAt(parts, at, word)) return true;
    }
  }
  return false;
}

}  // namespace awf

#include "domain/masker.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <span>

namespace awf {
namespace {

constexpr std::size_t kShortestSecret = 8;
constexpr std::size_t kShortestLine = 16;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

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
    parts.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return parts;
}

bool EndsWithWord(std::string_view part, std::string_view word) {
  if (part.ends_with(word)) return true;
  return part.ends_with('s') && part.substr(0, part.size() - 1).ends_with(word);
}

// Base64 digits that depend on `value` alone when `offset` (0…2) other bytes stand before it in the encoded text.
std::string Base64Core(std::string_view value, std::size_t offset, std::string_view alphabet) {
  const std::size_t begin = (offset * 8 + 5) / 6, end = (offset + value.size()) * 8 / 6;
  const auto bit = [&](std::size_t index) -> unsigned {
    const std::size_t byte = index / 8;
    if (byte < offset) return 0;
    return (static_cast<unsigned char>(value[byte - offset]) >> (7 - index % 8)) & 1U;
  };
  std::string digits;
  for (std::size_t digit = begin; digit < end; ++digit) {
    unsigned sextet = 0;
    for (std::size_t i = 0; i < 6; ++i) sextet = sextet << 1 | bit(digit * 6 + i);
    digits.push_back(alphabet[sextet]);
  }
  return digits;
}

std::string PercentEncoded(std::string_view value, std::string_view digits) {
  std::string encoded;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos) {
      encoded.push_back(c);
    } else {
      encoded.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
  }
  return encoded;
}

std::string JsonEscaped(std::string_view value) {
  std::string quoted = json::serialize(json::string(value));
  return quoted.substr(1, quoted.size() - 2);
}

std::string ShellQuoted(std::string_view value) {
  std::string quoted;
  for (const char c : value) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted.push_back(c);
    }
  }
  return quoted;
}

}  // namespace

bool IsSecretName(std::string_view name) {
  static constexpr std::string_view kWords[] = {"secret",     "token",  "password",      "passwd", "passphrase",
                                                "credential", "apikey", "authorization", "cookie"};
  bool key_may_follow = false;  // api, private or access came before
  for (const std::string& part : NameParts(name)) {
    if (std::any_of(std::begin(kWords), std::end(kWords), [&](auto word) { return EndsWithWord(part, word); }))
      return true;
    if (key_may_follow && (part == "key" || part == "keys")) return true;
    key_may_follow = key_may_follow || part == "api" || part == "private" || part == "access";
  }
  return false;
}

void Masker::AddSecret(std::string_view value) {
  while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.remove_suffix(1);
  Learn(value);
  if (value.find('\n') != std::string_view::npos) {
    while (!value.empty()) {
      const std::size_t end = std::min(value.find('\n'), value.size());
      std::string_view line = value.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.size() >= kShortestLine) Learn(line);
      value.remove_prefix(std::min(end + 1, value.size()));
    }
  }
  Index();
}

void Masker::AddEnvironment(char** environment) {
  for (char** entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos && IsSecretName(text.substr(0, equals))) AddSecret(text.substr(equals + 1));
  }
}

void Masker::Learn(std::string_view value) {
  if (value.size() < kShortestSecret) return;
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  secrets_.emplace_back(value);
  for (const std::string_view last : {"+/", "-_"}) {
    const std::string alphabet = std::string(kDigits).append(last);
    for (std::size_t offset = 0; offset < 3; ++offset) secrets_.push_back(Base64Core(value, offset, alphabet));
  }
  secrets_.push_back(PercentEncoded(value, "0123456789ABCDEF"));
  secrets_.push_back(PercentEncoded(value, "0123456789abcdef"));
  secrets_.push_back(JsonEscaped(value));
  secrets_.push_back(ShellQuoted(value));
}

void Masker::Index() {
  std::sort(secrets_.begin(), secrets_.end(),
            [](const auto& a, const auto& b) { return a.size() != b.size() ? a.size() > b.size() : a < b; });
  secrets_.erase(std::unique(secrets_.begin(), secrets_.end()), secrets_.end());
  for (auto& positions : by_first_) positions.clear();
  for (std::size_t i = 0; i < secrets_.size(); ++i)
    by_first_[static_cast<unsigned char>(secrets_[i][0])].push_back(static_cast<std::uint32_t>(i));
}

std::size_t Masker::Match(std::string_view text, bool final, bool& undecided) const {
  for (const std::uint32_t position : by_first_[static_cast<unsigned char>(text[0])]) {
    const std::string& secret = secrets_[position];
    const std::size_t length = std::min(secret.size(), text.size());
    if (std::memcmp(secret.data(), text.data(), length) != 0) continue;
    if (length == secret.size()) return length;
    if (!final) {
      undecided = true;
      return 0;
    }
  }
  return 0;
}

std::size_t Masker::Scan(std::string_view text, bool final, std::string& out) const {
  std::size_t copied = 0;                        // text before this position is in `out`
  std::size_t hidden_begin = 0, hidden_end = 0;  // overlapping secrets that make one mask
  const auto emit = [&](std::size_t until) {
    if (hidden_end > copied) {
      out.append(text.substr(copied, hidden_begin - copied)).append(kMask);
      copied = hidden_end;
    }
    out.append(text.substr(copied, until - copied));
    copied = until;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool undecided = false;
    const std::size_t length = Match(text.substr(at), final, undecided);
    if (undecided) {
      const std::size_t keep_from = at < hidden_end ? hidden_begin : at;
      if (at < hidden_end) hidden_end = 0;
      emit(keep_from);
      return keep_from;
    }
    if (length == 0) continue;
    if (at >= hidden_end) {
      emit(at);
      hidden_begin = at;
    }
    hidden_end = std::max(hidden_end, at + length);
  }
  emit(text.size());
  return text.size();
}

std::string Masker::MaskText(std::string_view text) const {
  std::string masked;
  Scan(text, true, masked);
  return masked;
}

json::value Masker::MaskJson(const json::value& value) const { return MaskBelow(value, false); }

json::value Masker::MaskBelow(const json::value& value, bool secret_key) const {
  if (const auto* text = value.if_string()) {
    if (secret_key) return json::value(kMask);
    return json::value(MaskText(*text));
  }
  if (const auto* array = value.if_array()) {
    json::array masked;
    masked.reserve(array->size());
    for (const json::value& element : *array) masked.push_back(MaskBelow(element, secret_key));
    return masked;
  }
  if (const auto* object = value.if_object()) {
    json::object masked;
    masked.reserve(object->size());
    for (const auto& [key, member] : *object)
      masked.insert_or_assign(MaskText(key), MaskBelow(member, secret_key || IsSecretName(key)));
    return masked;
  }
  return value;
}

std::string StreamMasker::Feed(std::string_view piece) {
  std::string out;
  if (held_.empty()) {
    held_ = piece.substr(masker_->Scan(piece, false, out));
  } else {
    held_ += piece;
    held_.erase(0, masker_->Scan(held_, false, out));
  }
  return out;
}

std::string StreamMasker::Flush() {
  std::string out;
  masker_->Scan(held_, true, out);
  held_.clear();
  return out;
}

}  // namespace awf

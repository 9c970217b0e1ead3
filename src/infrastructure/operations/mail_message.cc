#include "infrastructure/operations/mail_message.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "domain/base64.h"
#include "domain/joined.h"
#include "domain/utf8.h"

namespace awf::operations {
namespace {

constexpr std::size_t kLongestLine = 76;

bool IsLetterOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// "Fri, 21 Nov 1997 09:55:06 +0000", in English whatever the locale is.
std::string DateText(WallClock::time_point time) {
  constexpr std::array<const char*, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr int kFirstYear = 1900;
  const std::time_t clock = WallClock::to_time_t(std::chrono::floor<std::chrono::seconds>(time));
  std::tm parts{};
  ::gmtime_r(&clock, &parts);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02d %s %04d %02d:%02d:%02d +0000",
                kDays.at(static_cast<std::size_t>(parts.tm_wday)), parts.tm_mday,
                kMonths.at(static_cast<std::size_t>(parts.tm_mon)), parts.tm_year + kFirstYear, parts.tm_hour,
                parts.tm_min, parts.tm_sec);
  return text.data();
}

// Fits beside its name, and no reader takes it for encoded.
bool IsPlainSubject(std::string_view subject) {
  constexpr std::size_t kLongest = kLongestLine - std::string_view("Subject: ").size();
  return subject.size() <= kLongest && !subject.starts_with(' ') && !subject.ends_with(' ') &&
         subject.find("=?") == std::string_view::npos &&
         std::ranges::all_of(subject, [](char c) { return c >= ' ' && c <= '~'; });
}

// Encoded words of whole characters, a line each.
std::string SubjectText(const std::string& subject) {
  if (IsPlainSubject(subject)) return subject;
  constexpr std::size_t kBytes = 39;  // as base64 between its marks and beside "Subject: " within a line
  std::string words;
  const std::string repaired = RepairUtf8(subject);
  for (std::string_view rest = repaired; !rest.empty();) {
    const std::string_view piece = Utf8Prefix(rest, kBytes);
    words.append(words.empty() ? "" : "\r\n ").append("=?UTF-8?B?").append(Base64(piece)).append("?=");
    rest.remove_prefix(piece.size());
  }
  return words;
}

// CR LF, LF and CR all end a line.
std::string WithNetworkLines(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r' && text[i] != '\n') {
      lines += text[i];
      continue;
    }
    lines += "\r\n";
    if (text.substr(i, 2) == "\r\n") ++i;
  }
  return lines;
}

std::string Base64Lines(std::string_view bytes) {
  const std::string base64 = Base64(bytes);
  std::string lines;
  for (std::size_t at = 0; at < base64.size(); at += kLongestLine)
    lines.append(base64, at, kLongestLine).append("\r\n");
  return lines;
}

}  // namespace

std::string MailMessage(const Mail& mail) {
  const std::string domain = mail.from.substr(mail.from.rfind('@') + 1);
  return "Date: " + DateText(mail.date) + "\r\nFrom: " + mail.from + "\r\nTo: " + Joined(mail.to, ",\r\n ") +
         "\r\nMessage-ID: <" + mail.id + "@" + domain + ">\r\nSubject: " + SubjectText(mail.subject) +
         "\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: "
         "base64\r\n\r\n" +
         Base64Lines(WithNetworkLines(RepairUtf8(mail.text)));
}

bool IsMailAddress(std::string_view text) {
  constexpr std::size_t kLongest = 254;
  constexpr std::string_view kInName = "!#$%&'*+-/=?^_`{|}~.";
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || text.size() > kLongest) return false;
  const std::string_view name = text.substr(0, at), domain = text.substr(at + 1);
  const auto dots_are_apart = [](std::string_view part) {
    return !part.empty() && part.front() != '.' && part.back() != '.' && part.find("..") == std::string_view::npos;
  };
  return dots_are_apart(name) && dots_are_apart(domain) &&
         std::ranges::all_of(name, [&](char c) { return IsLetterOrDigit(c) || kInName.contains(c); }) &&
         std::ranges::all_of(domain, [](char c) { return IsLetterOrDigit(c) || c == '-' || c == '.'; });
}

}  // namespace awf::operations

#include "infrastructure/regex/re2_regex.h"

#include <re2/re2.h>

#include <utility>

#include "infrastructure/regex/required_literal.h"

namespace awf {
namespace {

constexpr std::string_view kMultiLine = "(?m)";  // RE2 has no option for it in its Perl syntax

re2::StringPiece Piece(std::string_view text) {
  // A null pointer would make a group that took part look like one that did not.
  return text.data() == nullptr ? re2::StringPiece("", 0) : re2::StringPiece(text.data(), text.size());
}

class Re2Regex final : public Regex {
 public:
  Re2Regex(const std::string& pattern, const RE2::Options& options, std::string literal)
      : re_(pattern, options), literal_(std::move(literal)) {}

  const RE2& re() const { return re_; }

  bool Find(std::string_view text, std::size_t from, std::vector<RegexGroup>& groups) const override {
    if (from > text.size()) return false;
    const re2::StringPiece piece = Piece(text);
    const int count = 1 + re_.NumberOfCapturingGroups();
    std::vector<re2::StringPiece> found(static_cast<std::size_t>(count));
    if (!re_.Match(piece, from, piece.size(), RE2::UNANCHORED, found.data(), count)) return false;
    groups.assign(found.size(), RegexGroup{});
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (found[i].data() == nullptr) continue;
      groups[i].begin = static_cast<std::size_t>(found[i].data() - piece.data());
      groups[i].end = groups[i].begin + found[i].size();
    }
    return true;
  }

  bool Contains(std::string_view text) const override {
    const re2::StringPiece piece = Piece(text);
    return re_.Match(piece, 0, piece.size(), RE2::UNANCHORED, nullptr, 0);
  }

  int GroupCount() const override { return re_.NumberOfCapturingGroups(); }
  std::string RequiredLiteral() const override { return literal_; }

 private:
  RE2 re_;
  std::string literal_;
};

// "missing ): a(" comes apart into message and fragment.
RegexFault FaultOf(const RE2& re, bool prefixed) {
  RegexFault fault{re.error(), re.error_arg()};
  if (!fault.fragment.empty() && fault.message.ends_with(": " + fault.fragment))
    fault.message.resize(fault.message.size() - fault.fragment.size() - 2);
  if (prefixed && fault.fragment.starts_with(kMultiLine)) fault.fragment.erase(0, kMultiLine.size());
  return fault;
}

}  // namespace

std::expected<std::unique_ptr<Regex>, RegexFault> Re2Compiler::Compile(std::string_view pattern,
                                                                       const RegexOptions& options) const {
  constexpr std::int64_t kMemory = 32 << 20;  // of program and DFA; the default of 8 MiB makes big classes slow
  RE2::Options re2_options(RE2::Quiet);
  re2_options.set_max_mem(kMemory);
  re2_options.set_case_sensitive(!options.case_insensitive);
  re2_options.set_literal(options.literal);
  re2_options.set_encoding(options.latin1 ? RE2::Options::EncodingLatin1 : RE2::Options::EncodingUTF8);

  const bool prefixed = options.multi_line && !options.literal;
  std::string text = prefixed ? std::string(kMultiLine) : std::string();
  text += pattern;
  std::string literal;
  if (!options.case_insensitive) literal = options.literal ? std::string(pattern) : RequiredLiteral(pattern);
  auto regex = std::make_unique<Re2Regex>(text, re2_options, std::move(literal));
  if (!regex->re().ok()) return std::unexpected(FaultOf(regex->re(), prefixed));
  return regex;
}

std::string Re2Compiler::Quote(std::string_view text) const {
  constexpr std::string_view kMeta = "\\^$.|?*+()[]{}";
  std::string quoted;
  for (const char c : text) {
    if (kMeta.find(c) != std::string_view::npos) quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted;
}

}  // namespace awf

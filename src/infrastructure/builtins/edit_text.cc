#include "infrastructure/builtins/edit_text.h"

#include <memory>
#include <utility>

#include "domain/utf8.h"
#include "infrastructure/builtins/edit_hint.h"
#include "infrastructure/builtins/edit_match.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/text_decoding.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kSample = 8 << 10;  // where NUL means binary, as in Read

using Fault = std::unexpected<std::string>;

std::string EveryLfAsCrLf(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  for (const char c : text) {
    if (c == '\n') out.push_back('\r');
    out.push_back(c);
  }
  return out;
}

// A search that has been decided on: in which text, for what, by what.
struct Plan {
  std::string_view text;
  MatchFinder find;
  Replacement replacement;
  MatchCount matches;
};

class Editing {
 public:
  Editing(std::string_view bytes, const EditRequest& request, std::string_view shown, const RegexCompiler& compiler)
      : mark_(DetectEncoding(bytes)),
        bytes_(bytes),
        body_(bytes.substr(mark_.length)),
        request_(request),
        shown_(shown),
        compiler_(compiler) {}

  std::expected<EditedText, std::string> Run() {
    if (std::string refusal = Refusal(); !refusal.empty()) return Fault(std::move(refusal));
    return request_.regex ? RunRegex() : RunLiteral();
  }

 private:
  std::string Refusal() const {
    if (mark_.encoding != TextEncoding::kUtf8) return shown_ + " is UTF-16; Edit works on UTF-8 text.";
    if (LooksBinary(bytes_.substr(0, kSample)))
      return shown_ + " is a binary file (" + Counted(bytes_.size(), "byte", "bytes") + "); Edit works on text only.";
    if (!IsAscii(request_.new_string) && !IsValidUtf8(body_))
      return shown_ + " is not valid UTF-8 and new_string is not ASCII; no change made.";
    return {};
  }

  static Plan Literally(std::string_view text, std::string_view old_string, std::string_view new_string) {
    Plan plan{text, FindLiteral(std::string(old_string)), Replacement::Literal(new_string), {}};
    plan.matches = CountMatches(text, plan.find);
    return plan;
  }

  // Where all line ends are CR LF, a lone LF of the request can only mean one of them. Where they are mixed, the bytes
  // as given come first.
  std::expected<EditedText, std::string> RunLiteral() const {
    const LineEnds ends = LineEndsOf(body_);
    Plan plan;
    if (ends != LineEnds::kCrLf) plan = Literally(body_, request_.old_string, request_.new_string);
    if (ends == LineEnds::kCrLf || (ends == LineEnds::kMixed && plan.matches.count == 0))
      plan = Literally(body_, WithCrLf(request_.old_string), WithCrLf(request_.new_string));
    return Apply(plan, false);
  }

  // Where all line ends are CR LF the pattern sees LF alone, so that `$` and `\n` mean what they say; every line end
  // gets its CR back afterwards.
  std::expected<EditedText, std::string> RunRegex() const {
    auto compiled = compiler_.Compile(request_.old_string, {.latin1 = !IsValidUtf8(body_)});
    if (!compiled)
      return Fault("Invalid regular expression " + ShownName(request_.old_string) + ": " + compiled.error().message +
                   ".");
    const std::shared_ptr<const Regex> regex = std::move(*compiled);
    if (regex->Contains("")) return MatchesEmpty();

    const bool crlf = LineEndsOf(body_) == LineEnds::kCrLf;
    const std::string with_lf = crlf ? WithLf(body_) : std::string();
    Plan plan{crlf ? std::string_view(with_lf) : body_,
              FindRegex(regex),
              Replacement::WithGroups(crlf ? WithLf(request_.new_string) : std::string(request_.new_string)),
              {}};
    if (const int highest = plan.replacement.HighestGroup(); highest > regex->GroupCount())
      return Fault("new_string names group \\" + std::to_string(highest) + ", but the pattern has " +
                   Counted(static_cast<unsigned>(regex->GroupCount()), "group", "groups") + ". No change made.");
    plan.matches = CountMatches(plan.text, plan.find);
    if (plan.matches.empty_match) return MatchesEmpty();
    return Apply(plan, crlf);
  }

  Fault MatchesEmpty() const {
    return Fault("The pattern " + ShownName(request_.old_string) + " matches the empty string; no change made.");
  }

  std::expected<EditedText, std::string> Apply(const Plan& plan, bool restore_crlf) const {
    const MatchCount& matches = plan.matches;
    if (matches.count == 0) return NotFound();
    if (matches.count > 1 && !request_.replace_all)
      return Fault("old_string occurs " + std::to_string(matches.count) + " times in " + shown_ + " (" +
                   matches.Lines() + "). Add surrounding text to make it unique, or set replace_all.");
    auto replaced = ReplaceMatches(plan.text, plan.find, plan.replacement, kEditResultLimit);
    if (replaced && restore_crlf) *replaced = EveryLfAsCrLf(*replaced);
    if (!replaced || replaced->size() > kEditResultLimit)
      return Fault(shown_ + " would grow beyond " + std::to_string(kEditResultLimit) + " bytes; no change made.");
    EditedText edited{std::string(bytes_.substr(0, mark_.length)), {}};
    edited.bytes += *replaced;
    edited.summary = Counted(matches.count, "replacement", "replacements") + " (" + matches.Lines() + ")";
    return edited;
  }

  Fault NotFound() const {
    std::string text = "old_string was not found in " + shown_ + ". No change made.";
    const std::string hint = request_.regex ? std::string() : HintForMissing(body_, request_.old_string);
    return Fault(hint.empty() ? text : text + " " + hint);
  }

  const EncodingMark mark_;
  const std::string_view bytes_, body_;
  const EditRequest& request_;
  const std::string shown_;
  const RegexCompiler& compiler_;
};

}  // namespace

std::expected<EditedText, std::string> EditText(std::string_view bytes, const EditRequest& request,
                                                std::string_view shown, const RegexCompiler& compiler) {
  return Editing(bytes, request, shown, compiler).Run();
}

}  // namespace awf::builtins

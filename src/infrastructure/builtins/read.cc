#include "infrastructure/builtins/read.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <utility>

#include "domain/base64.h"
#include "domain/time.h"
#include "domain/utf8.h"
#include "infrastructure/builtins/file_outcome.h"
#include "infrastructure/builtins/image_file.h"
#include "infrastructure/builtins/line_page.h"
#include "infrastructure/builtins/result_text.h"
#include "infrastructure/builtins/text_decoding.h"
#include "infrastructure/builtins/tool_schema.h"

namespace awf::builtins {
namespace {

constexpr std::size_t kChunk = 64 << 10;
constexpr std::size_t kSample = 8 << 10;            // where NUL means binary
constexpr std::size_t kImageLimit = 5'000'000;      // bytes of a picture
constexpr std::uint64_t kCountLimit = 64ULL << 20;  // bytes beyond the page that are read to count lines
constexpr std::size_t kFullBudget = 40'000;         // for which the two figures below are meant
constexpr std::size_t kLineWidth = 2000, kLines = 2000;
constexpr std::size_t kMostNamedLines = 20;
constexpr std::size_t kNoteLines = 10;  // kept free for notes

// The bytes of a file in pieces that never wait.
class FileReader {
 public:
  explicit FileReader(int fd) : fd_(fd), buffer_(std::make_unique_for_overwrite<char[]>(kChunk)) {}

  // At least `least` bytes unless the file ends before; empty at the end or after an error.
  std::string_view Next(std::size_t least = 1) {
    std::size_t filled = 0;
    while (filled < least && !ended_) {
      const ssize_t got = ::read(fd_, buffer_.get() + filled, kChunk - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) error_ = errno;
      ended_ = got <= 0;
      if (got > 0) filled += static_cast<std::size_t>(got);
    }
    return error_ == 0 ? std::string_view(buffer_.get(), filled) : std::string_view();
  }
  int error() const { return error_; }

 private:
  int fd_;
  std::unique_ptr<char[]> buffer_;
  int error_ = 0;
  bool ended_ = false;
};

std::int64_t Clamped(std::size_t count) {
  return static_cast<std::int64_t>(
      std::min<std::size_t>(count, static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max())));
}

std::string ListOfLines(const std::vector<std::int64_t>& lines) {
  std::string list;
  for (std::size_t i = 0; i < std::min(lines.size(), kMostNamedLines); ++i)
    list += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
  return lines.size() > kMostNamedLines ? list + " and more" : list;
}

std::string DirectoryText(const OpenedPath& opened) {
  constexpr unsigned long long kMostCounted = 10'000;
  unsigned long long entries = 0;
  Fd copy(::fcntl(opened.fd.get(), F_DUPFD_CLOEXEC, 0));
  if (DIR* directory = copy ? ::fdopendir(copy.get()) : nullptr; directory != nullptr) {
    copy.Release();
    while (entries < kMostCounted + 2 && ::readdir(directory) != nullptr) ++entries;
    ::closedir(directory);
  }
  entries -= std::min(entries, 2ULL);  // . and ..
  const std::string count = entries == kMostCounted ? "10000 entries or more" : Counted(entries, "entry", "entries");
  return opened.shown + " is a directory (" + count + "). Use Glob to list files.";
}

// One call's way through the file.
class Reading {
 public:
  Reading(const ToolCall& call, const OpenedPath& file, const ResultBudget& budget)
      : call_(call), file_(file), budget_(budget), reader_(file.fd.get()) {}

  ToolResult Run() {
    const std::string_view head = reader_.Next(kSample);
    if (reader_.error() != 0) return Failure(ErrnoSentence(file_.shown, reader_.error()));
    if (const auto image = DetectImage(head)) return Picture(*image, head);
    if (head.starts_with("%PDF-")) return Failure(NotText("PDF"));
    if (LooksBinary(head.substr(0, kSample))) return Failure(NotText("binary"));
    return Page(head);
  }

 private:
  ToolResult Failure(std::string text) const { return FaultResult({std::move(text)}, budget_); }

  std::string NotText(std::string_view kind) const {
    return file_.shown + " is a " + std::string(kind) + " file (" + Size() + "); Read shows text and images only.";
  }
  std::string Size() const {
    return Counted(static_cast<unsigned long long>(std::max<off_t>(file_.status.st_size, 0)), "byte", "bytes");
  }

  ToolResult Picture(const ImageKind& kind, std::string_view head) {
    const bool known_big = file_.status.st_size > static_cast<off_t>(kImageLimit);
    std::string bytes(head);
    while (!known_big && bytes.size() <= kImageLimit) {
      const std::string_view more = reader_.Next();
      if (more.empty()) break;
      bytes += more;
    }
    if (reader_.error() != 0) return Failure(ErrnoSentence(file_.shown, reader_.error()));
    const std::string name(kind.name);
    if (known_big || bytes.size() > kImageLimit)
      return Failure(file_.shown + " is a " + name + " image of " + Size() + "; Read shows images up to " +
                     std::to_string(kImageLimit) + " bytes.");
    std::string text = file_.shown + ": " + name + " image, " + Counted(bytes.size(), "byte", "bytes") + ".";
    ToolResult result = MakeResult(text, {}, budget_);
    result.fields.structured["content"] = text;
    result.content.emplace_back(ImageContent{Base64(bytes), std::string(kind.mime_type)});
    return result;
  }

  PageLimits Limits() const {
    const std::size_t smaller = std::min(budget_.characters, budget_.bytes);
    const auto scaled = [smaller](std::size_t figure) {
      return std::max<std::size_t>(1, std::min(figure, figure * smaller / kFullBudget));
    };
    PageLimits limits;
    limits.first = std::max<std::int64_t>(1, IntegerArgument(call_.arguments, "offset", 1));
    limits.count =
        std::max<std::int64_t>(1, IntegerArgument(call_.arguments, "limit", static_cast<std::int64_t>(scaled(kLines))));
    limits.count = std::min(limits.count, Clamped(LinesLeft(budget_, kNoteLines)));
    limits.line_width = scaled(kLineWidth);
    const std::size_t for_notes = std::min<std::size_t>(500, smaller / 4);
    limits.characters = budget_.characters - for_notes;
    limits.bytes = budget_.bytes - for_notes;
    return limits;
  }

  ToolResult Page(std::string_view piece) {
    const EncodingMark mark = DetectEncoding(piece);
    piece.remove_prefix(mark.length);
    Utf16Decoder decoder(mark.encoding);
    const bool wide = mark.encoding != TextEncoding::kUtf8;
    LinePage page(Limits());
    std::string decoded;
    std::uint64_t beyond = 0;
    bool ended = piece.empty();
    for (; !ended; piece = reader_.Next(), ended = piece.empty()) {
      if (call_.cancelled.stop_requested()) return Failure("The call was cancelled.");
      if (Passed(call_.deadline)) return Failure("The time of the step is over.");
      beyond = page.complete() || page.in_overlong_line() ? beyond + piece.size() : 0;
      if (beyond > kCountLimit) break;
      if (wide) {
        decoded.clear();
        decoder.Decode(piece, decoded);
        piece = decoded;
      }
      page.Feed(piece);
    }
    if (reader_.error() != 0) return Failure(ErrnoSentence(file_.shown, reader_.error()));
    if (wide && ended) {
      decoded.clear();
      decoder.Finish(decoded);
      page.Feed(decoded);
    }
    if (ended || !page.complete()) page.Finish();
    return Result(page, mark, ended);
  }

  ToolResult Result(const LinePage& page, const EncodingMark& mark, bool ended) const {
    if (page.last_shown() == 0 && page.first_shown() > 1)
      return Failure("offset " + std::to_string(page.first_shown()) + " is past the end: " + file_.shown + " has " +
                     Counted(static_cast<unsigned long long>(page.lines()), "line", "lines") + ".");
    Notes notes;
    const bool more = !ended || page.last_shown() < page.lines();
    // Stopped within an endless line: whether another one follows is not known.
    if (page.complete() && more) notes.Add(PageNote(page, ended));
    if (!page.cut_lines().empty()) notes.Add(CutNote(page.cut_lines()));
    AddTextNotes(page, mark, notes);
    std::string text = page.empty() ? "The file is empty." : page.text();
    json::object structured{{"content", page.text()}};
    ToolResult result = MakeResult(text, notes, budget_);
    result.fields.truncated = result.fields.truncated || more || !page.cut_lines().empty();
    result.fields.structured = std::move(structured);
    return result;
  }

  std::string PageNote(const LinePage& page, bool ended) const {
    return "Lines " + std::to_string(page.first_shown()) + "-" + std::to_string(page.last_shown()) +
           (ended ? " of " : " of more than ") + std::to_string(page.lines()) +
           " shown. Continue with offset=" + std::to_string(page.last_shown() + 1) + ".";
  }

  std::string CutNote(const std::vector<std::int64_t>& lines) const {
    const bool one = lines.size() == 1;
    return (one ? "Line " : "Lines ") + ListOfLines(lines) + (one ? " is" : " are") + " longer than " +
           std::to_string(Limits().line_width) + " characters and " + (one ? "was" : "were") +
           " cut. Use Grep, or Bash with cut -c, for the rest of it.";
  }

  static void AddTextNotes(const LinePage& page, const EncodingMark& mark, Notes& notes) {
    if (page.line_ends() == LineEnds::kCrLf) notes.Add("Line ends: CRLF.");
    if (page.line_ends() == LineEnds::kMixed) notes.Add("Line ends: mixed.");
    if (page.bad_bytes() > 0)
      notes.Add("Not valid UTF-8: " + Counted(page.bad_bytes(), "byte", "bytes") + " shown as U+FFFD.");
    if (page.controls() > 0)
      notes.Add(Counted(page.controls(), "control character", "control characters") + " shown as U+FFFD.");
    if (mark.encoding != TextEncoding::kUtf8) notes.Add("Decoded from " + std::string(ToString(mark.encoding)) + ".");
    if (mark.encoding == TextEncoding::kUtf8 && mark.length > 0) notes.Add("Begins with a UTF-8 byte order mark.");
  }

  const ToolCall& call_;
  const OpenedPath& file_;
  const ResultBudget& budget_;
  FileReader reader_;
};

}  // namespace

ReadTool::ReadTool(std::shared_ptr<const Confinement> confinement, const ToolSettings& settings)
    : confinement_(std::move(confinement)), budget_(settings.budget) {}

ToolDefinition ReadTool::Definition() const {
  ToolDefinition definition;
  definition.name = "Read";
  definition.description =
      "Reads a text file and shows its lines as number, tab, text; the number and the tab are not part of the file. "
      "Shows the first 2000 lines unless offset and limit say otherwise; a note at the end tells whether there is more "
      "and with which offset to go on. Very long lines are cut. Pictures (PNG, JPEG, GIF, WebP) are shown as images. "
      "Directories cannot be read: list files with Glob. A relative path starts at the working directory; ~ and "
      "variables are not expanded.";
  definition.input_schema =
      ObjectSchema({{"path", "string", "File to read, relative to the working directory or absolute", true},
                    {"offset", "integer", "Number of the first line to show, from 1 (default 1)"},
                    {"limit", "integer", "How many lines to show (default 2000)"}});
  json::object& properties = definition.input_schema["properties"].as_object();
  properties["offset"].as_object()["minimum"] = 0;
  properties["limit"].as_object()["minimum"] = 1;
  definition.annotations = {.read_only = true, .destructive = {}, .idempotent = {}, .open_world = false};
  definition.rules.aliases = PathAliases();
  definition.rules.aliases.push_back({"start_line", "offset"});
  definition.rules.aliases.push_back({"end_line", "limit", ArgumentAlias::Transform::kEndToCount});
  definition.rules.ignored = IgnoredArguments();
  return definition;
}

ToolResult ReadTool::Call(const ToolCall& call) const {
  const auto opened = confinement_->OpenForRead(StringArgument(call.arguments, "path"));
  if (!opened) return FaultResult(opened.error(), budget_);
  if (S_ISDIR(opened->status.st_mode)) return FaultResult({DirectoryText(*opened)}, budget_);
  if (!S_ISREG(opened->status.st_mode)) return FaultResult({opened->shown + " is not a regular file."}, budget_);
  return Reading(call, *opened, budget_).Run();
}

}  // namespace awf::builtins

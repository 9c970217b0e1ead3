#include "infrastructure/process/kept_output.h"

#include <algorithm>

#include "domain/base64.h"
#include "domain/utf8.h"

namespace awf::process {
namespace {

std::string FromLatin1(std::string_view bytes) {
  if (IsAscii(bytes)) return std::string(bytes);
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 4);
  for (const char byte : bytes) AppendUtf8(text, static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

KeptOutput::KeptOutput(CaptureEncoding encoding, std::size_t max_bytes)
    : encoding_(encoding),
      kept_(max_bytes - max_bytes / 2, max_bytes / 2,
            encoding == CaptureEncoding::kBase64 ? CutAt::kBytes : CutAt::kCharacters) {}

std::string KeptOutput::Take(std::string_view bytes) {
  std::string text = encoding_ == CaptureEncoding::kLatin1 ? FromLatin1(bytes) : stream_.Take(bytes);
  kept_.Append(encoding_ == CaptureEncoding::kBase64 ? bytes : std::string_view(text));
  return text;
}

std::string KeptOutput::Finish() {
  std::string text = stream_.Finish();
  if (encoding_ != CaptureEncoding::kBase64) kept_.Append(text);
  return text;
}

std::string KeptOutput::Shown(std::string_view kept) const {
  return encoding_ == CaptureEncoding::kBase64 ? Base64(kept) : std::string(kept);
}

std::string KeptOutput::Text() const {
  if (kept_.whole()) {
    std::string text(kept_.head());
    text += kept_.tail();
    return encoding_ == CaptureEncoding::kBase64 ? Base64(text) : text;
  }
  std::size_t cut = kept_.bytes() - kept_.head().size() - kept_.tail().size();
  std::string_view unit = "bytes";
  if (encoding_ == CaptureEncoding::kLatin1) {
    cut = kept_.characters() - CountCharacters(kept_.head()) - CountCharacters(kept_.tail());
    unit = "characters";
  }
  std::string text = Shown(kept_.head());
  text.append("\n[... ").append(std::to_string(cut)).append(" ").append(unit).append(" cut ...]\n");
  return text += Shown(kept_.tail());
}

std::string KeptOutput::LastWords() const {
  static constexpr std::size_t kEnough = 4096;
  const auto last = [](std::string_view text) { return text.substr(text.size() - std::min(text.size(), kEnough)); };
  std::string words(kept_.whole() ? last(kept_.head()) : "");
  words += last(kept_.tail());
  return RepairUtf8(words);
}

}  // namespace awf::process

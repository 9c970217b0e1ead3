#include "infrastructure/telemetry/transcript_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/masked_content.h"
#include "domain/parse_json.h"
#include "domain/timestamp.h"
#include "domain/tool_observer.h"
#include "domain/utf8.h"
#include "infrastructure/process/fd.h"
#include "infrastructure/telemetry/record_cut.h"

namespace awf::telemetry {
namespace {

// The number of the last whole record; 0 when there is none. A cut line may follow it, so two lines are enough.
std::int64_t LastSeq(const std::filesystem::path& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  std::string block(std::min(static_cast<std::size_t>(info.st_size), 2 * kLongestTranscriptLine + 1), '\0');
  const ssize_t got = ::pread(fd.get(), block.data(), block.size(), info.st_size - static_cast<off_t>(block.size()));
  block.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  for (std::string_view rest = block; !rest.empty();) {
    if (rest.ends_with('\n')) rest.remove_suffix(1);
    const std::size_t begin = rest.rfind('\n') + 1;  // npos + 1 is 0
    const auto record = ParseJson(rest.substr(begin));
    const json::value* seq = record && record->is_object() ? record->get_object().if_contains("seq") : nullptr;
    if (seq != nullptr && seq->is_int64()) return std::max<std::int64_t>(seq->get_int64(), 0);
    rest = rest.substr(0, begin);
  }
  return 0;
}

void AddCut(json::object& object, std::string_view name) {
  json::value& list = object["cut"];
  if (!list.is_array()) list = json::array();
  const json::value entry(json::string{name});
  if (std::ranges::find(list.get_array(), entry) == list.get_array().end()) list.get_array().push_back(entry);
}

json::object Masked(const json::object& object, const Masker& masker);

json::value MaskedMember(std::string_view key, const json::value& value, const Masker& masker) {
  if (key == "input") return MaskArguments(masker, value);
  if (key == "blocks" && value.is_array()) {
    json::array blocks;
    for (const json::value& block : value.get_array()) {
      blocks.push_back(block.is_object() ? json::value(Masked(block.get_object(), masker)) : masker.MaskJson(block));
    }
    return blocks;
  }
  return masker.MaskJson(value);
}

// A payload or a block of one.
json::object Masked(const json::object& object, const Masker& masker) {
  json::object masked;
  masked.reserve(object.size() + 1);
  for (const auto& [key, value] : object) masked.emplace(key, MaskedMember(key, value, masker));
  return masked;
}

void CutStrings(json::object& object) {
  std::vector<std::string> cut;
  for (auto& entry : object) {
    if (json::string* text = entry.value().if_string(); text != nullptr && text->size() > kLongestContent) {
      text->resize(Utf8Prefix(*text, kLongestContent).size());
      cut.emplace_back(entry.key());
    } else if (json::array* blocks = entry.key() == "blocks" ? entry.value().if_array() : nullptr) {
      for (json::value& block : *blocks) {
        if (block.is_object()) CutStrings(block.get_object());
      }
    }
  }
  for (const std::string& name : cut) AddCut(object, name);
}

// What fits into a line beside `others` bytes.
std::string PayloadText(const TranscriptRecord& record, const Masker& masker, std::size_t others) {
  json::object payload = RepairStrings(Masked(record.payload, masker)).get_object();
  CutStrings(payload);
  std::string text = json::serialize(payload);
  if (text.size() + others <= kLongestTranscriptLine) return text;
  constexpr std::size_t kForNames = 256;  // of `cut`
  for (const std::string& name : CutToFit(payload, kLongestTranscriptLine - others - kForNames)) {
    AddCut(payload, name);
  }
  return json::serialize(payload);
}

}  // namespace

TranscriptFile::TranscriptFile(std::filesystem::path path, std::string run_id, const Masker& masker)
    : path_(std::move(path)), run_id_(std::move(run_id)), masker_(masker), last_seq_(LastSeq(path_)) {
  auto file = AppendFile::Open(path_, false);
  if (file) {
    file_ = std::move(*file);
  } else {
    fault_ = std::move(file.error());
  }
}

bool TranscriptFile::Write(const TranscriptRecord& record) {
  constexpr std::size_t kOfNumber = 64;  // `{"seq":N`, `,"payload":`, `}` and the line feed
  json::object envelope{{"run_id", run_id_},
                        {"type", record.type},
                        {"path", RepairUtf8(masker_.MaskText(record.path))},
                        {"attempt", record.attempt},
                        {"timestamp", UtcMilliseconds(record.time)}};
  std::string rest = json::serialize(envelope).substr(1);
  rest.back() = ',';
  rest.append(R"("payload":)").append(PayloadText(record, masker_, rest.size() + kOfNumber)).append("}\n");

  const std::lock_guard lock(mutex_);
  const std::string number = std::to_string(++last_seq_);
  return file_ && file_->Write(R"({"seq":)" + number + "," + rest).has_value();
}

}  // namespace awf::telemetry

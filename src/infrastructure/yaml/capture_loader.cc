#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "application/language/inputs.h"
#include "infrastructure/yaml/setting_loaders.h"

namespace awf {
namespace {

constexpr std::array<std::string_view, 4> kKeys = {"stdout", "stderr", "max_size", "encoding"};
constexpr std::array<std::string_view, 3> kEncodings = {"utf-8", "latin-1", "base64"};
constexpr std::size_t kMaxCapture = 256U << 20;

struct Unit {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<Unit, 6> kUnits = {
    {{"", 1}, {"B", 1}, {"KB", 1000}, {"KiB", 1024}, {"MB", 1'000'000}, {"MiB", 1'048'576}}};

// 4096, 64KB, 10MiB; nothing for what is no size or more than a capture may be.
std::optional<std::size_t> ParseSize(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 9) return std::nullopt;
  std::size_t count = 0;
  for (const char c : text.substr(0, digits)) count = count * 10 + static_cast<std::size_t>(c - '0');
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.name) continue;
    if (count == 0 || count > kMaxCapture / unit.bytes) return std::nullopt;
    return count * unit.bytes;
  }
  return std::nullopt;
}

void LoadName(const YamlNode& map, std::string_view key, YamlReader& reader, std::string& name, Position& position) {
  const YamlEntry* entry = YamlReader::Find(map, key);
  if (entry == nullptr) return;
  const std::string field = JoinPath("capture", key);
  const std::optional<std::string> text = reader.NonEmpty(*entry->value, field);
  if (!text) return;
  if (!IsIdentifier(*text)) {
    reader.Invalid(*entry->value, "'" + *text + "' is no name for a capture", field,
                   "names are letters, digits and '_', and begin with a letter or '_'");
    return;
  }
  name = *text;
  position = reader.PositionOf(*entry->value);
}

}  // namespace

CaptureSettings LoadCapture(const YamlNode& node, YamlReader& reader) {
  CaptureSettings capture;
  if (!reader.IsMap(node, "capture")) return capture;
  reader.CheckKeys(node, {kKeys, {}, {}}, "capture");
  LoadName(node, "stdout", reader, capture.stdout_name, capture.stdout_position);
  LoadName(node, "stderr", reader, capture.stderr_name, capture.stderr_position);
  if (const YamlEntry* entry = YamlReader::Find(node, "max_size")) {
    const YamlNode& value = *entry->value;
    const std::optional<std::size_t> size =
        value.kind == YamlNode::Kind::kScalar ? ParseSize(value.text) : std::nullopt;
    if (size) {
      capture.max_size = *size;
    } else {
      reader.Invalid(value, "must be a size from 1 byte to 256 MiB", "capture.max_size",
                     "as 65536, 64KB, 10MB or 10MiB");
    }
  }
  if (const YamlEntry* entry = YamlReader::Find(node, "encoding")) {
    const std::string word = reader.Word(*entry->value, "capture.encoding", kEncodings).value_or("utf-8");
    if (word == "latin-1") capture.encoding = CaptureEncoding::kLatin1;
    if (word == "base64") capture.encoding = CaptureEncoding::kBase64;
  }
  return capture;
}

}  // namespace awf

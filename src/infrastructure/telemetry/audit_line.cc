#include "infrastructure/telemetry/audit_line.h"

#include <algorithm>
#include <array>
#include <utility>

#include "domain/timestamp.h"
#include "domain/utf8.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::telemetry {
namespace {

constexpr std::string_view kHashKey = R"(,"hash":")";
constexpr std::size_t kHashLength = 64;
constexpr std::size_t kHashPart = kHashKey.size() + kHashLength + 2;  // with `"}`

constexpr std::array<std::string_view, 5> kFirstKeys{"v", "seq", "time", "run", "type"};
constexpr std::array<std::string_view, 2> kLastKeys{"prev", "hash"};

bool IsHash(std::string_view text) {
  return text.size() == kHashLength &&
         std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::unexpected<AuditLineFault> Malformed(std::string reason) {
  return std::unexpected(AuditLineFault{std::move(reason), false});
}

std::unexpected<AuditLineFault> Unparsable(std::string reason) {
  return std::unexpected(AuditLineFault{std::move(reason), true});
}

// The first key that is missing or not in its place; empty: none.
std::string_view MisplacedKey(const json::object& record) {
  for (std::size_t i = 0; i < kFirstKeys.size(); ++i)
    if (i >= record.size() || std::string_view((record.begin() + i)->key()) != kFirstKeys[i]) return kFirstKeys[i];
  for (std::size_t i = 0; i < kLastKeys.size(); ++i) {
    const std::size_t back = kLastKeys.size() - i;
    if (record.size() < kFirstKeys.size() + kLastKeys.size() ||
        std::string_view((record.end() - back)->key()) != kLastKeys[i])
      return kLastKeys[i];
  }
  return {};
}

bool TakeText(const json::object& record, std::string_view key, std::string& to) {
  const json::value* value = record.if_contains(key);
  if (value == nullptr || !value->is_string()) return false;
  to = std::string(value->get_string());
  return true;
}

// Empty, or what is wrong. Fills all but `line`.
std::string ReadEnvelope(const json::object& object, AuditRecord& record) {
  if (const std::string_view key = MisplacedKey(object); !key.empty())
    return std::string("key '").append(key).append("' is missing or not in its place");
  if (const json::value& version = object.at("v"); !version.is_int64() || version.get_int64() != 1)
    return "its version is not 1";
  const json::value& seq = object.at("seq");
  if (!seq.is_int64() || seq.get_int64() < 0) return "'seq' is no number of a record";
  record.seq = seq.get_int64();
  const json::value& time = object.at("time");
  const auto parsed = time.is_string() ? ParseUtcMilliseconds(time.get_string()) : std::nullopt;
  if (!parsed) return "'time' is no time";
  record.time = *parsed;
  if (!TakeText(object, "run", record.run) || record.run.empty()) return "'run' is no name of a run";
  if (!TakeText(object, "type", record.type) || record.type.empty()) return "'type' is no type of a record";
  if (!TakeText(object, "prev", record.prev)) return "'prev' is no hash";
  return {};
}

// The keys that the hashes stand in for are checked byte by byte: JSON alone would let blanks or a key that stands
// twice pass.
bool IsWrittenAsAwfWrites(std::string_view line, const AuditRecord& record) {
  std::string start = R"({"v":1,"seq":)" + std::to_string(record.seq) + R"(,"time":")";
  start.append(record.all.get_object().at("time").get_string()).append(R"(","run":)");
  const std::string end = R"(,"prev":")" + record.prev + "\"";
  return line.starts_with(start) && record.line.hashed.ends_with(end);
}

// Whether one of them begins with the other.
bool Agree(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  return a.substr(0, common) == b.substr(0, common);
}

// The keys in front of the fields of the type.
bool BeginsEnvelope(std::string_view line, const RecordPlace& place) {
  constexpr std::size_t kTimeLength = 24;
  const std::string start = R"({"v":1,"seq":)" + std::to_string(place.seq) + R"(,"time":")";
  if (!Agree(line, start)) return false;
  if (line.size() < start.size() + kTimeLength) return true;
  if (!ParseUtcMilliseconds(line.substr(start.size(), kTimeLength))) return false;
  std::string run = R"(","run":)";
  if (!place.run.empty()) run += json::serialize(json::string(place.run)) + R"(,"type":")";
  return Agree(line.substr(start.size() + kTimeLength), run);
}

}  // namespace

std::optional<HashedLine> SplitHash(std::string_view line) {
  if (line.size() <= kHashPart || !line.ends_with("\"}")) return std::nullopt;
  HashedLine parts;
  parts.hashed = line.substr(0, line.size() - kHashPart);
  if (!line.substr(parts.hashed.size()).starts_with(kHashKey)) return std::nullopt;
  parts.hash = line.substr(parts.hashed.size() + kHashKey.size(), kHashLength);
  if (!IsHash(parts.hash)) return std::nullopt;
  return parts;
}

std::expected<AuditRecord, AuditLineFault> ParseAuditLine(std::string_view line, json::storage_ptr storage) {
  if (line.empty()) return Unparsable("it is empty");
  AuditRecord record;
  json::error_code fault;
  record.all = json::parse(line, fault, std::move(storage));
  if (fault) return Unparsable(IsValidUtf8(line) ? "it is not JSON" : "it is not UTF-8");  // the parser takes no other
  const json::object* object = record.all.if_object();
  if (object == nullptr) return Malformed("it is no JSON object");
  if (std::string reason = ReadEnvelope(*object, record); !reason.empty()) return Malformed(std::move(reason));
  const auto parts = SplitHash(line);
  if (!parts) return Malformed("it does not end in its hash");
  record.line = *parts;
  if (!IsWrittenAsAwfWrites(line, record)) return Malformed("it is not written as awf writes records");
  return record;
}

bool BeginsRecord(std::string_view line, const RecordPlace& place) {
  if (line.empty() || !BeginsEnvelope(line, place)) return false;
  json::stream_parser parser;
  json::error_code fault;
  parser.write(line.data(), line.size(), fault);
  if (fault) return false;
  const std::size_t at = line.rfind(kHashKey);
  if (at == std::string_view::npos || !line.substr(0, at).ends_with(R"(,"prev":")" + place.prev + "\""))
    return !parser.done();
  return (Sha256Hex(line.substr(0, at)) + "\"}").starts_with(line.substr(at + kHashKey.size()));
}

}  // namespace awf::telemetry

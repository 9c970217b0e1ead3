#include "infrastructure/telemetry/audit_file.h"

#include <utility>
#include <vector>

#include "domain/timestamp.h"
#include "infrastructure/telemetry/audit_tail.h"
#include "infrastructure/telemetry/record_cut.h"
#include "infrastructure/telemetry/sha256.h"

namespace awf::telemetry {
namespace {

// Everything of a line but run, type and fields, at its longest: names, a sequence number of 19 digits, time, hashes.
constexpr std::size_t kEnvelope = 320;
constexpr std::size_t kCutList = 512;  // room for the list of what was cut

std::string Quoted(std::string_view text) { return json::serialize(json::string(text)); }

}  // namespace

AuditFile::AuditFile(AppendFile file, std::string run_id, const Masker& masker, Clock clock)
    : file_(std::move(file)), run_id_(std::move(run_id)), masker_(masker), clock_(std::move(clock)) {}

std::expected<std::unique_ptr<AuditFile>, Error> AuditFile::Create(const std::filesystem::path& path,
                                                                   std::string run_id, const Masker& masker,
                                                                   Clock clock) {
  auto file = AppendFile::Open(path, true);
  if (!file) return std::unexpected(file.error());
  return std::unique_ptr<AuditFile>(new AuditFile(std::move(*file), std::move(run_id), masker, std::move(clock)));
}

std::expected<std::unique_ptr<AuditFile>, Error> AuditFile::Continue(const std::filesystem::path& path,
                                                                     std::string run_id, const Masker& masker,
                                                                     Clock clock) {
  const auto tail = ReadAuditTail(path);
  if (!tail) return std::unexpected(tail.error());
  auto file = AppendFile::Open(path, false);  // ends the cut line
  if (!file) return std::unexpected(file.error());
  std::unique_ptr<AuditFile> audit(new AuditFile(std::move(*file), std::move(run_id), masker, std::move(clock)));
  audit->head_ = tail->head;
  if (tail->dropped.empty()) return audit;
  const json::object fields{{"dropped_bytes", tail->dropped.size()}, {"dropped_sha256", Sha256Hex(tail->dropped)}};
  if (auto written = audit->Append("recovered", fields, Durability::kWritten); !written)
    return std::unexpected(written.error());
  return audit;
}

// The fields as ,"key":value… (empty when there are none): masked, repaired, cut.
std::string AuditFile::PrepareFields(std::string_view type, const json::object& fields) const {
  json::value prepared = RepairStrings(masker_.MaskJson(fields));
  json::object& object = prepared.get_object();
  if (object.empty()) return {};
  const std::size_t limit = kLongestLine - kEnvelope - run_id_.size() - type.size();
  std::string text = json::serialize(object);
  if (text.size() > limit) {
    json::array cut;
    for (const std::string& name : CutToFit(object, limit - kCutList)) cut.emplace_back(name);
    object["cut"] = std::move(cut);
    text = json::serialize(object);
  }
  return "," + text.substr(1, text.size() - 2);
}

std::expected<void, Error> AuditFile::Append(std::string_view type, const json::object& fields, Durability durability) {
  const std::string prepared = PrepareFields(type, fields);
  {
    const std::lock_guard lock(mutex_);
    if (auto written = AppendLocked(type, prepared); !written) return written;
  }
  if (durability == Durability::kWritten) return {};
  auto synced = file_.Sync();  // not under the lock: other records need not wait for the disk
  if (!synced) {
    const std::lock_guard lock(mutex_);
    failure_ = synced.error();
  }
  return synced;
}

std::expected<void, Error> AuditFile::AppendLocked(std::string_view type, std::string_view fields) {
  static const std::string kNoRecord(64, '0');
  if (failure_) return std::unexpected(*failure_);
  std::string line = R"({"v":1,"seq":)" + std::to_string(head_.seq + 1);
  line.append(R"(,"time":")").append(UtcMilliseconds(clock_())).append(R"(","run":)").append(Quoted(run_id_));
  line.append(R"(,"type":)").append(Quoted(type)).append(fields);
  line.append(R"(,"prev":")").append(head_.seq < 0 ? kNoRecord : head_.hash).append("\"");
  std::string hash = Sha256Hex(line);
  line.append(R"(,"hash":")").append(hash).append("\"}\n");
  if (auto written = file_.Write(line); !written) {
    failure_ = written.error();
    return written;
  }
  ++head_.seq;
  head_.hash = std::move(hash);
  return {};
}

AuditHead AuditFile::Head() const {
  const std::lock_guard lock(mutex_);
  return head_;
}

std::string AuditFile::Digest(std::string_view text) const { return Sha256Hex(text); }

}  // namespace awf::telemetry

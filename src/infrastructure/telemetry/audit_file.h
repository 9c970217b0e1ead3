// AuditFile: audit.jsonl of a run, a chain of records each of which holds the hash of the one before.
//
// A line ends in ,"prev":"<64 hex>","hash":"<64 hex>"}; hash is the SHA-256 of the line without its last 75 bytes, prev
// the hash of the record before (64 zeros in record 0). The chain proves that nobody changed, dropped, moved or
// inserted a record without recomputing all that follow; whoever can rewrite the whole file is found out only by a head
// that is kept elsewhere. Thread-safe.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "infrastructure/telemetry/append_file.h"

namespace awf::telemetry {

class AuditFile final : public AuditSink {
 public:
  using Clock = std::function<WallClock::time_point()>;

  // The file must not exist. `masker` outlives the audit.
  static std::expected<std::unique_ptr<AuditFile>, Error> Create(const std::filesystem::path& path, std::string run_id,
                                                                 const Masker& masker, Clock clock = WallClock::now);

  // The chain that is there goes on from its last whole record. A cut last line is ended and answered by a record
  // `recovered` with its length and digest. A file that is missing or empty begins a chain. SYSTEM.IO.READ_FAILED when
  // it cannot be read.
  static std::expected<std::unique_ptr<AuditFile>, Error> Continue(const std::filesystem::path& path,
                                                                   std::string run_id, const Masker& masker,
                                                                   Clock clock = WallClock::now);

  std::expected<void, Error> Append(std::string_view type, const json::object& fields, Durability durability) override;
  AuditHead Head() const override;
  std::string Digest(std::string_view text) const override;

 private:
  AuditFile(AppendFile file, std::string run_id, const Masker& masker, Clock clock);
  std::string PrepareFields(std::string_view type, const json::object& fields) const;
  std::expected<void, Error> AppendLocked(std::string_view type, std::string_view fields);

  AppendFile file_;
  const std::string run_id_;
  const Masker& masker_;
  const Clock clock_;

  mutable std::mutex mutex_;  // guards what follows; the order of the chain is the order of the file
  AuditHead head_;
  std::optional<Error> failure_;
};

}  // namespace awf::telemetry

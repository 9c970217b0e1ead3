// TranscriptFile: transcript.jsonl of a run, one JSON object a line, 0600, appended to with one write per record:
//
//   seq         from 1; a file that is gone on with (resume) goes on numbering. A gap: a record could not be written
//   run_id
//   type, path, attempt    path is "" for records of the run itself
//   timestamp   RFC 3339, UTC, milliseconds: of what the record is about, so not always that of its place in the file
//   payload     masked, and only then cut: strings to kLongestContent, the line to kLongestTranscriptLine. `cut` in it,
//               or in one of its blocks, names the members that lost something
//
// Thread-safe; `masker` outlives it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "domain/error.h"
#include "domain/masker.h"
#include "domain/record_sinks.h"
#include "infrastructure/telemetry/append_file.h"

namespace awf::telemetry {

inline constexpr std::size_t kLongestTranscriptLine = 256 * 1024;  // line feed included

class TranscriptFile final : public TranscriptSink {
 public:
  TranscriptFile(std::filesystem::path path, std::string run_id, const Masker& masker);

  bool Write(const TranscriptRecord& record) override;
  std::string Name() const override { return path_.string(); }
  std::string Failure() const override { return file_ ? file_->Failure() : fault_->message; }
  // Why the file could not be opened (AppendFile::Open); every Write fails then.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  const std::filesystem::path path_;
  const std::string run_id_;
  const Masker& masker_;

  std::mutex mutex_;                // the order of lines is that of their numbers
  std::optional<AppendFile> file_;  // or else:
  std::optional<Error> fault_;
  std::int64_t last_seq_ = 0;
};

}  // namespace awf::telemetry

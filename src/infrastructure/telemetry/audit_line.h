// A line of an audit file as a record: taken apart and checked for its form. Pure functions.
//
// awf writes a record in one way only, so the form is strict: the order of the keys around the fields of the type, the
// spelling of numbers, no blanks between. What stands in the fields is for the hash to tell.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "domain/json.h"
#include "domain/time.h"

namespace awf::telemetry {

// Views of the line that was taken apart.
struct HashedLine {
  std::string_view hashed;  // what the hash is made of
  std::string_view hash;
};

// Nothing when the line does not end in ,"hash":"<64 lower-case hex>"}.
std::optional<HashedLine> SplitHash(std::string_view line);

struct AuditRecord {
  std::int64_t seq = 0;
  WallClock::time_point time;
  std::string run, type, prev;
  HashedLine line;  // views of the line that was parsed
  json::value all;  // the whole record; an object
};

struct AuditLineFault {
  std::string reason;       // a phrase for a message
  bool unparsable = false;  // not even JSON: what a crash in the middle of a write leaves
};

// `line` without its line feed. The hash is not computed.
std::expected<AuditRecord, AuditLineFault> ParseAuditLine(std::string_view line, json::storage_ptr storage = {});

// Where a record has to stand in its chain.
struct RecordPlace {
  std::int64_t seq = 0;
  std::string run;  // empty: of any
  std::string prev;
};

// Whether `line`, which no line feed ends, is what a crash leaves of the record of that place: any beginning of it, the
// whole included. As much is checked as is there, of the hash as well.
bool BeginsRecord(std::string_view line, const RecordPlace& place);

}  // namespace awf::telemetry

// AuditSteps: whether the records of an audit agree with each other: calls lie within their step, the counts are right,
// nothing follows an end but a resume.
//
// Takes the records in their order, the whole chain's. Keeps what is open, so its memory does not grow with the file.
// Of two open steps with one name (which only masking can make) the counts are compared in sum.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "infrastructure/telemetry/audit_line.h"

namespace awf::telemetry {

class AuditSteps {
 public:
  // Empty, or how the record contradicts those before it.
  std::string Take(const AuditRecord& record);

 private:
  struct Open {
    int steps = 0;  // under that name
    std::int64_t calls = 0, bypasses = 0;
  };

  std::string Started(const json::object& record);
  std::string Happened(const json::object& record, std::int64_t Open::* count, const std::string& what);
  std::string Completed(const json::object& record);
  std::string RunCompleted(const AuditRecord& record);

  std::map<std::string, Open, std::less<>> open_;
  bool started_ = false;  // a run.started was seen
  bool ended_ = false;    // by run.completed, and not taken up again
};

}  // namespace awf::telemetry

// The commands that look at past runs and at the machine, and `awf demo`, on the command line.
#pragma once

#include "cli/declared_command.h"

namespace awf::cli {

class RecordCommandLine {
 public:
  RecordCommandLine() = default;
  RecordCommandLine(const RecordCommandLine&) = delete;
  RecordCommandLine& operator=(const RecordCommandLine&) = delete;

  // Their values go into this object, which outlives them.
  DeclaredCommand Status();
  DeclaredCommand Audit();
  DeclaredCommand Doctor();
  DeclaredCommand Demo();

 private:
  StatusOptions status_;
  AuditVerifyOptions verify_;
  DoctorOptions doctor_;
  DemoOptions demo_;
};

}  // namespace awf::cli

#include "cli/record_command_line.h"

#include <utility>

#include "cli/command_examples.h"
#include "domain/terminal_text.h"

namespace awf::cli {

DeclaredCommand RecordCommandLine::Status() {
  return {"status",
          "Show a run and its states",
          "Example:  awf status 20261103-1015",
          {{"run", "Run id or its beginning", &status_.run_id, "RUN", {}, true}},
          [this](const GlobalOptions& global, const Config&) {
            status_.global = global;
            return StatusCommand(status_);
          }};
}

DeclaredCommand RecordCommandLine::Audit() {
  DeclaredCommand verify{"verify",
                         "Check that the audit of a run is the one that awf wrote",
                         kVerifyExamples,
                         {{"run", "Run id or its beginning, or an audit file", &verify_.target, "RUN|FILE", {}, true},
                          {"--head", "The hash of the last record, as it was kept elsewhere", &verify_.head, "HASH"},
                          {"--json", "The result as JSON, as -f json", &verify_.json}},
                         [this](const GlobalOptions& global, const Config&) {
                           verify_.global = global;
                           return AuditVerifyCommand(verify_);
                         }};
  DeclaredCommand audit{"audit", "Check the audit of a run: awf audit verify --help", {}};
  audit.commands = {std::move(verify)};
  return audit;
}

DeclaredCommand RecordCommandLine::Doctor() {
  return {
      "doctor",
      "Tell which agent CLIs and plugins are there, and how far the CLIs can be isolated",
      kDoctorExamples,
      {{"--probe", "Prove the isolation of this provider's CLI (repeatable)", &doctor_.probe, "PROVIDER"},
       {"--model", "Of a probe: the model of the steps (codex has other tools for others)", &doctor_.model, "MODEL"},
       {"--json", "The result as JSON, as -f json", &doctor_.json}},
      [this](const GlobalOptions& global, const Config& config) {
        doctor_.global = global;
        doctor_.config = config;
        if (doctor_.model.empty() || !doctor_.probe.empty()) return DoctorCommand(doctor_);
        return ReportErrors({Fail("USER.INPUT.INVALID_FORMAT", "--model is for a probe, and none is asked for",
                                  "awf doctor --probe codex --model " + PrintableLine(doctor_.model))
                                 .error()},
                            global);
      }};
}

DeclaredCommand RecordCommandLine::Demo() {
  return {"demo",
          "Watch an agent repair a small project through the proxy (no key, no network)",
          {},
          {{"--provider",
            "openai_compatible (a scripted model inside awf) or claude",
            &demo_.provider,
            "PROVIDER",
            {"openai_compatible", "claude"}},
           {"--keep", "Keep the sample project", &demo_.keep}},
          [this](const GlobalOptions& global, const Config&) {
            demo_.global = global;
            return DemoCommand(demo_);
          }};
}

}  // namespace awf::cli

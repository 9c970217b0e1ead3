// Any bytes as an audit file: however they are cut into pieces the verdict is the same, and what is accepted is
// accepted with its own head, and refused with another.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "infrastructure/telemetry/audit_verifier.h"

namespace {

using awf::telemetry::AuditExpectation;
using awf::telemetry::AuditStatus;
using awf::telemetry::AuditVerdict;

AuditVerdict Verify(std::string_view text, AuditExpectation expected, std::size_t piece) {
  awf::telemetry::AuditVerifier verifier(std::move(expected));
  while (!text.empty() && verifier.Take(text.substr(0, piece)))
    text.remove_prefix(piece < text.size() ? piece : text.size());
  return verifier.Finish();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1U + data[0];
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const AuditVerdict whole = Verify(text, {}, text.size() + 1);
  const AuditVerdict pieces = Verify(text, {}, piece);
  if (whole.status != pieces.status || whole.head.hash != pieces.head.hash) std::abort();
  if (whole.fault && (whole.fault->record != pieces.fault->record || whole.fault->line != pieces.fault->line ||
                      whole.fault->reason.empty() || whole.fault->line < 1))
    std::abort();
  AuditExpectation expected;
  expected.live = true;
  Verify(text, expected, piece);
  if (whole.status != AuditStatus::kOk) return 0;
  expected = {};
  expected.head = whole.head.hash;
  expected.recorded = whole.head;
  expected.ended = true;
  if (Verify(text, expected, piece).status != AuditStatus::kOk) std::abort();
  expected.head = std::string(64, 'x');
  if (Verify(text, expected, piece).status != AuditStatus::kBroken) std::abort();
  return 0;
}

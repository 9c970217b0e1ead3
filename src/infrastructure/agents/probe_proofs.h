// ProbeProofs: which agent CLIs were proven, by a probe, to offer their model our tools alone.
//
// One file per user, JSON lines, in $XDG_STATE_HOME/awf (else ~/.local/state/awf), 0600; a proof holds for exactly what
// was probed. Thread-safe; several processes may add at once. A file that cannot be read proves nothing.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/error.h"
#include "domain/json.h"

namespace awf::agents {

// Everything that may change which tools a CLI offers.
struct ProofKey {
  std::string provider, version;
  std::filesystem::path program;  // as found; its real path, size and time of change are taken, and its package's
  int recipe = 1;
  bool intercept = true;
  std::vector<std::string> extra_args;
  json::object env;  // options.env; the order does not count
  // Where the CLI offers other tools to other models (CliProvider::tools_by_model): options.model; else empty.
  std::string model{};
  // Files outside the user's home that outrank flags (CliProvider::managed), whether they are there or not.
  std::vector<std::filesystem::path> managed{};

  // SHA-256 in hex digits; empty when the program cannot be looked at.
  std::string Digest() const;
};

class ProbeProofs {
 public:
  // There are no proofs and none can be kept.
  ProbeProofs() = default;
  // `file` need not exist; empty: as above.
  explicit ProbeProofs(std::filesystem::path file) : file_(std::move(file)) {}
  // By XDG_STATE_HOME and HOME.
  static std::filesystem::path FileFor(std::string_view xdg_state_home, std::string_view home);

  bool empty() const { return file_.empty(); }  // none can be kept
  bool Holds(const ProofKey& key) const;
  std::expected<void, Error> Add(const ProofKey& key) const;
  // A probe that failed takes back what an earlier one has proven.
  std::expected<void, Error> Remove(const ProofKey& key) const;

 private:
  std::filesystem::path file_;
};

}  // namespace awf::agents

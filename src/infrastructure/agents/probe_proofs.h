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
  // As found; the real path, size and times of change are taken, and those of all files of its package.
  std::filesystem::path program;
  int recipe = 1;
  bool intercept = true;
  std::vector<std::string> extra_args;
  json::object env;  // options.env; the order does not count
  // Where the CLI offers other tools to other models (CliProvider::tools_by_model): options.model; else empty.
  std::string model{};
  // Files outside the user's home that outrank flags (CliProvider::managed), whether they are there or not.
  std::vector<std::filesystem::path> managed{};
  // NAME=value, sorted: what of the user's variables may change what the program does (AmbientVariables).
  std::vector<std::string> ambient{};

  // SHA-256 in hex digits; empty when the program cannot be looked at.
  std::string Digest() const;
};

class ProbeProofs {
 public:
  // There are no proofs and none can be kept.
  ProbeProofs() = default;
  // `file` need not exist; empty: as above.
  explicit ProbeProofs(std::filesystem::path file) : file_(std::move(file)) {}
  // Holds for every key and keeps nothing. For the step that a probe drives: it is treated as a proven one, so that all
  // that would take the level from a proven step shows.
  static ProbeProofs Assumed();
  // By XDG_STATE_HOME and HOME.
  static std::filesystem::path FileFor(std::string_view xdg_state_home, std::string_view home);

  bool empty() const { return file_.empty(); }  // none can be kept
  bool Holds(const ProofKey& key) const;
  std::expected<void, Error> Add(const ProofKey& key) const;
  // A probe that failed takes back what an earlier one has proven.
  std::expected<void, Error> Remove(const ProofKey& key) const;

 private:
  std::filesystem::path file_;
  bool assumed_ = false;
};

}  // namespace awf::agents

#include "infrastructure/operations/github_token.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "domain/trimmed.h"
#include "infrastructure/operations/operation_failure.h"

namespace awf::operations {
namespace {

constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kSlice{50};  // how soon a cancel is noticed while another asks

// With where gh keeps its logins (the keyring is asked over D-Bus), and those that it takes from the environment.
std::vector<std::string> EnvironmentOfGh(const Variables& variables) {
  return ProgramEnvironment(variables, {"GH_CONFIG_DIR", "GH_HOST", "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN",
                                        "GITHUB_ENTERPRISE_TOKEN", "DBUS_SESSION_BUS_ADDRESS"});
}

// As a header may carry it.
std::string TokenIn(std::string_view text) {
  const std::string_view token = Trimmed(text);
  const bool plain = std::ranges::all_of(token, [](char c) { return c > ' ' && c < 127; });
  return plain ? std::string(token) : std::string();
}

}  // namespace

std::expected<std::string, OperationResult> GithubToken::Get(const OperationCall& call) {
  // Not a timed_mutex: ThreadSanitizer of g++ 12 does not know how that one is locked.
  std::unique_lock lock(asking_, std::defer_lock);
  for (; !lock.try_lock(); std::this_thread::sleep_for(kSlice)) {
    if (call.cancelled.stop_requested()) return std::unexpected(Cancelled());
    if (Passed(call.deadline)) return std::unexpected(OutOfTime());
  }
  if (std::string known = Known(); !known.empty()) return known;
  auto found = Find(call);
  const std::lock_guard guard(mutex_);
  if (found) token_ = *found;
  return found;
}

std::string GithubToken::Known() const {
  const std::lock_guard guard(mutex_);
  return token_;
}

std::expected<std::string, OperationResult> GithubToken::Find(const OperationCall& call) const {
  std::vector<std::string> argv = {"gh", "auth", "token"};
  if (!gh_host_.empty()) argv.insert(argv.end(), {"--hostname", gh_host_});
  const ProgramEnd end = RunProgram({argv, EnvironmentOfGh(variables_), "/", kPatience, call.deadline, call.cancelled});
  if (end.kind == ProgramEnd::Kind::kCancelled) return std::unexpected(Cancelled());
  if (end.kind == ProgramEnd::Kind::kOutOfTime) return std::unexpected(OutOfTime());
  if (end.kind == ProgramEnd::Kind::kExited && end.exit_code == 0) {
    if (std::string token = TokenIn(end.output); !token.empty()) return token;
  }
  for (const char* name : {"GITHUB_TOKEN", "GH_TOKEN"}) {
    if (std::string token = TokenIn(variables_(name).value_or("")); !token.empty()) return token;
  }
  return std::unexpected(Refused(
      kAuth, "no token for GitHub: `gh auth token` gave none, and GITHUB_TOKEN is not set; run `gh auth login`"));
}

}  // namespace awf::operations

#include "infrastructure/operations/github_repository.h"

#include <algorithm>
#include <chrono>

#include "domain/trimmed.h"
#include "infrastructure/operations/operation_failure.h"

namespace awf::operations {
namespace {

constexpr std::chrono::seconds kPatience{5};

bool IsNamePart(std::string_view text) {
  return !text.empty() && text != "." && text != ".." && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' ||
           c == '.';
  });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// "user:password@Host:22" → "host"
std::string HostOf(std::string_view authority) {
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) authority.remove_prefix(at + 1);
  return Lower(authority.substr(0, authority.find(':')));
}

// A name without a dot is one of ~/.ssh/config, of which only ssh knows where it leads.
bool MayBe(const RemoteRepository& remote, const std::string& host) {
  if (host.empty() || remote.host == host || remote.host == "www." + host || remote.host == "ssh." + host) return true;
  return remote.ssh && remote.host.find('.') == std::string::npos;
}

}  // namespace

bool IsRepository(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && IsNamePart(text.substr(0, slash)) && IsNamePart(text.substr(slash + 1));
}

std::optional<RemoteRepository> ParseRemote(std::string_view url) {
  std::string_view authority, path;
  bool ssh = false;
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    ssh = url.starts_with("ssh://") || url.starts_with("git+ssh://");
    url.remove_prefix(scheme + 3);
    const std::size_t slash = std::min(url.find('/'), url.size());
    authority = url.substr(0, slash);
    path = url.substr(slash);
  } else {
    ssh = true;
    const std::size_t colon = url.find(':');
    if (colon == std::string_view::npos || url.substr(0, colon).find('/') != std::string_view::npos) return {};
    authority = url.substr(0, colon);
    path = url.substr(colon + 1);
  }
  path = Trimmed(path, "/");
  if (path.ends_with(".git")) path.remove_suffix(4);
  RemoteRepository remote{HostOf(authority), std::string(path), ssh};
  if (remote.host.empty() || !IsRepository(remote.repository)) return std::nullopt;
  return remote;
}

std::expected<std::string, OperationResult> RepositoryOfOrigin(const std::filesystem::path& working_dir,
                                                               const std::string& host, const Variables& variables,
                                                               const OperationCall& call) {
  const auto refused = [](const std::string& why) {
    return std::unexpected(Refused(kNotFound, "no repo is given, and " + why));
  };
  const ProgramEnd end = RunProgram({{"git", "remote", "get-url", "origin"},
                                     ProgramEnvironment(variables, {"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM",
                                                                    "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"}),
                                     working_dir,
                                     kPatience,
                                     call.deadline,
                                     call.cancelled});
  switch (end.kind) {
    case ProgramEnd::Kind::kCancelled:
      return std::unexpected(Cancelled());
    case ProgramEnd::Kind::kOutOfTime:
      return std::unexpected(OutOfTime());
    case ProgramEnd::Kind::kMissing:
      return refused("git was not found on the PATH");
    case ProgramEnd::Kind::kNotStarted:
      return refused("git could not be started: " + end.errors);
    case ProgramEnd::Kind::kTooSlow:
      return refused("git did not tell the remote origin within 5 s");
    case ProgramEnd::Kind::kExited:
      break;
  }
  if (end.exit_code != 0) {
    const std::string_view said = Trimmed(end.errors);
    return refused("git knows no remote origin: " + std::string(said.substr(0, said.find('\n'))));
  }
  const std::optional<RemoteRepository> remote = ParseRemote(Trimmed(end.output));
  if (!remote) return refused("the git remote origin is none of GitHub");
  if (!MayBe(*remote, host)) return refused("the git remote origin is at " + remote->host + ", not at " + host);
  return remote->repository;
}

}  // namespace awf::operations

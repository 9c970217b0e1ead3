#include "infrastructure/process/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "domain/time.h"
#include "infrastructure/process/descriptor_limit.h"
#include "infrastructure/process/keeper_registry.h"
#include "infrastructure/process/keeper_wire.h"
#include "infrastructure/process/remove_tree.h"

extern char** environ;

namespace awf::process {
namespace {

constexpr int kSpawnedSocket = 3;
// A keeper that takes no bytes for so long was stopped or is broken; it is killed, so that nobody waits for it.
constexpr timeval kSendTimeout{5, 0};
constexpr std::chrono::milliseconds kStopPatience{900};

struct SocketPair {
  Fd owner, keeper;
};

std::unexpected<Error> NoKeeper(const char* what, int error) {
  return Fail("EXECUTION.COMMAND.SPAWN_FAILED",
              std::string("cannot start the keeper process: ") + what + ": " + std::generic_category().message(error),
              DescriptorHint(error));
}

std::expected<SocketPair, Error> MakeSockets() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return NoKeeper("socketpair", errno);
  SocketPair pair{Fd(ends[0]), Fd(ends[1])};
  ::setsockopt(pair.owner.get(), SOL_SOCKET, SO_SNDTIMEO, &kSendTimeout, sizeof kSendTimeout);
  return pair;
}

// posix_spawn's lists, freed at the end.
class SpawnPlan {
 public:
  explicit SpawnPlan(int socket) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    // A session of its own and no signals from the first instruction on: Ctrl-C in the terminal must not end the one
    // that cleans up.
    sigset_t all;
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &all);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, kSpawnedSocket);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  int Run(const char* program, char* const* argv, pid_t& pid) const {
    return ::posix_spawn(&pid, program, &actions_, &attributes_, argv, environ);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

struct Keeper::State {
  Fd socket;
  pid_t pid = 0;
  std::uint32_t last_job = 0;
  std::filesystem::path folder;
  bool gone = false;  // and reaped

  void Send(RequestHeader header, const std::array<int, 3>& descriptors = {-1, -1, -1}, std::string_view payload = {});
  void Gone();
};

void Keeper::State::Send(RequestHeader header, const std::array<int, 3>& descriptors, std::string_view payload) {
  if (gone) return;
  std::array<int, 3> sent{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i] < 0) continue;
    header.descriptors |= 1U << i;
    sent[count++] = descriptors[i];
  }
  header.payload = payload.size();
  iovec part{&header, sizeof header};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof sent)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(count * sizeof(int));
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(int));
    std::memcpy(CMSG_DATA(rights), sent.data(), count * sizeof(int));
  }
  for (;;) {
    const ssize_t done = ::sendmsg(socket.get(), &message, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) break;
    if (payload.empty()) return;
    message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    part = {const_cast<char*>(payload.data()), std::min(payload.size(), kChunk)};
    payload.remove_prefix(part.iov_len);
  }
  // Half a request is worse than none. If the keeper has ended already, this does nothing; Next() tells of it.
  ::kill(pid, SIGKILL);
}

void Keeper::State::Gone() {
  gone = true;
  const bool killed = KeeperRegistry::Instance().Reap(pid);
  // What it kept was reparented before it became a zombie, so by now it is below this process, if that is a subreaper.
  int is_subreaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
  if (killed && is_subreaper != 0) KillStrayChildren();
}

Keeper::Keeper(Fd socket, pid_t pid) : state_(std::make_unique<State>()) {
  state_->socket = std::move(socket);
  state_->pid = pid;
}

Keeper::~Keeper() { Stop(std::chrono::milliseconds{0}); }

std::expected<std::unique_ptr<Keeper>, Error> Keeper::Fork() {
  auto pair = MakeSockets();
  if (!pair) return std::unexpected(pair.error());
  KeeperRegistry& registry = KeeperRegistry::Instance();
  const std::lock_guard lock(registry.mutex());
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);  // as in SpawnPlan
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(KeeperMain(pair->keeper.Release()));
  const int error = errno;
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) return NoKeeper("fork", error);
  GiveUsersDescriptorLimit(pid);
  registry.Add(pid);
  return std::unique_ptr<Keeper>(new Keeper(std::move(pair->owner), pid));
}

std::expected<std::unique_ptr<Keeper>, Error> Keeper::Spawn(const std::filesystem::path& program) {
  char name[] = "awf";
  char command[] = "keeper";
  std::string descriptor = std::to_string(kSpawnedSocket);
  char* const argv[] = {name, command, descriptor.data(), nullptr};
  KeeperRegistry& registry = KeeperRegistry::Instance();
  const std::lock_guard lock(registry.mutex());
  auto pair = MakeSockets();
  if (!pair) return std::unexpected(pair.error());
  const SpawnPlan plan(pair->keeper.get());
  pid_t pid = 0;
  if (const int error = plan.Run(program.c_str(), argv, pid); error != 0) return NoKeeper(program.c_str(), error);
  GiveUsersDescriptorLimit(pid);
  registry.Add(pid);
  return std::unique_ptr<Keeper>(new Keeper(std::move(pair->owner), pid));
}

int Keeper::fd() const { return state_->socket.get(); }
pid_t Keeper::pid() const { return state_->pid; }

void Keeper::OwnFolder(const std::filesystem::path& folder) {
  state_->folder = folder;
  state_->Send({.kind = RequestKind::kOwnFolder}, {-1, -1, -1}, folder.native());
}

void Keeper::GuardOwner() { state_->Send({.kind = RequestKind::kGuardOwner, .owner = ::getpid()}); }

void Keeper::Restrict() { state_->Send({.kind = RequestKind::kRestrict}); }

std::uint32_t Keeper::Start(const SpawnRequest& request) {
  const std::uint32_t job = ++state_->last_job;
  state_->Send({.kind = RequestKind::kStart, .job = job, .new_session = request.new_session ? 1U : 0U},
               {request.stdin_fd, request.stdout_fd, request.stderr_fd}, EncodeSpawn(request));
  return job;
}

void Keeper::SignalGroup(std::uint32_t job, int signal) {
  state_->Send({.kind = RequestKind::kSignalGroup, .job = job, .signal = signal});
}

void Keeper::EndTree(std::uint32_t job, std::chrono::milliseconds grace) {
  state_->Send({.kind = RequestKind::kEndTree, .job = job, .grace_ms = grace.count()});
}

void Keeper::KillStrays() { state_->Send({.kind = RequestKind::kKillStrays}); }

std::optional<KeeperEvent> Keeper::Next() {
  if (state_->gone) return std::nullopt;
  EventPacket packet;
  for (;;) {
    const ssize_t got = ::recv(fd(), &packet, sizeof packet, MSG_DONTWAIT);
    if (got == static_cast<ssize_t>(sizeof packet)) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::nullopt;
    state_->Gone();
    return KeeperEvent{};
  }
  KeeperEvent event = FromPacket(packet);
  // A folder that could not be made is somebody else's.
  if (event.kind == KeeperEvent::Kind::kFolderReady && event.failure.error_number != 0) state_->folder.clear();
  return event;
}

void Keeper::Stop(std::chrono::milliseconds grace) {
  if (!state_->gone) {
    state_->Send({.kind = RequestKind::kStop, .grace_ms = grace.count()});
    const Deadline deadline = SteadyClock::now() + grace + kStopPatience;
    while (!state_->gone && !Passed(deadline)) {
      pollfd watched{fd(), POLLIN, 0};
      ::poll(&watched, 1, RemainingMs(deadline));
      while (Next()) continue;
    }
  }
  if (!state_->gone) {
    ::kill(pid(), SIGKILL);
    state_->Gone();
  }
  if (!state_->folder.empty()) RemoveTree(state_->folder);
  state_->folder.clear();
}

}  // namespace awf::process

// Keeper: a small single-threaded child process that runs programs on behalf of awf and never leaves one behind.
//
// The keeper is the subreaper of everything that it spawns, so it knows every descendant, also one that left its
// session or was forked twice. It outlives its owner (awf, or mcp-serve) only to kill what is left and to delete the
// private folder it was given: the owner's death shows as the end of a socket pair. The same class serves as the keeper
// of an agent CLI or of a command step, and as mcp-serve's command child.
//
// Two ways to start it: Fork() while the process still has one thread (cheap; mcp-serve at start), or Spawn(), which
// executes awf's own program again with the hidden argument `keeper` and so is safe at any time.
//
// The owner's death is not the only one handled: programs die with the keeper (PDEATHSIG), and what they left behind
// is reparented to the owner if that is a subreaper too (BecomeSubreaper). The Keeper object kills it at the moment
// when it finds its process gone. Several keepers may live and die at once, each served by a thread of its own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/error.h"
#include "infrastructure/process/fd.h"

namespace awf::process {

// As the target of EndTree: everything below the keeper. Jobs count from 1.
inline constexpr std::uint32_t kAllJobs = 0;

// A program to run. Descriptors are duplicated into the child as 0, 1, 2; the caller keeps its own copies.
struct SpawnRequest {
  std::vector<std::string> argv;         // argv[0] is a path, or a name looked up on `environment`'s PATH
  std::vector<std::string> environment;  // complete, NAME=value
  std::filesystem::path working_dir;
  int stdin_fd = -1;  // -1: /dev/null
  int stdout_fd = -1;
  int stderr_fd = -1;
  bool new_session = false;  // setsid (commands); else a process group of its own (agent CLIs)
};

struct SpawnFailure {
  int error_number = 0;  // errno
  std::string stage;     // "chdir", "execve", "fork", …
};

struct ExitStatus {
  int exit_code = 0;  // 128 + signal when signalled
  int signal = 0;
  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

// What the keeper tells. `job` is the number that Start returned.
struct KeeperEvent {
  enum class Kind {
    kStarted,      // pid is set
    kFailed,       // failure is set; the job is over
    kExited,       // the leader ended (status); descendants may live on
    kTreeGone,     // after EndTree: no descendant of the job is left
    kFolderReady,  // after OwnFolder; failure is set when it could not be made
    kGone,         // the keeper itself died: every job without an end is lost
  };
  Kind kind = Kind::kGone;
  std::uint32_t job = 0;
  pid_t pid = 0;
  ExitStatus status;
  SpawnFailure failure;
};

// The owner's side. One thread at a time may call the methods; Poll fd() for readability and then call Next().
class Keeper {
 public:
  // Forks the calling process, which must have exactly one thread. The child never returns from this call.
  static std::expected<std::unique_ptr<Keeper>, Error> Fork();
  // Executes this very program as `awf keeper FD`. Whatever program calls this must know that command: its main hands
  // the descriptor to KeeperMain.
  static std::expected<std::unique_ptr<Keeper>, Error> Spawn(const std::filesystem::path& program = "/proc/self/exe");

  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  // Ends like Stop(0 ms).
  ~Keeper();

  int fd() const;  // readable when Next() has something
  pid_t pid() const;

  // Makes `folder` (0700, must not exist) and deletes it, with all in it, when the keeper ends in whatever way but
  // SIGKILL. Answered by kFolderReady.
  void OwnFolder(const std::filesystem::path& folder);

  // When this process dies, the keeper also kills (SIGKILL) what it started by itself, and what that started, as far as
  // it wears a job mark of this process (job_mark.h). Not after Stop.
  void GuardOwner();

  // From now on programs cannot gain rights (no_new_privs) and leave no core files. Cannot be taken back.
  void Restrict();

  // Starts a program. Answered by kStarted or kFailed, later kExited.
  std::uint32_t Start(const SpawnRequest& request);

  // Sends `signal` to the process group of the job's leader.
  void SignalGroup(std::uint32_t job, int signal);

  // SIGTERM to the job's whole tree (by descent, session leavers included), after `grace` SIGKILL, repeated until
  // nothing is left; then kTreeGone. Earlier jobs of the same keeper are spared. A job whose leader has ended is
  // fine: what it left running is found by descent as long as it is known to belong to the job. kAllJobs is everything.
  // A second call for the same job can only shorten the grace. Processes of other users are let be.
  void EndTree(std::uint32_t job, std::chrono::milliseconds grace);

  // SIGKILL to direct children of the keeper that it did not start itself: leftovers of a command child that died.
  void KillStrays();

  // One event, or nothing when none is there. Does not block but for kGone, which comes when the keeper's orphans are
  // killed: milliseconds, at most 5 s.
  std::optional<KeeperEvent> Next();

  // Ends all trees (SIGTERM, after `grace` SIGKILL), deletes the folder, ends the keeper. Blocks at most
  // grace + 1 s. After it only fd() and pid() may be used. Idempotent. Deletes the folder also when the keeper has been
  // killed.
  void Stop(std::chrono::milliseconds grace);

 private:
  Keeper(Fd socket, pid_t pid);
  struct State;
  std::unique_ptr<State> state_;
};

// The main function of `awf keeper FD`: serves the owner on that socket until it closes. Returns the exit code. Takes
// the whole process over: descriptors, session, signals, environment.
int KeeperMain(int socket_fd);

// Makes orphaned descendants children of this process.
void BecomeSubreaper();
// Kills (SIGKILL, by descent) and reaps every child of this process that is not the process of a Keeper object. Those
// are orphans of keepers that died: a living keeper is the subreaper of all that it keeps. Hence this process starts
// all its children through keepers, or adds them to their registry. Returns how many it killed. Thread-safe.
int KillStrayChildren();

}  // namespace awf::process

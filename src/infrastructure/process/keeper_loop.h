// KeeperLoop: the keeper's own side, the one loop of a process that serves its owner's requests.
//
// Everything below this process is its responsibility: it is their subreaper, so whatever a program leaves behind
// becomes its child. Which job an orphan belongs to is told by its JobMark, else by its ancestors that still live.
// Trees are ended by repetition: look, signal, look again, until nothing is left; a SIGCHLD or a short timer starts the
// next round. When the owner is gone, or asked for the end, all trees are ended and the folder is deleted.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "infrastructure/process/fd.h"
#include "infrastructure/process/keeper_wire.h"
#include "infrastructure/process/process_tree.h"

namespace awf::process {

class KeeperLoop {
 public:
  // `signals` is a signalfd for SIGCHLD, which is blocked.
  KeeperLoop(Fd owner, Fd signals);

  // Returns when the owner is gone or asked for the end, and nothing is left.
  void Run();

 private:
  using Clock = std::chrono::steady_clock;

  struct Job {
    pid_t leader = 0;
    bool reaped = false;  // the leader
    Fd failure_pipe;      // until the program runs
  };

  // A tree that is being ended.
  struct Ending {
    Clock::time_point kill_at;
    std::chrono::milliseconds pause{1};  // between rounds of SIGKILL
    bool killing = false;
  };

  void Poll();
  int PollTimeout() const;

  void ReadRequests();
  bool ReadPacket();
  void TakeHeader(std::string_view packet, std::vector<Fd> descriptors, bool truncated);
  void Serve();
  void OwnFolder();
  void Start();
  void SignalGroup();
  void Stop();
  void OwnerGone();

  void Launch(const SpawnRequest& request, std::uint32_t job);
  void ReadStartPipe(std::uint32_t number, Job& job);
  void Reap();
  void LeaderEnded(std::uint32_t number, int status);

  void BeginEnding(std::uint32_t target, std::chrono::milliseconds grace);
  void ContinueEndings();
  bool ContinueEnding(std::uint32_t target, Ending& ending);
  std::vector<ProcessInfo> MembersOf(std::uint32_t target) const;
  std::uint32_t JobOf(const ProcessInfo& process, const std::unordered_map<pid_t, std::uint32_t>& jobs) const;
  void SignalMembers(const std::vector<ProcessInfo>& members, int signal);
  bool IsForeignGroup(pid_t group) const;

  void Tell(const KeeperEvent& event);
  void TellFailure(KeeperEvent::Kind kind, std::uint32_t job, int error_number, std::string stage);
  void SendEvents();

  Fd owner_;
  Fd signals_;
  pid_t self_;
  pid_t guarded_ = 0;  // the owner, when what wears its marks is ended with it
  std::filesystem::path folder_;
  std::map<std::uint32_t, Job> jobs_;
  std::unordered_map<pid_t, std::uint32_t> leaders_;  // not yet reaped
  std::map<std::uint32_t, Ending> endings_;           // by job, or one of the targets in keeper_loop.cc
  std::deque<EventPacket> outgoing_;

  // The request that is being received.
  std::optional<RequestHeader> request_;
  std::vector<Fd> descriptors_;
  bool descriptors_lost_ = false;
  std::string payload_;

  bool stopping_ = false;
  bool finished_ = false;
};

}  // namespace awf::process

#include "infrastructure/process/keeper_loop.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <thread>
#include <unordered_set>
#include <utility>

#include "infrastructure/process/marked_processes.h"
#include "infrastructure/process/program_start.h"
#include "infrastructure/process/remove_tree.h"

namespace awf::process {
namespace {

using std::chrono::milliseconds;

// Targets of an ending beside single jobs.
constexpr std::uint32_t kEverything = kAllJobs;
constexpr std::uint32_t kStrays = 0xFFFFFFFF;

constexpr milliseconds kLongestPause{100};
// A process in uninterruptible sleep cannot be waited for without end once the owner is gone.
constexpr milliseconds kPatience{10'000};
constexpr milliseconds kOthersEnd{200};

std::vector<Fd> TakeDescriptors(msghdr& message) {
  std::vector<Fd> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof(int), sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

ExitStatus ToExitStatus(int status) {
  if (WIFSIGNALED(status)) return {128 + WTERMSIG(status), WTERMSIG(status)};
  return {WEXITSTATUS(status), 0};
}

// A subreaper without a child has no descendant at all: whoever loses its parent becomes its child.
bool HasChildren() {
  siginfo_t any{};
  return ::waitid(P_ALL, 0, &any, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

}  // namespace

KeeperLoop::KeeperLoop(Fd owner, Fd signals)
    : owner_(std::move(owner)), signals_(std::move(signals)), self_(::getpid()) {}

void KeeperLoop::Run() {
  while (!finished_) {
    Poll();
    Reap();
    if (!endings_.empty()) ContinueEndings();
    SendEvents();
  }
  if (!owner_ && guarded_ != 0) EndMarkedProcesses(guarded_, kPatience);
  if (folder_.empty()) return;
  RemoveTree(folder_);
  if (owner_) return;
  // Programs of other keepers, which end now as well, may have written there meanwhile.
  std::this_thread::sleep_for(kOthersEnd);
  RemoveTree(folder_);
}

void KeeperLoop::Poll() {
  std::vector<pollfd> watched{{signals_.get(), POLLIN, 0}};
  if (owner_) {
    watched.push_back({owner_.get(), static_cast<short>(outgoing_.empty() ? POLLIN : POLLIN | POLLOUT), 0});
  }
  const std::size_t fixed = watched.size();
  std::vector<std::uint32_t> starting;
  for (const auto& [number, job] : jobs_) {
    if (!job.failure_pipe) continue;
    watched.push_back({job.failure_pipe.get(), POLLIN, 0});
    starting.push_back(number);
  }
  if (::poll(watched.data(), watched.size(), PollTimeout()) <= 0) return;
  if (watched[0].revents != 0) {
    signalfd_siginfo info;
    while (::read(signals_.get(), &info, sizeof info) > 0) continue;
  }
  for (std::size_t i = 0; i < starting.size(); ++i)
    if (watched[fixed + i].revents != 0) ReadStartPipe(starting[i], jobs_[starting[i]]);
  if (owner_ && (watched[1].revents & ~POLLOUT) != 0) ReadRequests();
}

int KeeperLoop::PollTimeout() const {
  if (endings_.empty()) return -1;
  milliseconds shortest{60'000};
  for (const auto& [target, ending] : endings_) {
    const auto until_kill = std::chrono::ceil<milliseconds>(ending.kill_at - Clock::now());
    shortest = std::min(shortest, ending.killing ? ending.pause : std::max(until_kill, milliseconds{0}));
  }
  return static_cast<int>(shortest.count());
}

void KeeperLoop::ReadRequests() {
  while (owner_ && ReadPacket()) continue;
}

// False when there is nothing more to read now.
bool KeeperLoop::ReadPacket() {
  static_assert(sizeof(RequestHeader) <= kChunk);
  std::string packet(kChunk, '\0');
  iovec part{packet.data(), packet.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = ::recvmsg(owner_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (got <= 0) {
    OwnerGone();
    return false;
  }
  packet.resize(static_cast<std::size_t>(got));
  if (request_) {
    payload_ += packet;
  } else {
    TakeHeader(packet, TakeDescriptors(message), (message.msg_flags & MSG_CTRUNC) != 0);
  }
  if (request_ && payload_.size() >= request_->payload) {
    Serve();
    request_.reset();
    descriptors_.clear();
    payload_ = {};
  }
  return true;
}

void KeeperLoop::TakeHeader(std::string_view packet, std::vector<Fd> descriptors, bool truncated) {
  if (packet.size() != sizeof(RequestHeader)) return;  // both sides are one program: cannot happen
  request_.emplace();
  std::memcpy(&*request_, packet.data(), sizeof(RequestHeader));
  descriptors_ = std::move(descriptors);
  descriptors_lost_ = truncated;
}

void KeeperLoop::Serve() {
  switch (request_->kind) {
    case RequestKind::kOwnFolder:
      return OwnFolder();
    case RequestKind::kGuardOwner:
      guarded_ = request_->owner;
      return;
    case RequestKind::kRestrict: {
      const rlimit none{0, 0};
      ::setrlimit(RLIMIT_CORE, &none);
      ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
      return;
    }
    case RequestKind::kStart:
      return Start();
    case RequestKind::kSignalGroup:
      return SignalGroup();
    case RequestKind::kEndTree:
      return BeginEnding(request_->job, milliseconds{request_->grace_ms});
    case RequestKind::kKillStrays:
      return BeginEnding(kStrays, milliseconds{0});
    case RequestKind::kStop:
      return Stop();
  }
}

void KeeperLoop::OwnFolder() {
  if (::mkdir(payload_.c_str(), S_IRWXU) != 0) {
    return TellFailure(KeeperEvent::Kind::kFolderReady, 0, errno, "mkdir");
  }
  folder_ = payload_;
  Tell({.kind = KeeperEvent::Kind::kFolderReady, .status = {}, .failure = {}});
}

void KeeperLoop::Start() {
  if (descriptors_lost_) return TellFailure(KeeperEvent::Kind::kFailed, request_->job, EMFILE, "recvmsg");
  std::optional<SpawnRequest> request = DecodeSpawn(payload_);
  if (!request) return TellFailure(KeeperEvent::Kind::kFailed, request_->job, EINVAL, "request");
  request->new_session = request_->new_session != 0;
  std::size_t next = 0;
  for (int* fd : {&request->stdin_fd, &request->stdout_fd, &request->stderr_fd}) {
    const auto bit = static_cast<unsigned>(fd == &request->stdin_fd ? 1 : fd == &request->stdout_fd ? 2 : 4);
    if ((request_->descriptors & bit) != 0 && next < descriptors_.size()) *fd = descriptors_[next++].get();
  }
  Launch(*request, request_->job);
}

void KeeperLoop::Launch(const SpawnRequest& request, std::uint32_t number) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return TellFailure(KeeperEvent::Kind::kFailed, number, errno, "pipe");
  Fd read_end(ends[0]);
  const Fd write_end(ends[1]);
  const pid_t leader = ::fork();
  if (leader < 0) return TellFailure(KeeperEvent::Kind::kFailed, number, errno, "fork");
  if (leader == 0) BecomeProgram(request, MakeJobMark(self_, number), self_, write_end.get());
  Job job;
  job.leader = leader;
  job.failure_pipe = std::move(read_end);
  jobs_[number] = std::move(job);
  leaders_[leader] = number;
}

void KeeperLoop::ReadStartPipe(std::uint32_t number, Job& job) {
  StartFailure failure;
  ssize_t got = 0;
  do got = ::read(job.failure_pipe.get(), &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  job.failure_pipe.Reset();
  if (got == static_cast<ssize_t>(sizeof failure)) {
    leaders_.erase(job.leader);  // its end is no news
    job.reaped = true;
    return TellFailure(KeeperEvent::Kind::kFailed, number, failure.error_number, failure.stage);
  }
  Tell({.kind = KeeperEvent::Kind::kStarted, .job = number, .pid = job.leader, .status = {}, .failure = {}});
}

void KeeperLoop::Reap() {
  for (;;) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == ECHILD && stopping_) finished_ = true;
    if (pid <= 0) return;
    const auto leader = leaders_.find(pid);
    if (leader == leaders_.end()) continue;
    LeaderEnded(leader->second, status);
  }
}

void KeeperLoop::LeaderEnded(std::uint32_t number, int status) {
  Job& job = jobs_[number];
  if (job.failure_pipe) ReadStartPipe(number, job);
  if (job.reaped) return;
  job.reaped = true;
  leaders_.erase(job.leader);
  Tell({.kind = KeeperEvent::Kind::kExited,
        .job = number,
        .pid = job.leader,
        .status = ToExitStatus(status),
        .failure = {}});
}

void KeeperLoop::SignalGroup() {
  const auto job = jobs_.find(request_->job);
  if (job == jobs_.end()) return;
  const pid_t leader = job->second.leader;
  if (!job->second.reaped) {
    // A leader that is about to start may not have its group yet.
    if (::kill(-leader, request_->signal) != 0) ::kill(leader, request_->signal);
    return;
  }
  // The number of a group stays taken while it has members; without any it may already mean another group.
  const std::vector<ProcessInfo> members = MembersOf(request_->job);
  const bool in_use =
      std::any_of(members.begin(), members.end(), [&](const ProcessInfo& member) { return member.group == leader; });
  if (in_use) ::kill(-leader, request_->signal);
}

void KeeperLoop::Stop() {
  stopping_ = true;
  BeginEnding(kEverything, milliseconds{request_->grace_ms});
}

void KeeperLoop::OwnerGone() {
  owner_.Reset();
  outgoing_.clear();
  stopping_ = true;
  BeginEnding(kEverything, milliseconds{0});
}

void KeeperLoop::BeginEnding(std::uint32_t target, milliseconds grace) {
  const Clock::time_point kill_at = Clock::now() + grace;
  const auto [found, is_new] = endings_.try_emplace(target, Ending{kill_at});
  found->second.kill_at = std::min(found->second.kill_at, kill_at);
  if (!is_new || grace.count() <= 0) return;  // the loop goes on with ContinueEndings
  const auto job = jobs_.find(target);
  const pid_t group = job != jobs_.end() && !job->second.reaped ? job->second.leader : 0;
  // The group in one go, so that nothing that is forked meanwhile is missed; each of the others once.
  if (group != 0 && ::kill(-group, SIGTERM) != 0) ::kill(group, SIGTERM);
  for (const ProcessInfo& member : MembersOf(target))
    if (group == 0 || (member.group != group && member.pid != group)) SignalProcess(member, SIGTERM);
}

void KeeperLoop::ContinueEndings() {
  for (auto ending = endings_.begin(); ending != endings_.end();) {
    ending = ContinueEnding(ending->first, ending->second) ? endings_.erase(ending) : std::next(ending);
  }
}

// True when nothing of the target is left.
bool KeeperLoop::ContinueEnding(std::uint32_t target, Ending& ending) {
  std::vector<ProcessInfo> members = MembersOf(target);
  if (members.empty()) members = MembersOf(target);  // one that was just being forked may have escaped the first look
  const bool hopeless = stopping_ && target == kEverything && Clock::now() >= ending.kill_at + kPatience;
  if (members.empty() || hopeless) {
    Reap();  // a leader that has ended since the last time: its exit is told first
    if (target != kStrays) Tell({.kind = KeeperEvent::Kind::kTreeGone, .job = target, .status = {}, .failure = {}});
    finished_ = finished_ || (stopping_ && target == kEverything);
    return true;
  }
  if (Clock::now() < ending.kill_at) return false;
  ending.pause = ending.killing ? std::min(ending.pause * 2, kLongestPause) : milliseconds{1};
  ending.killing = true;
  SignalMembers(members, SIGKILL);
  return false;
}

std::vector<ProcessInfo> KeeperLoop::MembersOf(std::uint32_t target) const {
  std::vector<ProcessInfo> members;
  if (!HasChildren()) return members;  // reading all of /proc takes milliseconds
  std::unordered_map<pid_t, std::uint32_t> jobs;
  std::unordered_set<pid_t> strays;
  for (const ProcessInfo& process : ProcessTree::Snapshot().DescendantsOf(self_)) {
    const std::uint32_t job = target == kEverything ? kEverything : JobOf(process, jobs);
    jobs[process.pid] = job;
    const bool is_stray = process.parent == self_ ? !leaders_.contains(process.pid) : strays.contains(process.parent);
    if (is_stray) strays.insert(process.pid);
    const bool wanted = target == kStrays ? is_stray : job == target;
    if (wanted && !process.ended() && MaySignal(process.pid)) members.push_back(process);
  }
  return members;
}

// `jobs` tells those of the ancestors.
std::uint32_t KeeperLoop::JobOf(const ProcessInfo& process,
                                const std::unordered_map<pid_t, std::uint32_t>& jobs) const {
  if (const auto leader = leaders_.find(process.pid); leader != leaders_.end()) return leader->second;
  if (jobs_.size() == 1) return jobs_.begin()->first;
  if (const auto marked = ReadJobMark(process.pid, self_)) {
    for (const auto& [number, job] : jobs_)
      if (MarkedJob(number) == *marked) return number;
  }
  const auto parent = jobs.find(process.parent);
  return parent == jobs.end() ? kEverything : parent->second;
}

void KeeperLoop::SignalMembers(const std::vector<ProcessInfo>& members, int signal) {
  // Groups first: the kernel reaches all of a group at once, which no tree that keeps forking within it survives.
  std::set<pid_t> groups;
  for (const ProcessInfo& member : members)
    if (member.group > 1) groups.insert(member.group);  // 0 and 1 would mean our own group, and everybody
  for (const pid_t group : groups) {
    const bool has_leader_here =
        std::any_of(members.begin(), members.end(), [&](const ProcessInfo& member) { return member.pid == group; });
    if (has_leader_here || !IsForeignGroup(group)) ::kill(-group, signal);
  }
  for (const ProcessInfo& member : members) SignalProcess(member, signal);
}

// Our own group, or that of a program of another job.
bool KeeperLoop::IsForeignGroup(pid_t group) const {
  return group <= 1 || group == ::getpgrp() || leaders_.contains(group);
}

void KeeperLoop::Tell(const KeeperEvent& event) {
  if (owner_) outgoing_.push_back(ToPacket(event));
}

void KeeperLoop::TellFailure(KeeperEvent::Kind kind, std::uint32_t job, int error_number, std::string stage) {
  KeeperEvent event;
  event.kind = kind;
  event.job = job;
  event.failure = {error_number, std::move(stage)};
  Tell(event);
}

void KeeperLoop::SendEvents() {
  while (owner_ && !outgoing_.empty()) {
    const EventPacket& packet = outgoing_.front();
    const ssize_t sent = ::send(owner_.get(), &packet, sizeof packet, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent < 0) return OwnerGone();
    outgoing_.pop_front();
  }
}

}  // namespace awf::process

#include "infrastructure/process/keeper.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <fstream>

#include "infrastructure/process/descriptor_limit.h"
#include "infrastructure/process/process_test_support.h"

namespace awf::process {
namespace {

using Kind = KeeperEvent::Kind;
using std::chrono::milliseconds;

struct Pipe {
  Fd read_end, write_end;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) ADD_FAILURE() << "pipe";
    read_end = Fd(ends[0]);
    write_end = Fd(ends[1]);
  }
  // Until every writer is gone.
  std::string Drain() {
    write_end.Reset();
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::read(read_end.get(), buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(got));
    }
    return text;
  }
};

class KeeperTest : public ProcessTest, public ::testing::WithParamInterface<bool> {
 protected:
  KeeperTest() {
    auto keeper = GetParam() ? Keeper::Spawn() : Keeper::Fork();
    EXPECT_TRUE(keeper.has_value());
    keeper_ = std::move(*keeper);
    events_.emplace(*keeper_);
  }
  ~KeeperTest() override { keeper_.reset(); }

  void TearDown() override {
    const pid_t pid = keeper_->pid();
    keeper_.reset();
    EXPECT_FALSE(IsAlive(pid));
    ProcessTest::TearDown();
  }

  // Output and status of a program that ends by itself.
  std::pair<std::string, ExitStatus> Run(SpawnRequest request) {
    Pipe out;
    request.stdout_fd = out.write_end.get();
    const std::uint32_t job = keeper_->Start(request);
    std::string text = out.Drain();
    return {text, Await(Kind::kExited, job).status};
  }

  KeeperEvent Await(Kind kind, std::uint32_t job = 0) { return events_->Await(kind, job); }

  std::unique_ptr<Keeper> keeper_;
  std::optional<Events> events_;
};

INSTANTIATE_TEST_SUITE_P(Ways, KeeperTest, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Spawned" : "Forked"; });

TEST_P(KeeperTest, RunsAProgramAndTellsItsEnd) {
  const auto [text, status] = Run(Shell("echo hello; exit 3"));
  EXPECT_EQ(text, "hello\n");
  EXPECT_EQ(status, (ExitStatus{3, 0}));
}

TEST_P(KeeperTest, TellsTheSignalThatEndedAProgram) {
  EXPECT_EQ(Run(Shell("kill -9 $$")).second, (ExitStatus{137, 9}));
}

TEST_P(KeeperTest, StartedComesBeforeExitedWithThePid) {
  const std::uint32_t job = keeper_->Start(Shell("exit 0"));
  const KeeperEvent started = Await(Kind::kStarted, job);
  const KeeperEvent exited = Await(Kind::kExited, job);
  EXPECT_GT(started.pid, 1);
  EXPECT_EQ(started.pid, exited.pid);
}

TEST_P(KeeperTest, JobsOfOneKeeperRunAtOnce) {
  const TestFolder folder;
  const std::string fifo = folder / "fifo";
  const std::uint32_t reader = keeper_->Start(Shell("mkfifo " + fifo + " && read x <" + fifo + " && test $x = go"));
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(fifo); }));
  const std::uint32_t writer = keeper_->Start(Shell("echo go >" + fifo));
  EXPECT_EQ(Await(Kind::kExited, reader).status.exit_code, 0);
  EXPECT_EQ(Await(Kind::kExited, writer).status.exit_code, 0);
}

TEST_P(KeeperTest, MissingProgramFailsAtExecve) {
  SpawnRequest request = Shell("");
  request.argv = {"/nonexistent/program"};
  const KeeperEvent event = Await(Kind::kFailed, keeper_->Start(request));
  EXPECT_EQ(event.failure.stage, "execve");
  EXPECT_EQ(event.failure.error_number, ENOENT);
}

TEST_P(KeeperTest, MissingFolderFailsAtChdir) {
  SpawnRequest request = Shell("true");
  request.working_dir = "/nonexistent/folder";
  const KeeperEvent event = Await(Kind::kFailed, keeper_->Start(request));
  EXPECT_EQ(event.failure.stage, "chdir");
  EXPECT_EQ(event.failure.error_number, ENOENT);
}

TEST_P(KeeperTest, LooksNamesUpOnThePathOfTheRequest) {
  const TestFolder folder;
  std::ofstream(folder / "tool") << "#!/bin/sh\necho found $1\n";
  std::filesystem::permissions(folder / "tool", std::filesystem::perms::owner_all);
  std::ofstream(folder / "plain") << "no program";
  SpawnRequest request = Shell("");
  request.argv = {"tool", "it"};
  request.environment = {"PATH=/nonexistent:" + folder.path().string()};
  EXPECT_EQ(Run(request).first, "found it\n");

  request.argv = {"plain"};
  EXPECT_EQ(Await(Kind::kFailed, keeper_->Start(request)).failure.error_number, EACCES);
  request.argv = {"missing"};
  EXPECT_EQ(Await(Kind::kFailed, keeper_->Start(request)).failure.error_number, ENOENT);
}

TEST_P(KeeperTest, RequestsMayBeMuchLargerThanAPacket) {
  SpawnRequest request = Shell("set | wc -c");
  request.environment = {"PATH=/usr/bin:/bin"};
  for (int i = 0; i < 15; ++i) {
    request.environment.push_back("V" + std::to_string(i) + "=" + std::string(100'000, 'x'));
  }
  EXPECT_GE(std::stoul(Run(request).first), 1'500'000U);
}

TEST_P(KeeperTest, ProgramsStartWithACleanSlate) {
  ::signal(SIGUSR1, SIG_IGN);
  const auto [text, status] = Run(Shell("grep -E '^Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd; env; tty; cat"));
  ::signal(SIGUSR1, SIG_DFL);
  EXPECT_EQ(text,
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n0\n1\n2\n3\n"  // 3 is the folder that ls reads
            "PATH=/usr/local/bin:/usr/bin:/bin\nPWD=/\nnot a tty\n");
  EXPECT_EQ(status.exit_code, 0);
}

TEST_P(KeeperTest, LeadsASessionOrAGroupOfItsOwn) {
  const std::uint32_t command = keeper_->Start(Shell("exec sleep 300"));
  SpawnRequest agent = Shell("exec sleep 300");
  agent.new_session = false;
  const std::uint32_t cli = keeper_->Start(agent);
  const pid_t command_pid = Await(Kind::kStarted, command).pid;
  const pid_t cli_pid = Await(Kind::kStarted, cli).pid;
  EXPECT_EQ(::getsid(command_pid), command_pid);
  EXPECT_EQ(::getsid(cli_pid), keeper_->pid());
  EXPECT_EQ(::getpgid(cli_pid), cli_pid);
  EXPECT_NE(::getsid(keeper_->pid()), ::getsid(0));
}

TEST_P(KeeperTest, SignalsTheGroupOfAJob) {
  SpawnRequest request = Shell("trap 'kill %1; exit 7' USR1; sleep 300 & wait");
  const std::uint32_t job = keeper_->Start(request);
  const pid_t leader = Await(Kind::kStarted, job).pid;
  ASSERT_TRUE(Eventually([&] {  // until the trap is set
    return FileText("/proc/" + std::to_string(leader) + "/status").find("SigCgt:\t0000000000000000") ==
               std::string::npos &&
           FileText("/proc/" + std::to_string(leader) + "/task/" + std::to_string(leader) + "/children") != "";
  }));
  keeper_->SignalGroup(job, SIGUSR1);
  EXPECT_EQ(Await(Kind::kExited, job).status.exit_code, 7);
}

TEST_P(KeeperTest, SignalsOfTheTerminalDoNotEndTheKeeper) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1}) ::kill(keeper_->pid(), signal);
  EXPECT_EQ(Run(Shell("echo still")).first, "still\n");
}

TEST_P(KeeperTest, RestrictedProgramsCannotGainRightsNorDumpCore) {
  EXPECT_EQ(Run(Shell("grep NoNewPrivs /proc/self/status")).first, "NoNewPrivs:\t0\n");
  keeper_->Restrict();
  EXPECT_EQ(Run(Shell("grep NoNewPrivs /proc/self/status; ulimit -c")).first, "NoNewPrivs:\t1\n0\n");
}

TEST_P(KeeperTest, TreeIncludesThoseWhoLeftTheirSession) {
  const std::string mark = UniqueSleep();
  const std::uint32_t job = keeper_->Start(Shell("setsid sleep " + mark + " & (setsid sleep " + mark +
                                                 " &) ; env -i setsid -f sleep " + mark + "; sleep " + mark));
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() >= 5; }));
  keeper_->EndTree(job, milliseconds{5000});
  Await(Kind::kTreeGone, job);
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_P(KeeperTest, TreeOfOneJobSparesWhatOthersLeftRunning) {
  const std::string earlier = UniqueSleep();
  const std::string later = UniqueSleep();
  const std::uint32_t first = keeper_->Start(Shell("env -i setsid -f sleep " + earlier + "; sleep " + earlier + " &"));
  Await(Kind::kExited, first);
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(earlier).size() == 2; }));
  const std::uint32_t second = keeper_->Start(Shell("env -i setsid -f sleep " + later + "; exec sleep " + later));
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(later).size() == 2; }));

  keeper_->EndTree(second, milliseconds{5000});
  Await(Kind::kTreeGone, second);
  EXPECT_TRUE(MarkedProcesses(later).empty());
  EXPECT_EQ(MarkedProcesses(earlier).size(), 2U);

  keeper_->EndTree(first, milliseconds{0});  // its leader has long ended
  Await(Kind::kTreeGone, first);
  EXPECT_TRUE(MarkedProcesses(earlier).empty());
}

TEST_P(KeeperTest, WhoIgnoresTheFirstSignalIsKilled) {
  const TestFolder folder;
  const std::uint32_t job = keeper_->Start(
      Shell("trap '' TERM; (sleep 300; :) & touch " + (folder / "ready").string() + "; while :; do sleep 0.1; done"));
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(folder / "ready"); }));
  keeper_->EndTree(job, milliseconds{100});
  EXPECT_EQ(Await(Kind::kExited, job).status, (ExitStatus{137, SIGKILL}));
  Await(Kind::kTreeGone, job);
}

TEST_P(KeeperTest, TheFirstSignalLeavesTimeToCleanUp) {
  const TestFolder folder;
  const std::uint32_t job =
      keeper_->Start(Shell("trap 'sleep 0.05; touch " + (folder / "clean").string() + "; exit 4' TERM; touch " +
                           (folder / "ready").string() + "; while :; do sleep 0.01; done"));
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(folder / "ready"); }));
  keeper_->EndTree(job, kHang);
  EXPECT_EQ(Await(Kind::kExited, job).status.exit_code, 4);
  Await(Kind::kTreeGone, job);
  EXPECT_TRUE(std::filesystem::exists(folder / "clean"));
}

TEST_P(KeeperTest, ATreeThatKeepsForkingIsEnded) {
  const TestFolder folder;
  const std::string mark = UniqueSleep();
  // Each hop leaves its session, starts the next one and ends: no process lives for more than some milliseconds.
  std::ofstream(folder / "hop") << "touch " << (folder / "ready").string() << "; setsid sh "
                                << (folder / "hop").string() << " " << mark << " & exit";
  const std::string hop = "sh " + (folder / "hop").string() + " " + mark;
  const std::uint32_t job = keeper_->Start(Shell(hop + "; " + hop + "; while :; do (sleep " + mark + " &); done"));
  ASSERT_TRUE(Eventually([&] { return std::filesystem::exists(folder / "ready"); }));
  keeper_->EndTree(job, milliseconds{20});
  Await(Kind::kTreeGone, job);
  // What still forks would be seen for ever; the last one killed may be on its way out.
  EXPECT_TRUE(Eventually([&] { return MarkedProcesses(mark).empty(); }));
}

TEST_P(KeeperTest, EndingAJobThatIsOverIsAnsweredToo) {
  const std::uint32_t job = keeper_->Start(Shell("true"));
  Await(Kind::kExited, job);
  keeper_->EndTree(job, milliseconds{5000});
  Await(Kind::kTreeGone, job);
}

TEST_P(KeeperTest, AllJobsCanBeEndedAtOnce) {
  const std::string mark = UniqueSleep();
  const std::uint32_t one = keeper_->Start(Shell("setsid -f sleep " + mark + "; exec sleep " + mark));
  const std::uint32_t two = keeper_->Start(Shell("exec sleep " + mark));
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() == 3; }));
  keeper_->EndTree(kAllJobs, milliseconds{5000});
  EXPECT_EQ(Await(Kind::kExited, one).status.signal, SIGTERM);
  EXPECT_EQ(Await(Kind::kExited, two).status.signal, SIGTERM);
  Await(Kind::kTreeGone, kAllJobs);
  EXPECT_TRUE(MarkedProcesses(mark).empty());
}

TEST_P(KeeperTest, StraysAreKilledAndLeadersSpared) {
  const std::string stray = UniqueSleep();
  const std::string leader = UniqueSleep();
  const std::uint32_t job = keeper_->Start(Shell("setsid -f sleep " + stray + "; exec sleep " + leader));
  // The shell carries both marks: it must have become the leader before there is a stray.
  ASSERT_TRUE(Eventually([&] {
    const std::vector<pid_t> leaders = MarkedProcesses(leader);
    const std::vector<pid_t> strays = MarkedProcesses(stray);
    return leaders.size() == 1 && strays.size() == 1 && leaders != strays;
  }));
  keeper_->KillStrays();
  EXPECT_TRUE(Eventually([&] { return MarkedProcesses(stray).empty(); }));
  EXPECT_EQ(MarkedProcesses(leader).size(), 1U);
  keeper_->EndTree(job, milliseconds{0});
  Await(Kind::kTreeGone, job);
}

TEST_P(KeeperTest, OwnsAFolderUntilItEnds) {
  const TestFolder folder;
  const std::filesystem::path owned = folder / "owned";
  keeper_->OwnFolder(owned);
  EXPECT_EQ(Await(Kind::kFolderReady).failure.error_number, 0);
  struct stat status{};
  ASSERT_EQ(::stat(owned.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700U);
  // A cache as package managers leave it, and a tree deeper than there are descriptors.
  EXPECT_EQ(Run(Shell("cd " + owned.string() +
                      " && mkdir -p cache/a && touch cache/a/f && chmod 0 cache/a && chmod 500 cache && ln -s / root"
                      " && i=0 && while [ $i -lt 400 ]; do mkdir d && cd -P d || exit 1; i=$((i+1)); done"))
                .second.exit_code,
            0);
  keeper_->Stop(milliseconds{1000});
  EXPECT_FALSE(std::filesystem::exists(owned));
  EXPECT_TRUE(std::filesystem::exists("/usr"));
}

TEST_P(KeeperTest, ForeignFoldersAreRefusedAndSpared) {
  const TestFolder folder;
  keeper_->OwnFolder(folder.path());
  const KeeperEvent event = Await(Kind::kFolderReady);
  EXPECT_EQ(event.failure.stage, "mkdir");
  EXPECT_EQ(event.failure.error_number, EEXIST);
  keeper_->Stop(milliseconds{0});
  EXPECT_TRUE(std::filesystem::exists(folder.path()));
}

TEST_P(KeeperTest, StopEndsEverything) {
  const std::string mark = UniqueSleep();
  keeper_->Start(Shell("setsid -f sleep " + mark + "; exec sleep " + mark));
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() == 2; }));
  keeper_->Stop(milliseconds{5000});
  EXPECT_TRUE(MarkedProcesses(mark).empty());
  EXPECT_FALSE(IsAlive(keeper_->pid()));
  keeper_->Stop(milliseconds{0});
}

TEST_P(KeeperTest, AKeeperThatDoesNotAnswerIsKilled) {
  const TestFolder folder;
  keeper_->OwnFolder(folder / "owned");
  Await(Kind::kFolderReady);
  ::kill(keeper_->pid(), SIGSTOP);
  keeper_->Stop(milliseconds{0});
  EXPECT_FALSE(IsAlive(keeper_->pid()));
  EXPECT_FALSE(std::filesystem::exists(folder / "owned"));
}

TEST_P(KeeperTest, OwnerCleansUpAfterAKeeperThatWasKilled) {
  const TestFolder folder;
  const std::string mark = UniqueSleep();
  keeper_->OwnFolder(folder / "owned");
  keeper_->Start(Shell("setsid sleep " + mark + " & setsid -f sleep " + mark + "; sleep " + mark));
  ASSERT_TRUE(Eventually([&] { return MarkedProcesses(mark).size() == 4; }));
  ::kill(keeper_->pid(), SIGKILL);
  Await(Kind::kGone);
  EXPECT_TRUE(MarkedProcesses(mark).empty());
  keeper_->Stop(milliseconds{0});
  EXPECT_FALSE(std::filesystem::exists(folder / "owned"));
  EXPECT_FALSE(keeper_->Next().has_value());  // it is told once
}

TEST_P(KeeperTest, StrayKillersSpareOtherKeepers) {
  auto other = Keeper::Spawn();
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(KillStrayChildren(), 0);
  EXPECT_EQ(Run(Shell("echo still")).first, "still\n");
  const std::uint32_t job = (*other)->Start(Shell("exit 5"));
  EXPECT_EQ(Events(**other).Await(Kind::kExited, job).status.exit_code, 5);
}

TEST_P(KeeperTest, DescriptorsOfTheOwnerAreNotKept) {
  Pipe pipe;
  ASSERT_EQ(::fcntl(pipe.write_end.get(), F_SETFD, 0), 0);  // inheritable, by mistake
  auto other = GetParam() ? Keeper::Spawn() : Keeper::Fork();
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(pipe.Drain(), "");  // ends although the other keeper lives
}

TEST_P(KeeperTest, ProgramsDoNotSeeARaisedDescriptorLimit) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit low{200, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  {
    const RaisedDescriptorLimit raised;
    auto other = GetParam() ? Keeper::Spawn() : Keeper::Fork();
    ASSERT_TRUE(other.has_value());
    rlimit now{};
    ::getrlimit(RLIMIT_NOFILE, &now);
    EXPECT_EQ(now.rlim_cur, before.rlim_max);
    std::swap(keeper_, *other);
    events_.emplace(*keeper_);
    EXPECT_EQ(Run(Shell("ulimit -S -n")).first, "200\n");
  }
  rlimit after{};
  ::getrlimit(RLIMIT_NOFILE, &after);
  EXPECT_EQ(after.rlim_cur, 200U);
  ::setrlimit(RLIMIT_NOFILE, &before);
}

TEST_P(KeeperTest, ManyProgramsLeaveNoDescriptorsBehind) {
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
  };
  Run(Shell("true"));
  const auto before = count();
  for (int i = 0; i < 50; ++i) Run(Shell("true"));
  EXPECT_EQ(count(), before);
}

TEST(KeeperMainTest, RefusesWhatIsNoSocket) {
  EXPECT_EQ(KeeperMain(-1), 1);
  EXPECT_EQ(KeeperMain(STDIN_FILENO), 1);
}

}  // namespace
}  // namespace awf::process

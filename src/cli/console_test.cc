#include "cli/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "cli/test_screen.h"

namespace awf::cli {
namespace {

TEST(ConsoleColor, IsLeftOutWhereTheUserOrTheTerminalWantsNone) {
  const auto wants = [](const char* term, const char* no_color, bool flag) {
    ::setenv("TERM", term, 1);
    ::setenv("NO_COLOR", no_color, 1);
    return WantsColor(flag);
  };
  EXPECT_TRUE(wants("xterm", "", false));
  EXPECT_FALSE(wants("xterm", "1", false));
  EXPECT_FALSE(wants("xterm", "", true));
  EXPECT_FALSE(wants("dumb", "", false));
  EXPECT_FALSE(wants("", "", false));
  ::unsetenv("NO_COLOR");
}

TEST(Console, InAPipeThereAreJustLines) {
  Screen out, err;
  Console console({out.fd(), err.fd(), false, false, false, false, nullptr, false});
  console.Line("one");
  console.Out("partial");
  console.Line("two\n");
  console.SetLive("spinner");
  console.Err("err");
  console.Line("three");
  console.EndOutLine();
  console.EndOutLine();
  EXPECT_EQ(err.Text(), "one\ntwo\nerr\nthree\n");
  EXPECT_EQ(out.Text(), "partial\n");
}

TEST(Console, TheLiveLineMakesRoomForEverythingElse) {
  Screen screen;
  {
    Console console({screen.fd(), screen.fd(), true, true, true, true, [] { return 40; }, false});
    console.SetLive("busy 1");
    console.SetLive("busy 1");
    console.SetLive("busy 2");
    console.Line("line");
    console.Out("text");
    console.SetLive("busy 3");
    console.Out(" more\n");
    console.SetLive("");
    console.SetLive("busy 4");
  }
  EXPECT_EQ(screen.Text(),
            "\x1b[?25lbusy 1"
            "\r\x1b[2Kbusy 2"
            "\r\x1b[2Kline\nbusy 2"
            "\r\x1b[2Ktext"
            " more\nbusy 3"
            "\r\x1b[2K"
            "busy 4"
            "\r\x1b[2K\x1b[?25h");
}

TEST(Console, OnOneTerminalALineNeverStartsBehindText) {
  Screen screen;
  {
    Console console({screen.fd(), screen.fd(), true, true, true, false, [] { return 40; }, false});
    console.Out("text");
    console.Line("line");
    console.Err("err");
    console.Out("out");
    console.Err("err2\n");
  }
  EXPECT_EQ(screen.Text(), "text\nline\nerr\nout\nerr2\n");
}

TEST(Console, AClosedReaderEndsNothing) {
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  Screen err;
  Console console({ends[1], err.fd(), false, false, false, false, nullptr, false});
  console.Out("lost\n");
  console.Out("lost too\n");
  console.Line("seen");
  ::close(ends[1]);
  EXPECT_EQ(err.Text(), "seen\n");
}

TEST(Console, AReaderThatStoppedReadingIsNotWaitedForWithoutEnd) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Screen err;
  {
    Console console({ends[1], err.fd(), false, false, false, false, nullptr, false});
    std::thread writer([&] { console.Out(std::string(1 << 20, 'x')); });
    console.LimitWaiting(std::chrono::milliseconds(0));
    writer.join();
    console.Out("more");
    console.Line("seen");
  }
  EXPECT_EQ(err.Text(), "seen\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Console, LinesOfManyThreadsStayWhole) {
  Screen err;
  {
    Console console({err.fd(), err.fd(), false, false, false, false, nullptr, false});
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&console, t] {
        for (int i = 0; i < 50; ++i) console.Line(std::string(200, static_cast<char>('a' + t)));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  std::istringstream lines(err.Text());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_EQ(line.size(), 200U);
    EXPECT_EQ(std::set<char>(line.begin(), line.end()).size(), 1U);
  }
  EXPECT_EQ(count, 400);
}

}  // namespace
}  // namespace awf::cli

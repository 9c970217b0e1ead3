// `awf run` in surroundings that are not what a program expects.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <fstream>

#include "tests/e2e/process_world.h"

namespace awf::e2e {
namespace {

constexpr char kWorkflow[] = R"(name: hello
states:
  initial: greet
  greet: {type: step, command: "echo hello; echo warning >&2", on_success: done}
  done: {type: terminal, message: fine}
)";

// Every line of that file is a JSON object; how many.
int JsonLines(const std::filesystem::path& path) {
  std::ifstream in(path);
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    boost::system::error_code fault;
    const boost::json::value value = boost::json::parse(line, fault);
    EXPECT_TRUE(!fault && value.is_object()) << path << ": " << line;
  }
  return count;
}

TEST(Run, ClosedStreamsDoNotEndInTheRecords) {
  for (const char* closed : {"<&-", ">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    World world;
    world.PutPrograms();
    world.Write("ws/w.yaml", kWorkflow);
    EXPECT_EQ(world.Shell("awf run w.yaml --storage '" + world.Path("storage").string() + "' " + closed), 0) << closed;
    EXPECT_EQ(JsonLines(world.RunFolder() / "log.jsonl"), 6) << closed;
    EXPECT_EQ(JsonLines(world.RunFolder() / "audit.jsonl"), 6) << closed;
  }
}

}  // namespace
}  // namespace awf::e2e

// The tests execute themselves as keepers, as awf does.
#include <gmock/gmock.h>

#include <cstdlib>
#include <string_view>

#include "infrastructure/process/keeper.h"

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "keeper") return awf::process::KeeperMain(std::atoi(argv[2]));
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}

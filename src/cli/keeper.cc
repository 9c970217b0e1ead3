// awf keeper FD: hidden; the process that runs programs on behalf of awf. Started by Keeper::Spawn only.
#include <charconv>

#include "cli/commands.h"
#include "infrastructure/process/keeper.h"

namespace awf::cli {

int KeeperCommand(const std::vector<std::string>& arguments) {
  constexpr int kUsage = 1;
  if (arguments.size() != 1) return kUsage;
  const std::string& text = arguments[0];
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (error != std::errc{} || end != text.data() + text.size() || fd < 0) return kUsage;
  return process::KeeperMain(fd);
}

}  // namespace awf::cli

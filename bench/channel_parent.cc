#include "bench/channel_parent.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "domain/random_id.h"
#include "infrastructure/mcp/serve_config.h"

extern char** environ;

namespace awf::bench {

ChannelParent::ChannelParent(const std::filesystem::path& folder, const std::filesystem::path& root)
    : config_(folder / "serve.json") {
  const std::string token = RandomHex(16);
  auto server = channel::StepChannelServer::Listen(folder / "channel.sock", token);
  if (!server) throw std::runtime_error(server.error().message);
  server_ = std::move(*server);

  ServeConfig config;
  config.socket = folder / "channel.sock";
  config.token = token;
  config.tools.root = root;
  for (char** entry = environ; *entry != nullptr; ++entry) config.tools.environment.emplace_back(*entry);
  const std::string text = EncodeServeConfig(config);
  const Fd file(::open(config_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("serve.json");
  thread_ = std::thread([this] { Drain(); });
}

ChannelParent::~ChannelParent() {
  stopping_ = true;
  thread_.join();
}

void ChannelParent::Drain() {
  while (!stopping_) {
    std::vector<pollfd> ready;
    server_->AddFds(ready);
    ::poll(ready.data(), ready.size(), 50);
    for (const channel::ServerEvent& event : server_->Handle()) {
      if (event.message && std::holds_alternative<channel::CallFinished>(*event.message)) ++finished_calls_;
    }
  }
}

}  // namespace awf::bench

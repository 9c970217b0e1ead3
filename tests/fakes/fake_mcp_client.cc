#include "tests/fakes/fake_mcp_client.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace awf::fakes {

namespace json = boost::json;

bool FakeMcpClient::Start() {
  int to_server[2];
  int from_server[2];
  if (::pipe2(to_server, O_CLOEXEC) != 0 || ::pipe2(from_server, O_CLOEXEC) != 0) return false;
  std::vector<char*> argv;
  for (std::string& word : command_) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(to_server[0], 0);
    ::dup2(from_server[1], 1);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(to_server[0]);
  ::close(from_server[1]);
  in_ = to_server[1];
  out_ = from_server[0];
  buffer_.clear();
  answers_.clear();
  return pid_ > 0;
}

bool FakeMcpClient::Initialize() {
  const json::object params{{"protocolVersion", "2025-11-25"},
                            {"capabilities", json::object()},
                            {"clientInfo", json::object{{"name", "claude-code"}, {"version", "2.1.332"}}}};
  if (!Request("initialize", params)) return false;
  Send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  return true;
}

std::optional<std::vector<std::string>> FakeMcpClient::ListTools() {
  const auto answer = Request("tools/list", {});
  if (!answer || !answer->contains("result")) return std::nullopt;
  std::vector<std::string> names;
  for (const json::value& tool : answer->at("result").at("tools").as_array()) {
    names.emplace_back(tool.at("name").as_string());
  }
  return names;
}

std::optional<json::object> FakeMcpClient::CallTool(const std::string& name, const json::object& arguments,
                                                    const std::string& call_id) {
  return AwaitCall(SendCall(name, arguments, call_id));
}

std::optional<json::object> FakeMcpClient::AwaitCall(int number) {
  const auto answer = Await(number);
  if (!answer) return std::nullopt;
  if (const json::value* error = answer->if_contains("error")) {
    return json::object{{"isError", true},
                        {"content", json::array{json::object{{"type", "text"}, {"text", error->at("message")}}}}};
  }
  return answer->at("result").as_object();
}

int FakeMcpClient::SendCall(const std::string& name, const json::object& arguments, const std::string& call_id) {
  const int id = next_id_++;
  Send({{"jsonrpc", "2.0"},
        {"id", id},
        {"method", "tools/call"},
        {"params",
         json::object{
             {"name", name}, {"arguments", arguments}, {"_meta", json::object{{"claudecode/toolUseId", call_id}}}}}});
  return id;
}

void FakeMcpClient::CancelCall(int number) {
  Send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", json::object{{"requestId", number}}}});
}

void FakeMcpClient::Send(const json::object& message) {
  const std::string line = json::serialize(message) + "\n";
  std::size_t done = 0;
  while (in_ >= 0 && done < line.size()) {
    const ssize_t count = ::write(in_, line.data() + done, line.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

std::optional<json::object> FakeMcpClient::Request(const std::string& method, const json::object& params) {
  const int id = next_id_++;
  Send({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  return Await(id);
}

std::optional<json::object> FakeMcpClient::Await(int id) {
  for (;;) {
    if (auto answer = answers_.extract(id)) return std::move(answer.mapped());
    const std::size_t feed = buffer_.find('\n');
    if (feed != std::string::npos) {
      boost::system::error_code error;
      json::value message = json::parse(json::string_view(buffer_.data(), feed), error);
      buffer_.erase(0, feed + 1);
      const json::object* object = error ? nullptr : message.if_object();
      const json::value* of = object == nullptr ? nullptr : object->if_contains("id");
      if (of != nullptr && of->is_int64()) answers_[static_cast<int>(of->get_int64())] = *object;
      continue;
    }
    char bytes[65536];
    const ssize_t count = ::read(out_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      Kill();
      return std::nullopt;
    }
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

void FakeMcpClient::Kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Close();
}

void FakeMcpClient::Stop() {
  if (pid_ > 0) {
    ::kill(pid_, SIGINT);
    if (!ReapWithin(100)) {
      ::kill(pid_, SIGTERM);
      if (!ReapWithin(400)) Kill();
    }
  }
  Close();
}

bool FakeMcpClient::ReapWithin(int milliseconds) {
  for (int waited = 0; waited <= milliseconds; waited += 5) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) {
      pid_ = -1;
      return true;
    }
    ::poll(nullptr, 0, 5);
  }
  return false;
}

void FakeMcpClient::Close() {
  if (in_ >= 0) ::close(in_);
  if (out_ >= 0) ::close(out_);
  in_ = out_ = -1;
  pid_ = -1;
}

}  // namespace awf::fakes

// For tests: calls of operations, a folder with programs in place of the user's, and a GitHub on this machine.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/operation.h"
#include "domain/parse_json.h"
#include "domain/test_folder.h"
#include "infrastructure/http/test_loopback_server.h"
#include "infrastructure/operations/builtin_operations.h"

namespace awf::operations {

// A hang ends a test after this; nothing is expected to take so long.
inline constexpr std::chrono::seconds kHang{60};

inline json::object Object(std::string_view text) {
  const std::optional<json::value> value = ParseJson(text);
  EXPECT_TRUE(value && value->is_object()) << text;
  return value && value->is_object() ? value->get_object() : json::object();
}

inline OperationResult Execute(OperationProvider& provider, std::string_view operation, const json::object& inputs,
                               Deadline deadline = SteadyClock::now() + kHang, std::stop_token cancelled = {}) {
  return provider.Execute({"0123456789abcdef", operation, inputs, deadline, std::move(cancelled), "", ""});
}

inline std::string Text(const json::value& value) { return json::serialize(value); }

// Cancels once the server has a request.
inline std::jthread CancelWhenAsked(const http::LoopbackServer& server, std::stop_source& stop) {
  return std::jthread([&server, &stop] {
    while (!server.got_request) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stop.request_stop();
  });
}

// Variables and programs of a user who has none but these.
class TestUser {
 public:
  TestUser() {
    std::filesystem::create_directories(folder_ / "bin");
    variables_["PATH"] = (folder_ / "bin").string();
    variables_["HOME"] = folder_.string();
  }

  const TestFolder& folder() const { return folder_; }
  void Set(const std::string& name, const std::string& value) { variables_[name] = value; }
  // `script` is for /bin/sh, and has no PATH but that folder. What it should remember goes to "$HOME/log".
  void Install(const std::string& program, const std::string& script) {
    const std::filesystem::path file = folder_.Put("bin/" + program, "#!/bin/sh\n" + script);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  std::string Log() const { return FileText(folder_ / "log"); }

  std::function<std::optional<std::string>(std::string_view)> Variables() const {
    return [variables = variables_](std::string_view name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
  }
  BuiltinOperationSettings Settings() const { return {Variables(), folder_.path(), "deploy", {}}; }

 private:
  const TestFolder folder_;
  std::map<std::string, std::string, std::less<>> variables_;
};

// Answers what is asked for by "METHOD path", the last answer of each again and again. Everything else is a 404.
class TestGithub {
 public:
  void Answer(const std::string& request, int status, const std::string& body, const std::string& headers = {}) {
    const std::lock_guard lock(mutex_);
    answers_[request].push_back(http::Reply(status, body, headers));
  }

  std::string Url() const { return server_.Url("127.0.0.1", ""); }
  const http::LoopbackServer& server() const { return server_; }
  std::vector<std::string> Requests() const { return server_.Requests(); }
  // "POST /repos/o/r/issues {"title":"t"}" of each.
  std::vector<std::string> Asked() const {
    std::vector<std::string> asked;
    for (const std::string& request : Requests()) {
      const std::string body = request.substr(request.find("\r\n\r\n") + 4);
      asked.push_back(Line(request) + (body.empty() ? "" : " " + body));
    }
    return asked;
  }

 private:
  static std::string Line(const std::string& request) { return request.substr(0, request.find(" HTTP/1.1\r\n")); }

  void Reply(int socket, const std::string& request) {
    std::string reply = http::Reply(404, R"({"message":"Not Found"})");
    {
      const std::lock_guard lock(mutex_);
      const auto found = answers_.find(Line(request));
      if (found != answers_.end()) {
        reply = found->second.front();
        if (found->second.size() > 1) found->second.erase(found->second.begin());
      }
    }
    http::Send(socket, reply);
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> answers_;
  http::LoopbackServer server_{[this](int socket, const std::string& request) { Reply(socket, request); }};
};

// A provider for that GitHub, of a user whose gh has a token and whose working directory has a remote.
class GithubTest : public testing::Test {
 protected:
  static constexpr std::string_view kToken = "gho_test0123456789token";

  GithubTest() {
    user_.Set("GITHUB_API_URL", github_.Url());
    user_.Install("gh", "echo \"gh $*\" >> \"$HOME/log\"\necho " + std::string(kToken) + "\n");
    user_.Install("git", "echo \"git $* in $PWD\" >> \"$HOME/log\"\necho git@github.com:oct/cat.git\n");
  }

  OperationProvider& Provider() {
    if (!provider_) provider_ = MakeBuiltinOperations("github", user_.Settings());
    return *provider_;
  }
  OperationResult Run(std::string_view operation, std::string_view inputs,
                      Deadline deadline = SteadyClock::now() + kHang) {
    return Execute(Provider(), operation, Object(inputs), deadline);
  }

  TestGithub github_;
  TestUser user_;
  std::shared_ptr<OperationProvider> provider_;
};

}  // namespace awf::operations

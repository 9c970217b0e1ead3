// For tests of Session: a session with two tools, and the texts of requests and answers.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mcp/session.h"

namespace mcp {

using Lines = std::vector<std::string>;

inline constexpr std::string_view kEmptySchema = R"({"type":"object","properties":{}})";

// What the observer was told, one string each.
class Notes : public Observer {
 public:
  void ClientConnected(const Implementation& client, std::string_view version) override {
    notes.push_back("client " + client.name + " " + client.version + " " + std::string(version));
  }
  void ToolsListed(std::size_t count) override { notes.push_back("listed " + std::to_string(count)); }
  void FrameRejected(const Rejection& rejection) override {
    notes.push_back("rejected " + std::to_string(rejection.code) + " " + rejection.method + " " + rejection.id);
    last = rejection;
  }
  Lines notes;
  Rejection last;
};

// A session with two tools, a hook that repeats its arguments, and a log that is kept.
class SessionTest : public testing::Test {
 protected:
  using Hook = std::function<CallResult(CallContext&, const json::object&)>;

  SessionTest() { Start({}); }

  void Start(Options options) {
    options.observer = &notes_;
    options.log = [this](std::string_view line) { log_.emplace_back(line); };
    session_ = std::make_unique<Session>(
        Implementation{"srv", "1", ""},
        [this](CallContext& context, std::string_view tool,
               const json::object& arguments) -> std::expected<CallResult, CallError> {
          if (tool != "echo" && tool != "other") {
            return std::unexpected(
                CallError{.message = "unknown tool " + std::string(tool) + "; available: echo, other"});
          }
          if (hook_) return hook_(context, arguments);
          return CallResult{{TextContent{json::serialize(arguments)}}, false, {}};
        },
        std::move(options));
    for (const std::string name : {"echo", "other"}) {
      Tool tool;
      tool.name = name;
      tool.input_schema = json::parse({kEmptySchema.data(), kEmptySchema.size()}).as_object();
      ASSERT_TRUE(session_->Register(tool));
    }
  }

  Lines Feed(std::string_view frame) { return session_->Feed(frame); }
  // The one line that comes back.
  std::string One(std::string_view frame) {
    Lines lines = Feed(frame);
    EXPECT_EQ(lines.size(), 1U) << frame;
    return lines.empty() ? "" : lines.front();
  }

  Notes notes_;
  Lines log_;
  Hook hook_;
  std::unique_ptr<Session> session_;
};

inline std::string Request(std::string_view id, std::string_view method, std::string_view params = {}) {
  std::string frame = R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) + "\"";
  if (!params.empty()) frame.append(R"(,"params":)").append(params);
  return frame.append("}");
}

inline std::string Result(std::string_view id, std::string_view result) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"result":)" + std::string(result) + "}";
}

inline std::string ErrorAnswer(std::string_view id, int code, std::string_view message) {
  std::string line = R"({"jsonrpc":"2.0",)";
  if (!id.empty()) line.append(R"("id":)").append(id).append(",");
  return line.append(R"("error":{"code":)") + std::to_string(code) + R"(,"message":")" + std::string(message) + "\"}}";
}

inline std::string Initialize(std::string_view version) {
  return R"({"protocolVersion":")" + std::string(version) +
         R"(","capabilities":{},"clientInfo":{"name":"cli","version":"9"}})";
}

inline std::string Initialized(std::string_view version) {
  return Result("0", R"({"protocolVersion":")" + std::string(version) +
                         R"(","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"1"}})");
}

inline const std::string kToolList = R"({"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{}}},)"
                                     R"({"name":"other","inputSchema":{"type":"object","properties":{}}}]})";

}  // namespace mcp

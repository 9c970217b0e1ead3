// What goes wrong with GitHub: typed errors, tokens, rate limits, deadlines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "domain/timestamp.h"
#include "infrastructure/operations/github_answer.h"
#include "infrastructure/operations/github_client.h"
#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

using Ending = OperationResult::Ending;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

class GithubFailuresTest : public GithubTest {
 protected:
  static constexpr const char* kGet = R"({"number":7,"repo":"o/r"})";
  static constexpr const char* kGetLine = "GET /repos/o/r/issues/7";

  void Told(const OperationResult& result, std::string_view type, const std::string& text) {
    EXPECT_FALSE(result.success);
    EXPECT_EQ(result.ending, Ending::kAnswered);
    EXPECT_EQ(result.data.at("error_type"), json::value(type));
    EXPECT_EQ(result.error, std::string(type) + ": " + text);
    EXPECT_THAT(result.error + Text(result.data), Not(HasSubstr(std::string(kToken))));
  }
};

TEST_F(GithubFailuresTest, StatusesHaveTypes) {
  struct Case {
    int status;
    const char *body, *type, *text;
  };
  int number = 100;
  for (const Case& c :
       {Case{401, R"({"message":"Bad credentials"})", "auth", "GitHub refuses the token: Bad credentials"},
        Case{403, R"({"message":"Resource not accessible"})", "auth",
             "the token does not allow this: Resource not accessible"},
        Case{404, R"({"message":"Not Found"})", "not_found", "Not Found (or the token cannot see it)"},
        Case{410, R"({"message":"Issues are disabled"})", "not_found",
             "Issues are disabled (or the token cannot see it)"},
        Case{422,
             R"({"message":"Validation Failed","errors":[{"field":"labels","code":"invalid"},"x",{"message":"m"}]})",
             "invalid_field", "Validation Failed (labels: invalid; x; m)"},
        Case{400, "<html>", "invalid_field", "status 400"},
        Case{502, "<html>", "network", "GitHub answered with status 502: status 502"},
        Case{304, "", "network", "GitHub answered with status 304: status 304"},
        Case{200, "<html>", "network", "the answer of GitHub is no JSON"}}) {
    const std::string at = std::to_string(++number);
    github_.Answer("GET /repos/o/r/issues/" + at, c.status, c.body);
    Told(Run("get_issue", R"({"repo":"o/r","number":)" + at + "}"), c.type, c.text);
  }
  EXPECT_EQ(github_.Requests().size(), 9U) << "something was repeated";
}

TEST_F(GithubFailuresTest, BranchesThatAreNotThere) {
  const auto refuse = [&](const std::string& field) {
    return R"({"message":"Validation Failed","errors":[{"resource":"PullRequest","field":")" + field +
           R"(","code":"invalid"}]})";
  };
  github_.Answer("POST /repos/o/r/pulls", 422, refuse("head"));
  github_.Answer("POST /repos/o/r/pulls", 422, refuse("base"));
  github_.Answer("POST /repos/o/r/pulls", 422, refuse("title"));
  github_.Answer("POST /repos/o/r/pulls", 404, R"({"message":"Not Found"})");
  const char* inputs = R"({"repo":"o/r","title":"t","head":"feat","base":"main"})";
  Told(Run("create_pr", inputs), "branch_not_found", "head 'feat' is no branch of the repository");
  Told(Run("create_pr", inputs), "branch_not_found", "base 'main' is no branch of the repository");
  Told(Run("create_pr", inputs), "invalid_field", "Validation Failed (title: invalid)");
  Told(Run("create_pr", inputs), "not_found", "Not Found (or the token cannot see it)");
}

TEST_F(GithubFailuresTest, ListsThatAreNone) {
  github_.Answer("GET /repos/o/r/pulls?state=open&per_page=30&page=1", 200, "{}");
  Told(Run("list_pull_requests", R"({"repo":"o/r"})"), "network", "the answer of GitHub is no list");
}

TEST_F(GithubFailuresTest, RateLimitIsWaitedForOnce) {
  github_.Answer(kGetLine, 429, R"({"message":"slow down"})", "Retry-After: 0\r\n");
  github_.Answer(kGetLine, 200, R"({"number":7,"state":"open"})");
  EXPECT_TRUE(Run("get_issue", kGet).success);
  EXPECT_EQ(github_.Requests().size(), 2U);
}

TEST_F(GithubFailuresTest, RateLimitThatStaysIsTold) {
  const auto before = WallClock::now();
  github_.Answer(kGetLine, 403, R"({"message":"You have exceeded a secondary rate limit"})", "Retry-After: 1\r\n");
  const OperationResult result = Run("get_issue", kGet);
  EXPECT_EQ(github_.Requests().size(), 2U);
  const std::string until(result.data.at("reset_at").as_string());
  EXPECT_GT(until, UtcSeconds(before));
  Told(result, "rate_limit",
       "GitHub takes no more requests until " + until + ": You have exceeded a secondary rate limit");
}

TEST_F(GithubFailuresTest, LongWaitsAreNotWaited) {
  const auto reset = WallClock::to_time_t(WallClock::now()) + 3600;
  github_.Answer(kGetLine, 403, R"({"message":"API rate limit exceeded"})",
                 "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: " + std::to_string(reset) + "\r\n");
  Told(
      Run("get_issue", kGet), "rate_limit",
      "GitHub takes no more requests until " + UtcSeconds(WallClock::from_time_t(reset)) + ": API rate limit exceeded");
  EXPECT_EQ(github_.Requests().size(), 1U);
}

TEST_F(GithubFailuresTest, WaitsBeyondTheDeadlineAreNotWaited) {
  github_.Answer(kGetLine, 429, "{}", "Retry-After: 59\r\n");
  const OperationResult result = Run("get_issue", kGet, SteadyClock::now() + seconds(58));
  EXPECT_EQ(result.data.at("error_type"), "rate_limit");
  EXPECT_EQ(github_.Requests().size(), 1U);
}

TEST_F(GithubFailuresTest, AWaitIsCancelled) {
  github_.Answer(kGetLine, 429, "{}", "Retry-After: 59\r\n");
  std::stop_source stop;
  const std::jthread canceller = CancelWhenAsked(github_.server(), stop);
  const json::object inputs = Object(kGet);
  EXPECT_EQ(Execute(Provider(), "get_issue", inputs, {}, stop.get_token()).ending, Ending::kCancelled);
  EXPECT_EQ(github_.Requests().size(), 1U);
}

TEST(RateLimitEndTest, ByTheHeadersElseInAMinute) {
  const auto now = WallClock::from_time_t(1'000'000);
  const auto end = [&](long status, std::vector<http::HttpHeader> headers, std::string_view message = "no") {
    http::HttpResponse response;
    response.status = status;
    response.headers = std::move(headers);
    const auto at = RateLimitEnd(response, json::object{{"message", message}}, now);
    return at ? std::optional(WallClock::to_time_t(*at) - 1'000'000) : std::nullopt;
  };
  EXPECT_EQ(end(403, {}), std::nullopt);
  EXPECT_EQ(end(403, {{"x-ratelimit-remaining", "5"}, {"x-ratelimit-reset", "1000009"}}), std::nullopt);
  EXPECT_EQ(end(200, {{"retry-after", "5"}}), std::nullopt);
  EXPECT_EQ(end(403, {{"retry-after", "5"}}), 5);
  EXPECT_EQ(end(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1000009"}}), 9);
  EXPECT_EQ(end(429, {{"retry-after", "7"}, {"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1000009"}}), 7);
  EXPECT_EQ(end(429, {{"retry-after", "soon"}}), 60);
  EXPECT_EQ(end(403, {}, "You have exceeded a secondary Rate Limit."), 60);
  EXPECT_EQ(end(429, {{"retry-after", "9223372036854775807"}}), 365 * 24 * 3600);
  EXPECT_EQ(end(429, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "9223372036854775807"}}), 365 * 24 * 3600);
}

TEST_F(GithubFailuresTest, TokensComeFromGhElseFromVariables) {
  github_.Answer(kGetLine, 200, R"({"number":7})");
  const auto token = [&] {
    provider_.reset();
    const OperationResult result = Run("get_issue", kGet);
    if (!result.success) return result.error;
    const std::string request = github_.Requests().back();
    const std::size_t begin = request.find("Bearer ") + 7;
    return request.substr(begin, request.find("\r\n", begin) - begin);
  };
  user_.Set("GH_TOKEN", "gh-variable");
  EXPECT_EQ(token(), kToken);
  user_.Install("gh", "echo not logged in >&2\nexit 1\n");
  EXPECT_EQ(token(), "gh-variable");
  user_.Set("GITHUB_TOKEN", " github-variable\n");
  EXPECT_EQ(token(), "github-variable");
  user_.Install("gh", "echo two words\n");
  EXPECT_EQ(token(), "github-variable");
  std::filesystem::remove(user_.folder() / "bin/gh");
  EXPECT_EQ(token(), "github-variable");
  user_.Set("GITHUB_TOKEN", "");
  user_.Set("GH_TOKEN", "");
  EXPECT_EQ(token(),
            "auth: no token for GitHub: `gh auth token` gave none, and GITHUB_TOKEN is not set; run `gh auth login`");
}

TEST_F(GithubFailuresTest, TokensAreTakenOutOfWhatComesBack) {
  const std::string token(kToken);
  github_.Answer(kGetLine, 422, R"({"message":"bad )" + token + R"("})");
  EXPECT_EQ(Run("get_issue", kGet).error, "invalid_field: bad ***");
  github_.Answer("GET /repos/o/r/issues/8", 200, R"({"number":8,"title":"my )" + token + R"("})");
  EXPECT_EQ(Run("get_issue", R"({"number":8,"repo":"o/r","fields":["title"]})").data.at("title"), "my ***");
}

TEST_F(GithubFailuresTest, TokensGoOverHttpsOrToThisMachineOnly) {
  for (const auto& [url, error] :
       {std::pair("http://ghe.example/api/v3",
                  "GITHUB_API_URL must be https, as a token goes there, or http to this machine"),
        std::pair("https://user:secret@ghe.example",
                  "GITHUB_API_URL must be a plain URL, without name, password or query"),
        std::pair("https://ghe.example/?secret", "GITHUB_API_URL must be a plain URL, without name, password or query"),
        std::pair("file:///secret", "GITHUB_API_URL is no https URL")}) {
    provider_.reset();
    user_.Set("GITHUB_API_URL", url);
    Told(Run("get_issue", kGet), "auth", error);
  }
  EXPECT_EQ(user_.Log(), "");
}

TEST_F(GithubFailuresTest, TokenIsThatOfTheServer) {
  const auto asked = [&](const std::string& url) {
    user_.Set("GITHUB_API_URL", url);
    user_.Install("gh", "echo \"$*\" > \"$HOME/log\"\nexit 1\n");
    GithubClient client(user_.Variables());
    const json::object none;
    const OperationCall call{"", "", none, SteadyClock::now() + kHang, {}, "", ""};
    EXPECT_EQ(client.Get("/x", call).error().result.data.at("error_type"), "auth");
    return client.host() + ": " + user_.Log();
  };
  EXPECT_EQ(asked(""), "github.com: auth token --hostname github.com\n");
  EXPECT_EQ(asked("https://ghe.example/api/v3/"), "ghe.example: auth token --hostname ghe.example\n");
  EXPECT_EQ(asked("https://api.corp.ghe.com"), "corp.ghe.com: auth token --hostname corp.ghe.com\n");
  EXPECT_EQ(asked("https://GHE.example:8443/api/v3"), "ghe.example: auth token --hostname ghe.example\n");
  for (const char* here : {"http://127.0.0.1:1", "http://localhost", "http://[::1]:1/api"})
    EXPECT_EQ(asked(here), ": auth token\n") << here;
}

TEST_F(GithubFailuresTest, ServersThatAreNotThere) {
  user_.Set("GITHUB_API_URL", "http://127.0.0.1:1");
  const OperationResult result = Run("get_issue", kGet);
  EXPECT_EQ(result.data.at("error_type"), "network");
  EXPECT_THAT(result.error, HasSubstr("network: 127.0.0.1: "));
}

TEST_F(GithubFailuresTest, RequestsAreCancelledAndTimedOut) {
  http::LoopbackServer silent([](int socket, const std::string&) { http::WaitForClose(socket); });
  user_.Set("GITHUB_API_URL", silent.Url("127.0.0.1", ""));
  EXPECT_EQ(Run("get_issue", kGet, SteadyClock::now() + milliseconds(500)).ending, Ending::kTimeout);
  silent.got_request = false;
  std::stop_source stop;
  const std::jthread canceller = CancelWhenAsked(silent, stop);
  const json::object inputs = Object(kGet);
  EXPECT_EQ(Execute(Provider(), "get_issue", inputs, {}, stop.get_token()).ending, Ending::kCancelled);
}

TEST_F(GithubFailuresTest, QuestionsToGhAreCancelled) {
  user_.Install("gh", "echo $$ > \"$HOME/log\"\nexec /bin/sleep 300\n");
  std::stop_source stop;
  const std::jthread canceller([&] {
    const Deadline hang = SteadyClock::now() + kHang;
    while (user_.Log().empty() && !Passed(hang)) std::this_thread::sleep_for(milliseconds(2));
    stop.request_stop();
  });
  const json::object inputs = Object(kGet);
  EXPECT_EQ(Execute(Provider(), "get_issue", inputs, {}, stop.get_token()).ending, Ending::kCancelled);
  EXPECT_TRUE(github_.Requests().empty());
}

}  // namespace
}  // namespace awf::operations

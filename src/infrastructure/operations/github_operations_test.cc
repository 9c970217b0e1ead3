#include "infrastructure/operations/github_operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

using Ending = OperationResult::Ending;
using testing::ElementsAre;

constexpr const char* kIssue =
    R"({"number":7,"title":"T","body":null,"state":"open","html_url":"https://g/7","labels":[{"id":1,"name":"bug","color":"f00","description":null}]})";
constexpr const char* kPull =
    R"({"number":8,"title":"P","body":"b","state":"closed","labels":[],"head":{"ref":"feat"},"base":{"ref":"main"},"mergeable":null,"merged_at":"2026-01-02T03:04:05Z","html_url":"https://g/8","draft":false,"user":{"login":"me"},"created_at":"2026-01-01T00:00:00Z"})";

class GithubOperationsTest : public GithubTest {};

TEST_F(GithubOperationsTest, RequestsAreThoseOfTheRestApi) {
  github_.Answer("GET /repos/o/r/issues/7", 200, kIssue);
  const OperationResult result = Run("get_issue", R"({"number":7,"repo":"o/r"})");
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(Text(result.data), R"({"number":7,"title":"T","body":"","state":"OPEN",)"
                               R"("labels":[{"name":"bug","description":"","color":"f00"}]})");
  EXPECT_THAT(github_.Requests(),
              ElementsAre("GET /repos/o/r/issues/7 HTTP/1.1\r\nHost: " + github_.Url().substr(7) +
                          "\r\nUser-Agent: awf\r\nAccept: application/vnd.github+json\r\nAuthorization: Bearer " +
                          std::string(kToken) + "\r\nX-GitHub-Api-Version: 2022-11-28\r\n\r\n"));
  EXPECT_EQ(user_.Log(), "gh auth token\n");
}

TEST_F(GithubOperationsTest, RepositoryOfTheRemoteAndOneQuestionToGh) {
  github_.Answer("GET /repos/oct/cat/issues/7", 200, kIssue);
  EXPECT_TRUE(Run("get_issue", R"({"number":7})").success);
  EXPECT_TRUE(Run("get_issue", R"({"number":7,"repo":null})").success);
  const std::string git = "git remote get-url origin in " + user_.folder().string() + "\n";
  EXPECT_EQ(user_.Log(), git + "gh auth token\n" + git);
}

TEST_F(GithubOperationsTest, FieldsLimitTheOutputs) {
  github_.Answer("GET /repos/o/r/issues/7", 200, kIssue);
  EXPECT_EQ(Text(Run("get_issue", R"({"number":7,"repo":"o/r","fields":["state","number"]})").data),
            R"({"state":"OPEN","number":7})");
  EXPECT_EQ(Run("get_issue", R"({"number":7,"repo":"o/r","fields":["mergeable"]})").error,
            "invalid_field: fields must not hold 'mergeable', which is no output");
}

TEST_F(GithubOperationsTest, PullRequestsAreSpeltAsByGh) {
  github_.Answer("GET /repos/o/r/pulls/8", 200, kPull);
  github_.Answer("GET /repos/o/r/pulls/9", 200, R"({"number":9,"state":"open","mergeable":true,"merged_at":null})");
  github_.Answer("GET /repos/o/r/pulls/10", 200, R"({"number":10,"state":"closed","mergeable":false})");
  EXPECT_EQ(Text(Run("get_pr", R"({"number":8,"repo":"o/r"})").data),
            R"({"number":8,"title":"P","body":"b","state":"MERGED","labels":[],"headRefName":"feat",)"
            R"("baseRefName":"main","mergeable":"UNKNOWN","mergedAt":"2026-01-02T03:04:05Z"})");
  EXPECT_EQ(Text(Run("get_pr", R"({"number":9,"repo":"o/r","fields":["state","mergeable","mergedAt"]})").data),
            R"({"state":"OPEN","mergeable":"MERGEABLE","mergedAt":null})");
  EXPECT_EQ(Text(Run("get_pr", R"({"number":10,"repo":"o/r","fields":["state","mergeable"]})").data),
            R"({"state":"CLOSED","mergeable":"CONFLICTING"})");
}

TEST_F(GithubOperationsTest, CreatesIssues) {
  github_.Answer("POST /repos/o/r/issues", 201, kIssue);
  const OperationResult result =
      Run("create_issue", R"({"repo":"o/r","title":"T","body":"B","labels":["bug"],"assignees":["me"]})");
  EXPECT_EQ(Text(result.data), R"({"number":7,"url":"https://g/7"})");
  EXPECT_TRUE(Run("create_issue", R"({"repo":"o/r","title":"T"})").success);
  EXPECT_THAT(github_.Asked(),
              ElementsAre(R"(POST /repos/o/r/issues {"title":"T","body":"B","labels":["bug"],"assignees":["me"]})",
                          R"(POST /repos/o/r/issues {"title":"T"})"));
  EXPECT_NE(github_.Requests().at(0).find("\r\nContent-Type: application/json\r\n"), std::string::npos);
}

TEST_F(GithubOperationsTest, CreatesPullRequests) {
  github_.Answer("POST /repos/o/r/pulls", 201, kPull);
  const OperationResult result =
      Run("create_pr", R"({"repo":"o/r","title":"P","head":"feat","base":"main","body":"b","draft":true})");
  EXPECT_EQ(Text(result.data), R"({"number":8,"url":"https://g/8","already_exists":false})");
  EXPECT_THAT(
      github_.Asked(),
      ElementsAre(R"(POST /repos/o/r/pulls {"title":"P","head":"feat","base":"main","body":"b","draft":true})"));
}

TEST_F(GithubOperationsTest, PullRequestThatExistsIsTold) {
  github_.Answer("POST /repos/o/r/pulls", 422,
                 R"({"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom",)"
                 R"("message":"A pull request already exists for o:feat/a."}]})");
  github_.Answer("GET /repos/o/r/pulls?state=open&head=o%3Afeat%2Fa&base=main&per_page=1&page=1", 200,
                 std::string("[") + kPull + "]");
  const OperationResult result = Run("create_pr", R"({"repo":"o/r","title":"P","head":"feat/a","base":"main"})");
  EXPECT_TRUE(result.success) << result.error;
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(Text(result.data), R"({"number":8,"url":"https://g/8","already_exists":true})");
}

TEST_F(GithubOperationsTest, LabelsAndComments) {
  github_.Answer("POST /repos/o/r/issues/7/labels", 200, R"([{"name":"a","color":"1","description":"d"}])");
  github_.Answer("POST /repos/o/r/issues/7/comments", 201, R"({"id":99,"html_url":"https://g/7#c"})");
  EXPECT_EQ(Text(Run("add_labels", R"({"repo":"o/r","number":7,"labels":["a","b"]})").data),
            R"({"labels":[{"name":"a","description":"d","color":"1"}]})");
  for (const char* operation : {"add_comment", "add_comment_to_pr"}) {
    EXPECT_EQ(Text(Run(operation, R"({"repo":"o/r","number":7,"body":"hi"})").data),
              R"({"comment_id":99,"url":"https://g/7#c"})");
  }
  const std::string comment = R"(POST /repos/o/r/issues/7/comments {"body":"hi"})";
  EXPECT_THAT(github_.Asked(),
              ElementsAre(R"(POST /repos/o/r/issues/7/labels {"labels":["a","b"]})", comment, comment));
}

// Objects with those numbers.
std::string Page(int first, int last) {
  json::array page;
  for (int number = first; number <= last; ++number) page.push_back(json::object{{"id", number}, {"number", number}});
  return json::serialize(page);
}

TEST_F(GithubOperationsTest, ListsComments) {
  github_.Answer("GET /repos/o/r/issues/7/comments?per_page=30&page=1", 200,
                 R"([{"id":5,"user":{"login":"me"},"body":"b","created_at":"2026-01-01T00:00:00Z","html_url":"u"}])");
  EXPECT_EQ(Text(Run("list_comments", R"({"repo":"o/r","number":7})").data),
            R"({"comments":[{"id":5,"author":{"login":"me"},"body":"b","createdAt":"2026-01-01T00:00:00Z","url":"u"}],)"
            R"("total":1})");
}

TEST_F(GithubOperationsTest, ListsGoOverPagesUpToTheLimit) {
  github_.Answer("GET /repos/o/r/issues/7/comments?per_page=100&page=1", 200, Page(1, 100));
  github_.Answer("GET /repos/o/r/issues/7/comments?per_page=100&page=2", 200, Page(101, 200));
  github_.Answer("GET /repos/o/r/issues/7/comments?per_page=100&page=3", 200, Page(201, 230));
  const OperationResult some = Run("list_comments", R"({"repo":"o/r","number":7,"limit":150})");
  EXPECT_EQ(some.data.at("total"), 150);
  EXPECT_EQ(some.data.at("comments").as_array().back().at("id"), 150);
  EXPECT_EQ(github_.Requests().size(), 2U);
  EXPECT_EQ(Run("list_comments", R"({"repo":"o/r","number":7,"limit":1000})").data.at("total"), 230);
  EXPECT_EQ(github_.Requests().size(), 5U);
  EXPECT_EQ(Run("list_comments", R"({"repo":"o/r","number":7,"limit":1001})").error,
            "invalid_field: limit must be an integer from 1 to 1000");
}

TEST_F(GithubOperationsTest, ListsPullRequests) {
  github_.Answer("GET /repos/o/r/pulls?state=open&per_page=30&page=1", 200, std::string("[") + kPull + "]");
  github_.Answer("GET /repos/o/r/pulls?state=all&head=o%3Ax%20y&base=main&per_page=2&page=1", 200, "[]");
  github_.Answer("GET /repos/o/r/pulls?state=closed&head=fork%3Ax&per_page=30&page=1", 200, "[]");
  EXPECT_EQ(Text(Run("list_pull_requests", R"({"repo":"o/r"})").data),
            R"({"pull_requests":[{"number":8,"title":"P","state":"MERGED","headRefName":"feat","baseRefName":"main",)"
            R"("isDraft":false,"url":"https://g/8","author":{"login":"me"},"createdAt":"2026-01-01T00:00:00Z"}],)"
            R"("total":1})");
  EXPECT_EQ(
      Text(Run("list_pull_requests", R"({"repo":"o/r","state":"all","head":"x y","base":"main","limit":2})").data),
      R"({"pull_requests":[],"total":0})");
  EXPECT_TRUE(Run("list_pull_requests", R"({"repo":"o/r","state":"closed","head":"fork:x"})").success);
  EXPECT_EQ(Run("list_pull_requests", R"({"repo":"o/r","state":"merged"})").error,
            "invalid_field: state must be one of open, closed, all");
}

TEST_F(GithubOperationsTest, BadInputsAreRefusedBeforeAnythingIsAsked) {
  EXPECT_EQ(Run("get_issue", "{}").error, "invalid_field: number is required");
  EXPECT_EQ(Run("get_issue", R"({"number":0})").error,
            "invalid_field: number must be an integer from 1 to 1000000000000");
  EXPECT_EQ(Run("get_issue", R"({"number":1,"repo":"o/r/../x"})").error, "invalid_field: repo must be owner/name");
  EXPECT_EQ(Run("create_issue", R"({"repo":"o/r","body":"b"})").error, "invalid_field: title is required");
  EXPECT_EQ(Run("create_pr", R"({"repo":"o/r","title":"t","head":"h"})").error, "invalid_field: base is required");
  EXPECT_EQ(Run("add_labels", R"({"repo":"o/r","number":1,"labels":[]})").error, "invalid_field: labels is empty");
  EXPECT_EQ(Run("add_comment", R"({"repo":"o/r","number":1,"body":""})").error, "invalid_field: body is empty");
  EXPECT_EQ(Run("merge", "{}").error, "invalid_field: github has no operation 'merge'");
  EXPECT_TRUE(github_.Requests().empty());
  EXPECT_EQ(user_.Log(), "");
}

}  // namespace
}  // namespace awf::operations

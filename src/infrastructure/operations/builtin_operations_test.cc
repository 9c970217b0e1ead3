#include "infrastructure/operations/builtin_operations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "infrastructure/operations/test_operations.h"

namespace awf::operations {
namespace {

using testing::ElementsAre;

// "name(input:type*, …) -> output:type, …" of each.
std::vector<std::string> Declared(std::string_view plugin) {
  const auto provider = MakeBuiltinOperations(plugin, TestUser().Settings());
  EXPECT_EQ(provider->Name(), plugin);
  std::vector<std::string> lines;
  for (const Operation& operation : provider->Operations()) {
    EXPECT_FALSE(operation.description.empty());
    std::string inputs, outputs;
    for (const OperationInput& input : operation.inputs)
      inputs += (inputs.empty() ? "" : ", ") + input.name + ":" + input.type + (input.required ? "*" : "");
    for (const OperationOutput& output : operation.outputs)
      outputs += (outputs.empty() ? "" : ", ") + output.name + ":" + output.type;
    lines.push_back(operation.name + "(" + inputs + ") -> " + outputs);
  }
  return lines;
}

TEST(BuiltinOperationsTest, ThreePlugins) {
  EXPECT_THAT(BuiltinPlugins(), ElementsAre("github", "http", "notify"));
  EXPECT_EQ(MakeBuiltinOperations("kubernetes", TestUser().Settings()), nullptr);
  EXPECT_EQ(MakeBuiltinOperations("", TestUser().Settings()), nullptr);
}

TEST(BuiltinOperationsTest, Http) {
  EXPECT_THAT(Declared("http"),
              ElementsAre("request(url:string*, method:string, headers:object, body:string, timeout:number, "
                          "retryable_status_codes:array) -> status_code:integer, body:string, headers:object, "
                          "body_truncated:boolean"));
}

TEST(BuiltinOperationsTest, Notify) {
  const std::string outputs = " -> backend:string, status:string, response:string";
  EXPECT_THAT(
      Declared("notify"),
      ElementsAre("send(message:string*, backend:string*, webhook_url:string, title:string, priority:string)" + outputs,
                  "send_webhook(message:string*, title:string, priority:string, webhook_url:string*)" + outputs,
                  "send_slack(message:string*, title:string, priority:string, webhook_url:string*)" + outputs,
                  "send_email(smtp_url:string*, from:string*, to:array*, message:string*, title:string)" + outputs));
}

TEST(BuiltinOperationsTest, Github) {
  const std::string issue = " -> number:integer, title:string, body:string, state:string, labels:array";
  EXPECT_THAT(
      Declared("github"),
      ElementsAre(
          "get_issue(number:integer*, fields:array, repo:string)" + issue,
          "get_pr(number:integer*, fields:array, repo:string)" + issue +
              ", headRefName:string, baseRefName:string, mergeable:string, mergedAt:string",
          "create_issue(title:string*, body:string, labels:array, assignees:array, repo:string) -> number:integer, "
          "url:string",
          "create_pr(title:string*, head:string*, base:string*, body:string, draft:boolean, repo:string) -> "
          "number:integer, url:string, already_exists:boolean",
          "add_labels(number:integer*, labels:array*, repo:string) -> labels:array",
          "add_comment(number:integer*, body:string*, repo:string) -> comment_id:integer, url:string",
          "add_comment_to_pr(number:integer*, body:string*, repo:string) -> comment_id:integer, url:string",
          "list_comments(number:integer*, limit:integer, repo:string) -> comments:array, total:integer",
          "list_pull_requests(state:string, head:string, base:string, limit:integer, repo:string) -> "
          "pull_requests:array, total:integer",
          "batch(operations:array*, strategy:string, concurrency:integer) -> total:integer, succeeded:integer, "
          "failed:integer, results:array"));
}

}  // namespace
}  // namespace awf::operations

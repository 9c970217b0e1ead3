#include <string>

#include "infrastructure/operations/declaration.h"
#include "infrastructure/operations/github_actions.h"

namespace awf::operations {
namespace {

OperationInput Number(const std::string& what) { return Required("number", "integer", "of the " + what); }
OperationInput Fields() { return Optional("fields", "array", "names of outputs; the others are left out"); }
OperationInput Limit() { return Optional("limit", "integer", "at most so many, from 1 to 1000", "30"); }

std::vector<OperationOutput> IssueOutputs() {
  return {{"number", "integer", ""},
          {"title", "string", ""},
          {"body", "string", ""},
          {"state", "string", "OPEN or CLOSED"},
          {"labels", "array", "objects with name, description, color"}};
}

std::vector<OperationOutput> PullRequestOutputs() {
  std::vector<OperationOutput> outputs = IssueOutputs();
  outputs[3].description = "OPEN, CLOSED or MERGED";
  outputs.push_back({"headRefName", "string", "branch with the changes"});
  outputs.push_back({"baseRefName", "string", "branch that they are for"});
  outputs.push_back({"mergeable", "string", "MERGEABLE, CONFLICTING or UNKNOWN"});
  outputs.push_back({"mergedAt", "string", "time, or null"});
  return outputs;
}

std::vector<OperationOutput> CommentOutputs() {
  return {{"comment_id", "integer", ""}, {"url", "string", "of its page"}};
}

std::vector<Operation> OfRepositories() {
  return {
      {"get_issue", "Reads an issue.", {Number("issue"), Fields()}, IssueOutputs()},
      {"get_pr", "Reads a pull request.", {Number("pull request"), Fields()}, PullRequestOutputs()},
      {"create_issue",
       "Creates an issue.",
       {Required("title", "string", ""), Optional("body", "string", "Markdown"),
        Optional("labels", "array", "names of labels"), Optional("assignees", "array", "logins")},
       {{"number", "integer", ""}, {"url", "string", "of its page"}}},
      {"create_pr",
       "Creates a pull request, or tells the open one of the same branches.",
       {Required("title", "string", ""),
        Required("head", "string", "branch with the changes, or OWNER:BRANCH of a fork"),
        Required("base", "string", "branch that they are for"), Optional("body", "string", "Markdown"),
        Optional("draft", "boolean", "", "false")},
       {{"number", "integer", ""},
        {"url", "string", "of its page"},
        {"already_exists", "boolean", "true: it was open already, and nothing was created"}}},
      {"add_labels",
       "Adds labels to an issue or a pull request.",
       {Number("issue or pull request"), Required("labels", "array", "names of labels")},
       {{"labels", "array", "all that it has now: objects with name, description, color"}}},
      {"add_comment",
       "Comments on an issue.",
       {Number("issue"), Required("body", "string", "Markdown")},
       CommentOutputs()},
      {"add_comment_to_pr",
       "Comments on a pull request.",
       {Number("pull request"), Required("body", "string", "Markdown")},
       CommentOutputs()},
      {"list_comments",
       "Lists the comments of an issue or a pull request, oldest first.",
       {Number("issue or pull request"), Limit()},
       {{"comments", "array", "objects with id, author, body, createdAt, url"},
        {"total", "integer", "how many are listed"}}},
      {"list_pull_requests",
       "Lists pull requests, newest first.",
       {Optional("state", "string", "open, closed, all", "open"),
        Optional("head", "string", "only from this branch, or OWNER:BRANCH of a fork"),
        Optional("base", "string", "only for this branch"), Limit()},
       {{"pull_requests", "array",
         "objects with number, title, state, headRefName, baseRefName, isDraft, url, author, createdAt"},
        {"total", "integer", "how many are listed"}}},
  };
}

Operation Batch() {
  return {"batch",
          "Runs several operations of github.",
          {Required("operations", "array",
                    "objects {name, inputs}, or inputs beside the name; at most 100, not batch itself"),
           Optional("strategy", "string",
                    "best_effort: all run, and it succeeds; all_succeed: the first failure stops it; any_succeed: the "
                    "first success stops it",
                    "best_effort"),
           Optional("concurrency", "integer", "how many run at the same time, from 1 to 16", "3")},
          {{"total", "integer", ""},
           {"succeeded", "integer", ""},
           {"failed", "integer", "without those that were not run"},
           {"results", "array",
            "in the order of the operations: objects with name, success, outputs, error, error_type, skipped"}}};
}

}  // namespace

std::vector<Operation> GithubDeclarations() {
  std::vector<Operation> operations = OfRepositories();
  for (Operation& operation : operations) {
    operation.inputs.push_back(
        Optional("repo", "string", "owner/name; default: the git remote origin of the working directory"));
  }
  operations.push_back(Batch());
  return operations;
}

}  // namespace awf::operations

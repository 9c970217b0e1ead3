#include "infrastructure/operations/github_actions.h"

#include <algorithm>
#include <array>
#include <expected>
#include <string>
#include <utility>

#include "infrastructure/operations/call_inputs.h"
#include "infrastructure/operations/github_answer.h"
#include "infrastructure/operations/github_repository.h"
#include "infrastructure/operations/github_values.h"
#include "infrastructure/operations/operation_failure.h"

namespace awf::operations {
namespace {

constexpr std::int64_t kLargestNumber = 1'000'000'000'000;
constexpr std::int64_t kMostListed = 1000, kUsuallyListed = 30;

OperationResult Answered(json::object data) {
  OperationResult result;
  result.success = true;
  result.data = std::move(data);
  return result;
}

// One call: its inputs, and where it leads once they are in order.
class Action {
 public:
  Action(const OperationCall& call, const GithubPlace& place) : inputs(call.inputs), call_(call), place_(place) {}

  // After all inputs were read. False: refusal() is the result.
  bool Ready() {
    std::string repository = inputs.Text("repo");
    if (!repository.empty() && !IsRepository(repository)) inputs.Fault("repo", "must be owner/name");
    if (!inputs.fault().empty()) return Refuse(Refused(kInvalidField, inputs.fault()));
    if (repository.empty()) {
      auto found = RepositoryOfOrigin(place_.working_dir, place_.client.host(), place_.variables, call_);
      if (!found) return Refuse(std::move(found.error()));
      repository = std::move(*found);
    }
    owner_ = repository.substr(0, repository.find('/'));
    root_ = "/repos/" + repository;
    return true;
  }
  OperationResult refusal() { return std::move(refusal_); }

  std::int64_t Number() { return inputs.Integer("number", 1, kLargestNumber, CallInputs::kRequired).value_or(0); }
  std::size_t Limit() {
    return static_cast<std::size_t>(inputs.Integer("limit", 1, kMostListed).value_or(kUsuallyListed));
  }
  // As filters want it: OWNER:BRANCH.
  std::string WithOwner(const std::string& branch) const {
    return branch.find(':') == std::string::npos ? owner_ + ":" + branch : branch;
  }

  auto Get(const std::string& path) { return place_.client.Get(root_ + path, call_); }
  auto Post(const std::string& path, const json::object& body) {
    return place_.client.Send("POST", root_ + path, body, call_);
  }
  auto List(const std::string& path, std::size_t limit) { return place_.client.List(root_ + path, limit, call_); }

  CallInputs inputs;

 private:
  bool Refuse(OperationResult result) {
    refusal_ = std::move(result);
    return false;
  }

  const OperationCall& call_;
  const GithubPlace& place_;
  std::string owner_, root_;
  OperationResult refusal_;
};

std::string Issue(std::int64_t number) { return "/issues/" + std::to_string(number); }

// Reads one thing and gives the fields of it that were asked for.
OperationResult Read(Action& action, const std::string& folder, json::object (*value_of)(const json::value&)) {
  const std::int64_t number = action.Number();
  const std::vector<std::string> fields = action.inputs.Texts("fields");
  const json::object known = value_of(nullptr);
  for (const std::string& field : fields) {
    if (!known.contains(field)) action.inputs.Fault("fields", "must not hold '" + field + "', which is no output");
  }
  if (!action.Ready()) return action.refusal();
  auto answer = action.Get(folder + std::to_string(number));
  if (!answer) return std::move(answer.error().result);
  json::object value = value_of(*answer);
  if (fields.empty()) return Answered(std::move(value));
  json::object chosen;
  for (const std::string& field : fields) chosen[field] = std::move(value[field]);
  return Answered(std::move(chosen));
}

OperationResult GetIssue(const OperationCall& call, const GithubPlace& place) {
  Action action(call, place);
  return Read(action, "/issues/", IssueValue);
}

OperationResult GetPullRequest(const OperationCall& call, const GithubPlace& place) {
  Action action(call, place);
  return Read(action, "/pulls/", PullRequestValue);
}

json::array Names(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

OperationResult CreateIssue(const OperationCall& call, const GithubPlace& place) {
  Action action(call, place);
  json::object body{{"title", action.inputs.Text("title", CallInputs::kRequired)}};
  if (action.inputs.Has("body")) body["body"] = action.inputs.Text("body");
  if (action.inputs.Has("labels")) body["labels"] = Names(action.inputs.Texts("labels"));
  if (action.inputs.Has("assignees")) body["assignees"] = Names(action.inputs.Texts("assignees"));
  if (!action.Ready()) return action.refusal();
  auto answer = action.Post("/issues", body);
  if (!answer) return std::move(answer.error().result);
  return Answered({{"number", Member(*answer, "number")}, {"url", TextOf(*answer, "html_url")}});
}

json::object PullRequestPlace(const json::value& pull, bool already_exists) {
  return {{"number", Member(pull, "number")}, {"url", TextOf(pull, "html_url")}, {"already_exists", already_exists}};
}

OperationResult CreatePullRequest(const OperationCall& call, const GithubPlace& place) {
  Action action(call, place);
  const std::string head = action.inputs.Text("head", CallInputs::kRequired);
  const std::string base = action.inputs.Text("base", CallInputs::kRequired);
  json::object body{{"title", action.inputs.Text("title", CallInputs::kRequired)}, {"head", head}, {"base", base}};
  if (action.inputs.Has("body")) body["body"] = action.inputs.Text("body");
  if (action.inputs.Flag("draft")) body["draft"] = true;
  if (!action.Ready()) return action.refusal();
  auto answer = action.Post("/pulls", body);
  if (answer) return Answered(PullRequestPlace(*answer, false));
  GithubRefusal& refusal = answer.error();
  constexpr long kUnprocessable = 422;
  if (refusal.status != kUnprocessable) return std::move(refusal.result);
  for (const auto& [field, branch] : {std::pair("head", head), std::pair("base", base)}) {
    if (HasFieldError(refusal.body, field, "invalid")) {
      return Refused(kBranchNotFound, std::string(field) + " '" + branch + "' is no branch of the repository");
    }
  }
  if (refusal.result.error.find("already exists") == std::string::npos) return std::move(refusal.result);
  auto open = action.List(
      "/pulls?state=open&head=" + PercentEncoded(action.WithOwner(head)) + "&base=" + PercentEncoded(base), 1);
  if (!open) return std::move(open.error().result);
  if (open->empty()) return std::move(refusal.result);
  return Answered(PullRequestPlace(open->front(), true));
}

OperationResult AddLabels(const OperationCall& call, const GithubPlace& place) {
  Action action(call, place);
  const std::int64_t number = action.Number();
  const json::object body{{"labels", Names(action.inputs.Texts("labels", CallInputs::kRequired))}};
  if (!action.Ready()) return action.refusal();
  auto answer = action.Post(Issue(number) + "/labels", body);
  if (!answer) return std::move(answer.error().result);
  return Answered({{"labels", LabelValues(*answer)}});
}

// To GitHub the conversation of a pull request is that of an issue with the same number.
OperationResult AddComment(const OperationCall& call, const GithubPlace& place) {
  Action action(call, place);
  const std::int64_t number = action.Number();
  const json::object body{{"body", action.inputs.Text("body", CallInputs::kRequired)}};
  if (!action.Ready()) return action.refusal();
  auto answer = action.Post(Issue(number) + "/comments", body);
  if (!answer) return std::move(answer.error().result);
  return Answered({{"comment_id", Member(*answer, "id")}, {"url", TextOf(*answer, "html_url")}});
}

OperationResult Listed(std::string_view name, const std::expected<json::array, GithubRefusal>& answer,
                       json::object (*value_of)(const json::value&)) {
  if (!answer) return answer.error().result;
  json::array values;
  for (const json::value& value : *answer) values.push_back(value_of(value));
  const std::size_t total = values.size();
  return Answered({{name, std::move(values)}, {"total", total}});
}

OperationResult ListComments(const OperationCall& call, const GithubPlace& place) {
  Action action(call, place);
  const std::int64_t number = action.Number();
  const std::size_t limit = action.Limit();
  if (!action.Ready()) return action.refusal();
  return Listed("comments", action.List(Issue(number) + "/comments?", limit), CommentValue);
}

OperationResult ListPullRequests(const OperationCall& call, const GithubPlace& place) {
  constexpr std::array<std::string_view, 3> kStates = {"open", "closed", "all"};
  Action action(call, place);
  const std::size_t limit = action.Limit();
  const std::string head = action.inputs.Text("head"), base = action.inputs.Text("base");
  std::string path = "/pulls?state=" + action.inputs.Word("state", kStates, "open");
  if (!action.Ready()) return action.refusal();
  if (!head.empty()) path += "&head=" + PercentEncoded(action.WithOwner(head));
  if (!base.empty()) path += "&base=" + PercentEncoded(base);
  return Listed("pull_requests", action.List(path, limit), ListedPullRequest);
}

}  // namespace

GithubAction FindGithubAction(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, GithubAction>, 9> kActions = {{
      {"get_issue", GetIssue},
      {"get_pr", GetPullRequest},
      {"create_issue", CreateIssue},
      {"create_pr", CreatePullRequest},
      {"add_labels", AddLabels},
      {"add_comment", AddComment},
      {"add_comment_to_pr", AddComment},
      {"list_comments", ListComments},
      {"list_pull_requests", ListPullRequests},
  }};
  const auto* found = std::ranges::find(kActions, name, &std::pair<std::string_view, GithubAction>::first);
  return found == kActions.end() ? nullptr : found->second;
}

}  // namespace awf::operations

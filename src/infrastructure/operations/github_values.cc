#include "infrastructure/operations/github_values.h"

#include <string>

#include "infrastructure/operations/call_inputs.h"

namespace awf::operations {
namespace {

json::object Author(const json::value& value) { return {{"login", TextOf(Member(value, "user"), "login")}}; }

std::string StateOf(const json::value& value) {
  if (!Member(value, "merged_at").is_null()) return "MERGED";
  return TextOf(value, "state") == "open" ? "OPEN" : "CLOSED";
}

// GitHub works it out in the background: null until then.
std::string MergeableOf(const json::value& pull) {
  const bool* mergeable = Member(pull, "mergeable").if_bool();
  if (mergeable == nullptr) return "UNKNOWN";
  return *mergeable ? "MERGEABLE" : "CONFLICTING";
}

}  // namespace

json::object IssueValue(const json::value& issue) {
  return {{"number", Member(issue, "number")},
          {"title", TextOf(issue, "title")},
          {"body", TextOf(issue, "body")},
          {"state", TextOf(issue, "state") == "open" ? "OPEN" : "CLOSED"},
          {"labels", LabelValues(Member(issue, "labels"))}};
}

json::object PullRequestValue(const json::value& pull) {
  json::object value = IssueValue(pull);
  value["state"] = StateOf(pull);
  value["headRefName"] = TextOf(Member(pull, "head"), "ref");
  value["baseRefName"] = TextOf(Member(pull, "base"), "ref");
  value["mergeable"] = MergeableOf(pull);
  value["mergedAt"] = Member(pull, "merged_at");
  return value;
}

json::object ListedPullRequest(const json::value& pull) {
  const bool* draft = Member(pull, "draft").if_bool();
  return {{"number", Member(pull, "number")},
          {"title", TextOf(pull, "title")},
          {"state", StateOf(pull)},
          {"headRefName", TextOf(Member(pull, "head"), "ref")},
          {"baseRefName", TextOf(Member(pull, "base"), "ref")},
          {"isDraft", draft != nullptr && *draft},
          {"url", TextOf(pull, "html_url")},
          {"author", Author(pull)},
          {"createdAt", Member(pull, "created_at")}};
}

json::object CommentValue(const json::value& comment) {
  return {{"id", Member(comment, "id")},
          {"author", Author(comment)},
          {"body", TextOf(comment, "body")},
          {"createdAt", Member(comment, "created_at")},
          {"url", TextOf(comment, "html_url")}};
}

json::array LabelValues(const json::value& labels) {
  json::array values;
  const json::array* array = labels.if_array();
  if (array == nullptr) return values;
  for (const json::value& label : *array) {
    values.push_back(json::object{{"name", TextOf(label, "name")},
                                  {"description", TextOf(label, "description")},
                                  {"color", TextOf(label, "color")}});
  }
  return values;
}

}  // namespace awf::operations

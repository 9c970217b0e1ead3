// GitHub's REST values as `gh --json` spells them: OPEN, MERGED, MERGEABLE, headRefName. Pure, thread-safe.
#pragma once

#include "domain/json.h"

namespace awf::operations {

// number, title, body, state, labels
json::object IssueValue(const json::value& issue);
// These and headRefName, baseRefName, mergeable, mergedAt.
json::object PullRequestValue(const json::value& pull);
// number, title, state, headRefName, baseRefName, isDraft, url, author, createdAt
json::object ListedPullRequest(const json::value& pull);
// id, author, body, createdAt, url
json::object CommentValue(const json::value& comment);
// name, description, color of each
json::array LabelValues(const json::value& labels);

}  // namespace awf::operations

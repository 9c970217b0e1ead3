// A list or map as a workflow holds it, with the templates in it rendered. Pure but for `render`.
#pragma once

#include <expected>
#include <functional>
#include <map>
#include <string>

#include "domain/error.h"
#include "domain/json.h"
#include "domain/workflow.h"

namespace awf {

using RenderedText = std::function<std::expected<json::value, Error>(const TemplateText&, const std::string& path)>;

// A copy of `value`, which stands at `path` of what holds it: for each string that `templates` names by its path
// ("env[0].name") stands what `render` gives. The first error ends it.
std::expected<json::value, Error> RenderedJson(const json::value& value,
                                               const std::map<std::string, TemplateText>& templates,
                                               const std::string& path, const RenderedText& render);

}  // namespace awf

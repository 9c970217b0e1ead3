#include "infrastructure/operations/variable_text.h"

namespace awf::operations {

std::expected<std::string, std::string> WithVariables(
    std::string_view text, const std::function<std::optional<std::string>(std::string_view)>& variables) {
  std::string replaced;
  for (;;) {
    const std::size_t begin = text.find("${");
    const std::size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
    replaced.append(text.substr(0, end == std::string_view::npos ? end : begin));
    if (end == std::string_view::npos) return replaced;
    const std::string_view name = text.substr(begin + 2, end - begin - 2);
    const std::optional<std::string> value = variables(name);
    if (!value || value->empty()) {
      return std::unexpected("the environment variable " + std::string(name) + " is not set");
    }
    replaced += *value;
    text.remove_prefix(end + 1);
  }
}

}  // namespace awf::operations

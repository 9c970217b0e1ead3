// Texts of the configuration with ${NAME} in them. Pure, thread-safe.
#pragma once

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace awf::operations {

// Each ${NAME} replaced with the variable's value, which is not looked at again. The error is a sentence that names the
// variable that is not set, or is empty; never a value.
std::expected<std::string, std::string> WithVariables(
    std::string_view text, const std::function<std::optional<std::string>(std::string_view)>& variables);

}  // namespace awf::operations

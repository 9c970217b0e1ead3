// EditText: what Edit does to the bytes of a file, without the file. Pure and thread-safe; the fuzz target calls it.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "domain/regex.h"

namespace awf::builtins {

struct EditRequest {
  std::string_view old_string, new_string;
  bool replace_all = false;
  bool regex = false;
};

struct EditedText {
  std::string bytes;    // the whole new file
  std::string summary;  // "1 replacement (line 2)"
};

inline constexpr std::size_t kEditLimit = 32U << 20;        // bytes of a file
inline constexpr std::size_t kEditResultLimit = 64U << 20;  // bytes of what comes out

// The new bytes, or the error's text. `shown` is the file's name in it. old_string is not empty and differs from
// new_string.
std::expected<EditedText, std::string> EditText(std::string_view bytes, const EditRequest& request,
                                                std::string_view shown, const RegexCompiler& compiler);

}  // namespace awf::builtins

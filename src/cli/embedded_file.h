// EmbeddedFile: a file of the project that is part of the program (cmake/AwfEmbed.cmake).
#pragma once

#include <string_view>

namespace awf::cli {

struct EmbeddedFile {
  std::string_view path;  // relative
  std::string_view contents;
};

}  // namespace awf::cli

# awf_embed(HEADER BASE file...): a header with the files as constants, kEmbeddedFiles[] = {relative path, contents}.
# The files stay ordinary files of the project, and the program needs none of them at run time.
function(awf_embed header base)
  set(entries "")
  foreach(file IN LISTS ARGN)
    file(READ ${base}/${file} contents)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${base}/${file})
    string(APPEND entries "    {\"${file}\", R\"embedded(${contents})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${header} CONTENT [=[
// Made by CMake from the files named below. Do not edit.
#pragma once

#include <string_view>

namespace awf::cli {

struct EmbeddedFile {
  std::string_view path;
  std::string_view contents;
};

inline constexpr EmbeddedFile kEmbeddedFiles[] = {
@entries@};

}  // namespace awf::cli
]=] @ONLY)
endfunction()

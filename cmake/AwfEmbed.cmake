# awf_embed(HEADER NAME BASE file...): a header with the files as constants, NAME[] = {relative path, contents}.
# The files stay ordinary files of the project, and the program needs none of them at run time.
function(awf_embed header name base)
  set(entries "")
  foreach(file IN LISTS ARGN)
    file(READ ${base}/${file} contents)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${base}/${file})
    string(APPEND entries "    {\"${file}\", R\"embedded(${contents})embedded\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${header} CONTENT [=[
// Made by CMake from the files named below. Do not edit.
#pragma once

#include "cli/embedded_file.h"

namespace awf::cli {

inline constexpr EmbeddedFile @name@[] = {
@entries@};

}  // namespace awf::cli
]=] @ONLY)
endfunction()

# Language, warnings, sanitizers, linker: what holds for every target of the project.
set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(AWF_CCACHE ccache)
  if(AWF_CCACHE)
    # The sloppiness is what ccache needs to cache compilations that use a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${AWF_CCACHE})
  endif()
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-Winvalid-pch -fpch-preprocess)
else()
  # clang builds the fuzz targets only; libstdc++ 12 uses std::get_temporary_buffer inside its own algorithms.
  add_compile_options(-Wno-deprecated-declarations)
endif()
# One setting for libraries (all static) and programs, so that they can share precompiled headers.
add_compile_options(-fPIE)
add_link_options(-pie)
add_link_options(-Wl,--gc-sections -Wl,--as-needed)

if(AWF_SANITIZE)
  add_compile_options(-fsanitize=${AWF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${AWF_SANITIZE})
  if(AWF_SANITIZE MATCHES undefined AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Checks of every access, which ASan makes, too, or x86 does not need. Each has a record that is relocated at the start
    # of every process: with them a start takes twice as long, and the tests start thousands. The fuzz targets have them.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  if(AWF_SANITIZE STREQUAL thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # Boost.Asio uses a fence, which ThreadSanitizer does not see; we use none. With the instrumentation g++ 12 also raises
    # false alarms about std::string's own buffer. All other presets build with -Werror.
    add_compile_options(-Wno-tsan -Wno-error)
  endif()
endif()
if(AWF_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
if(AWF_STATIC)
  add_link_options(-static-libstdc++ -static-libgcc)
else()
  find_program(AWF_MOLD mold)
  if(AWF_MOLD)
    add_link_options(-fuse-ld=mold)
  endif()
endif()

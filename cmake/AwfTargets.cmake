# All tests that are also run under ThreadSanitizer.
add_custom_target(race_tests)

# awf_layer(NAME [DEPENDS target...] [RACE]): a static library of all *.cc in this folder, and the executable NAME_test of all
# *_test.cc beside them. What a layer may include is what it links.
function(awf_layer name)
  cmake_parse_arguments(ARG "RACE" "" "DEPENDS;TEST_DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
    awf_precompile(${name})
    awf_unity(${name} ${sources})
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(${name} INTERFACE ${ARG_DEPENDS})
  endif()
  if(AWF_TESTS AND tests)
    if(ARG_RACE)
      set(race RACE)
    endif()
    awf_test(${name}_test ${race} SOURCES ${tests} DEPENDS ${name} ${ARG_TEST_DEPENDS})
  endif()
endfunction()

# What tests, as against what is tested, is compiled for speed in the sanitizer and coverage builds: without optimising,
# without UBSan (of a test that does wrong itself, ASan tells enough), without counters. Takes a third of the time away.
function(awf_testing_code target)
  if(AWF_SANITIZE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0> -fno-sanitize=undefined)
  endif()
  if(AWF_COVERAGE)
    target_compile_options(${target} PRIVATE -fno-profile-arcs -fno-test-coverage)
  endif()
endfunction()

# awf_test(NAME SOURCES file... [DEPENDS target...] [LABELS label...] [ENVIRONMENT NAME=VALUE...] [NEEDS_AWF] [RACE]): a GoogleTest executable, each
# of its tests known to ctest. NEEDS_AWF hands the path of the awf program over in AWF_PROGRAM. RACE marks those that
# `make test-race` runs.
function(awf_test name)
  cmake_parse_arguments(ARG "NEEDS_AWF;RACE" "TIMEOUT" "SOURCES;DEPENDS;LABELS;ENVIRONMENT" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} Boost::json GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  awf_testing_code(${name})
  awf_unity(${name} ${ARG_SOURCES})
  if(AWF_PCH)
    target_precompile_headers(${name} REUSE_FROM awf_test_pch)
  endif()
  if(ARG_RACE)
    list(APPEND ARG_LABELS race)
    add_dependencies(race_tests ${name})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(environment "AWF_SOURCE_DIR=${PROJECT_SOURCE_DIR}" ${ARG_ENVIRONMENT})
  if(ARG_NEEDS_AWF)
    add_dependencies(${name} awf)
    list(APPEND environment "AWF_PROGRAM=${CMAKE_BINARY_DIR}/awf")
  endif()
  # gtest_discover_tests cannot hand over a property that is a list, so env(1) sets the variables.
  set_target_properties(${name} PROPERTIES CROSSCOMPILING_EMULATOR "env;${environment}")
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS}")
endfunction()

# Headers that nearly every file needs and that are slow to parse, compiled once for all layers and once for all tests.
# Every user must have the same options and definitions as the target whose header it takes.
if(AWF_PCH)
  set(awf_common_headers
    <boost/json.hpp> <algorithm> <chrono> <expected> <filesystem> <functional> <map> <memory> <optional> <string>
    <string_view> <utility> <variant> <vector>)
  file(WRITE ${CMAKE_BINARY_DIR}/pch/empty.cc "")
  add_library(awf_pch OBJECT ${CMAKE_BINARY_DIR}/pch/empty.cc)
  target_link_libraries(awf_pch PRIVATE Boost::json)
  target_precompile_headers(awf_pch PRIVATE ${awf_common_headers})
  if(AWF_TESTS)
    add_library(awf_test_pch OBJECT ${CMAKE_BINARY_DIR}/pch/empty.cc)
    target_link_libraries(awf_test_pch PRIVATE Boost::json GTest::gmock GTest::gtest)
    awf_testing_code(awf_test_pch)
    target_precompile_headers(awf_test_pch PRIVATE ${awf_common_headers} <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()

function(awf_precompile target)
  if(AWF_PCH)
    target_precompile_headers(${target} REUSE_FROM awf_pch)
  endif()
endfunction()

# Third-party libraries, all from Debian packages (./setup installs them), linked statically.
# libcurl is not here: its headers are used, the library is loaded at run time.
set(Boost_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED COMPONENTS json)
find_package(Threads REQUIRED)

# awf_static_library(TARGET header archive...): an imported target for a static library without a CMake package.
function(awf_static_library target header)
  find_path(${target}_INCLUDE ${header} REQUIRED)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  foreach(archive IN LISTS ARGN)
    find_library(${target}_${archive} ${archive} REQUIRED)
    target_link_libraries(${target} INTERFACE ${${target}_${archive}})
  endforeach()
endfunction()

awf_static_library(awf_yaml yaml.h libyaml.a)
awf_static_library(awf_re2 re2/re2.h libre2.a)
awf_static_library(awf_crypto openssl/evp.h libcrypto.a)
awf_static_library(awf_zlib zlib.h libz.a)
awf_static_library(awf_protobuf google/protobuf/message_lite.h libprotobuf-lite.a)
find_program(AWF_PROTOC protoc REQUIRED)
target_link_libraries(awf_protobuf INTERFACE Threads::Threads)
target_link_libraries(awf_re2 INTERFACE Threads::Threads)
find_path(AWF_CURL_INCLUDE curl/curl.h REQUIRED)
find_path(AWF_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)

if(AWF_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # Of the collector that tests send spans to.
  awf_static_library(awf_nghttp2 nghttp2/nghttp2.h libnghttp2.a)
  awf_static_library(awf_tls openssl/ssl.h libssl.a libcrypto.a)
endif()
if(AWF_BENCH)
  find_package(benchmark REQUIRED)
endif()

# awf_grpc: libgrpc++ with all that it needs, linked statically. The distribution's CMake package and pkg-config files
# name the shared libraries, 56 of them, which cost 7 to 10 ms at every start. The archives refer to each other, so they
# stand in one group.
find_path(AWF_GRPC_INCLUDE grpcpp/grpcpp.h REQUIRED)
find_library(AWF_GRPC_ARCHIVE libgrpc++.a REQUIRED)
get_filename_component(grpc_folder ${AWF_GRPC_ARCHIVE} DIRECTORY)
file(GLOB grpc_archives ${grpc_folder}/libabsl_*.a)
foreach(name grpc++ grpc gpr address_sorting upb protobuf-lite cares re2 ssl crypto z)
  find_library(AWF_GRPC_${name} lib${name}.a HINTS ${grpc_folder} REQUIRED)
  list(APPEND grpc_archives ${AWF_GRPC_${name}})
endforeach()
string(REPLACE ";" "," grpc_group "${grpc_archives}")
add_library(awf_grpc INTERFACE)
target_include_directories(awf_grpc SYSTEM INTERFACE ${AWF_GRPC_INCLUDE})
target_compile_definitions(awf_grpc INTERFACE GRPC_USE_PROTO_LITE=1)
target_link_libraries(awf_grpc INTERFACE "$<LINK_GROUP:RESCAN,${grpc_group}>" Threads::Threads ${CMAKE_DL_LIBS})

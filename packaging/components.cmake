# Read by cpack for each kind of package: what goes into it.
if(CPACK_GENERATOR STREQUAL DEB)
  set(kind debian)
else()
  set(kind archive)
endif()
list(GET CPACK_INSTALL_CMAKE_PROJECTS 0 folder)
set(CPACK_INSTALL_CMAKE_PROJECTS ${folder} awf program / ${folder} awf ${kind} /)

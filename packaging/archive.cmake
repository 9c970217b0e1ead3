# The archive NAME.tar.gz, made by cpack's External generator from the staged installation: the same sources make the
# same bytes, whoever builds them (names sorted, no owner, one time for all).
set(archive ${CPACK_PACKAGE_DIRECTORY}/${CPACK_PACKAGE_FILE_NAME}.tar.gz)
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  message(FATAL_ERROR "SOURCE_DATE_EPOCH is not set: build packages with `make package`")
endif()
get_filename_component(parent ${CPACK_TEMPORARY_DIRECTORY} DIRECTORY)
get_filename_component(folder ${CPACK_TEMPORARY_DIRECTORY} NAME)
execute_process(
  COMMAND tar --create --format=ustar --sort=name --owner=root:0 --group=root:0 --mode=u+rwX,go+rX,go-w
          --mtime=@$ENV{SOURCE_DATE_EPOCH} --directory ${parent} ${folder}
  COMMAND gzip --no-name --best
  OUTPUT_FILE ${archive}
  RESULTS_VARIABLE results)
if(NOT results STREQUAL "0;0")
  message(FATAL_ERROR "tar and gzip ended with ${results}")
endif()

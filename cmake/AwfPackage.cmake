# What an installation consists of, and the packages made of it (packaging/build, `make package`). Components: program,
# in every package; debian and archive, in the one of that kind.
include(GNUInstallDirs)
set(package_files ${CMAKE_BINARY_DIR}/package_files)

# awf_printed(FILE WORD...): FILE is what `awf WORD...` prints, so that it tells what this awf takes.
function(awf_printed file)
  add_custom_command(
    OUTPUT ${package_files}/${file}
    COMMAND $<TARGET_FILE:awf> ${ARGN} > ${package_files}/${file}
    DEPENDS awf
    VERBATIM)
endfunction()
awf_printed(awf.bash completion bash)
awf_printed(awf.zsh completion zsh)
awf_printed(awf.fish completion fish)
awf_printed(awf.1 man)
add_custom_target(package_files DEPENDS ${package_files}/awf.bash ${package_files}/awf.zsh ${package_files}/awf.fish
                                        ${package_files}/awf.1)
configure_file(${PROJECT_SOURCE_DIR}/packaging/README.md ${package_files}/README.md @ONLY)

set(share ${CMAKE_INSTALL_DATADIR})
install(TARGETS awf RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(FILES ${package_files}/awf.bash DESTINATION ${share}/bash-completion/completions RENAME awf COMPONENT program)
install(FILES ${package_files}/awf.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/copyright DESTINATION ${share}/doc/awf COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${share}/doc/awf USE_SOURCE_PERMISSIONS COMPONENT program)

install(FILES ${package_files}/awf.1 DESTINATION ${share}/man/man1 COMPONENT archive)
install(FILES ${package_files}/awf.zsh DESTINATION ${share}/zsh/site-functions RENAME _awf COMPONENT archive)
install(FILES ${package_files}/README.md ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION . COMPONENT archive)

# packaging/build makes the two .gz files.
install(FILES ${package_files}/awf.1.gz DESTINATION ${share}/man/man1 COMPONENT debian)
install(FILES ${package_files}/changelog.gz DESTINATION ${share}/doc/awf COMPONENT debian)
install(FILES ${package_files}/awf.zsh DESTINATION ${share}/zsh/vendor-completions RENAME _awf COMPONENT debian)
install(FILES ${PROJECT_SOURCE_DIR}/packaging/lintian-overrides DESTINATION ${share}/lintian/overrides RENAME awf
        COMPONENT debian)

set(CPACK_GENERATOR DEB External)
set(CPACK_PACKAGE_NAME awf)
set(CPACK_PACKAGE_CONTACT "awf maintainers <awf@localhost>")
set(CPACK_PACKAGE_FILE_NAME awf-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/packaging/components.cmake)
set(CPACK_EXTERNAL_PACKAGE_SCRIPT ${PROJECT_SOURCE_DIR}/packaging/archive.cmake)
set(CPACK_EXTERNAL_ENABLE_STAGING ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
# The oldest C library that the program runs with (tests/binary_check), not the one it was built with.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.35)")
# Loaded at run time for HTTP only; its package has the second name from Debian 13 and Ubuntu 24.04 on.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "git, libcurl4 | libcurl4t64")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "workflows of AI agents, with every tool call on record")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "awf runs workflows that are written as state machines in YAML: commands,
agents, parallel branches and loops, with retries, failure paths and runs that
go on where they were interrupted.

It stands between each agent and its tools. Every tool call is logged, written
to an audit record that is chained by hashes and, if wanted, exported as an
OpenTelemetry span. Agents are the Claude Code CLI and every server with the
Chat Completions API; the latter needs libcurl.")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)

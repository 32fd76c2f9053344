# Debian packages of the components, by CPack: `reprise`, `libreprise-dev`,
# `reprise-doc`, and `reprise-mpi` where MPI was found. tools/package makes them;
# test/packages installs them.
set(REPRISE_PACKAGE_MAINTAINER "Reprise <reprise@example.org>" CACHE STRING
  "Name and address that packages carry")
set(_generated ${PROJECT_BINARY_DIR}/packages)
set(_documents ${CMAKE_INSTALL_DATAROOTDIR}/doc)

# The manual page and the completions are what the built tool says of itself.
# Compressed as Debian has it, without a name or a time.
set(_shell ${_generated}/shell)
add_custom_command(OUTPUT ${_shell}/reprise.1.gz
  COMMAND ${CMAKE_COMMAND} -E make_directory ${_shell}
  COMMAND $<TARGET_FILE:reprise> man > ${_shell}/reprise.1
  COMMAND $<TARGET_FILE:reprise> completion bash > ${_shell}/reprise
  COMMAND $<TARGET_FILE:reprise> completion zsh > ${_shell}/_reprise
  COMMAND $<TARGET_FILE:reprise> completion fish > ${_shell}/reprise.fish
  COMMAND gzip -9nf ${_shell}/reprise.1
  BYPRODUCTS ${_shell}/reprise ${_shell}/_reprise ${_shell}/reprise.fish
  DEPENDS reprise
  COMMENT "Writing the manual page and completions"
  VERBATIM)
add_custom_target(reprise-shell-files ALL DEPENDS ${_shell}/reprise.1.gz)
install(FILES ${_shell}/reprise.1.gz
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(FILES ${_shell}/reprise
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions
  COMPONENT tools)
install(FILES ${_shell}/_reprise
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/vendor-completions
  COMPONENT tools)
install(FILES ${_shell}/reprise.fish
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d
  COMPONENT tools)

# Documents and an example project.
install(FILES README.md DESTINATION ${_documents}/reprise-doc
  COMPONENT documentation)
install(DIRECTORY docs DESTINATION ${_documents}/reprise-doc
  COMPONENT documentation
  FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.yaml")
install(FILES test/consumer/CMakeLists.txt test/consumer/consumer.cpp
  test/consumer/stop_at_loss.c test/consumer/train_with_hook.cpp
  DESTINATION ${_documents}/libreprise-dev/examples/consumer
  COMPONENT development)

# What Debian's policy asks of each package: the licence, with the exception
# written out and the Apache License as base-files has it; a changelog; what
# lintian is to be told. And the licences of libraries that consist of headers
# or archives only, and so are in our binaries.
file(READ LICENSE _license)
string(FIND "${_license}" "---- LLVM Exceptions" _exception)
string(SUBSTRING "${_license}" ${_exception} -1 _exception)
string(REGEX REPLACE "^----[^\n]*\n+" "" _exception "${_exception}")
string(REGEX REPLACE "\n+$" "" _exception "${_exception}")
string(REGEX REPLACE "\n\n" "\n.\n" _exception "${_exception}")
string(REPLACE "\n" "\n " REPRISE_LICENSE_EXCEPTION " ${_exception}")
configure_file(cmake/packages/copyright.in ${_generated}/copyright @ONLY)
# The time is SOURCE_DATE_EPOCH where that is set.
string(TIMESTAMP REPRISE_PACKAGE_TIME "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(cmake/packages/changelog.in ${_generated}/changelog @ONLY)
add_custom_command(OUTPUT ${_generated}/changelog.gz
  COMMAND gzip -9nkf ${_generated}/changelog
  DEPENDS ${_generated}/changelog VERBATIM)
add_custom_target(reprise-changelog ALL DEPENDS ${_generated}/changelog.gz)
set(_components tools development documentation)
set(_package_tools reprise)
set(_package_development libreprise-dev)
set(_package_documentation reprise-doc)
set(_package_mpi reprise-mpi)
if(TARGET reprise-comm-mpi)
  list(APPEND _components mpi)
endif()
foreach(_component IN LISTS _components)
  set(_package ${_package_${_component}})
  install(FILES ${_generated}/copyright ${_generated}/changelog.gz
    DESTINATION ${_documents}/${_package} COMPONENT ${_component})
  if(EXISTS ${PROJECT_SOURCE_DIR}/cmake/packages/${_package}.lintian)
    install(FILES cmake/packages/${_package}.lintian
      DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides
      RENAME ${_package} COMPONENT ${_component})
  endif()
endforeach()
foreach(_library cli11 nlohmann-json3 flatbuffers xxhash lld-22)
  foreach(_origin lib${_library}-dev ${_library}-dev)
    set(_text /usr/share/doc/${_origin}/copyright)
    if(EXISTS ${_text})
      foreach(_component tools development)
        install(FILES ${_text} RENAME ${_library}
          DESTINATION ${_documents}/${_package_${_component}}/within
          COMPONENT ${_component})
      endforeach()
    endif()
  endforeach()
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME reprise)
set(CPACK_PACKAGE_VENDOR Reprise)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${_generated})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL ${_components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${REPRISE_PACKAGE_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE
  OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME reprise)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOLS_DESCRIPTION
"compiler of training programs whose memory is known before
Compiles a model graph into a training program whose memory is known to the
byte before it runs, or chosen: a budget is met, or refused. Trains on a CPU,
with activations kept or computed again to equal bits.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libreprise-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
"libmlir-22-dev, mlir-22-tools, llvm-22-dev, llvm-22-tools, liblld-22-dev, libdnnl-dev, zlib1g-dev, libzstd-dev, libjpeg62-turbo-dev, libpng-dev, libarchive-dev, libexif-dev, libnifti-dev, nlohmann-json3-dev, libcli11-dev, libyaml-cpp-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "reprise, reprise-doc, cmake")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"headers and libraries of the Reprise compiler
What find_package(Reprise) of CMake finds: static libraries of the passes, the
planner, the runtime and the trainer, their headers, and an example project.")

# Its dependence on MPI is not for those who train on one process.
set(CPACK_DEBIAN_MPI_PACKAGE_NAME reprise-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "reprise (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "openmpi-bin")
set(CPACK_DEBIAN_MPI_DESCRIPTION
"training by several processes with the Reprise compiler
The plugin that connects the processes of 'mpirun reprise train --ranks' by Open
MPI.")

set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_NAME reprise-doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DOCUMENTATION_DESCRIPTION
"documentation of the Reprise compiler
Tutorial, commands, recipes, passes and dialects, as Markdown, and the schema
of recipes.")
include(CPack)

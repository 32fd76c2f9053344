# Textual tests: lit on test/, by `ninja check-lit`.
#
# Tools that tests run are named by reprise_lit_depends, so that check-lit
# builds them first.
function(reprise_lit_depends)
  set_property(GLOBAL APPEND PROPERTY REPRISE_LIT_DEPENDS ${ARGN})
endfunction()

# Adds check-lit for the tests under the current folder.
function(reprise_add_lit_suite)
  find_program(REPRISE_LIT NAMES lit llvm-lit lit.py
    HINTS ${LLVM_TOOLS_BINARY_DIR} ${LLVM_TOOLS_BINARY_DIR}/../build/utils/lit
    DOC "The runner of textual tests")
  if(NOT REPRISE_LIT)
    message(FATAL_ERROR "lit was not found; install llvm-22-tools, or set "
      "REPRISE_LIT, or REPRISE_BUILD_TESTS=OFF")
  endif()
  configure_lit_site_cfg(
    ${CMAKE_CURRENT_SOURCE_DIR}/lit.site.cfg.py.in
    ${CMAKE_CURRENT_BINARY_DIR}/lit.site.cfg.py
    MAIN_CONFIG ${CMAKE_CURRENT_SOURCE_DIR}/lit.cfg.py)
  get_property(tools GLOBAL PROPERTY REPRISE_LIT_DEPENDS)
  add_custom_target(check-lit
    COMMAND ${REPRISE_LIT} -sv ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS ${tools}
    COMMENT "Running the textual tests"
    USES_TERMINAL)
endfunction()

# Adds check: every test of ctest, and check-lit where there is a compiler.
# What ctest runs is built first: the executables under the current folder.
function(reprise_add_check)
  reprise_collect_executables(${CMAKE_CURRENT_SOURCE_DIR} executables)
  add_custom_target(check
    COMMAND ${CMAKE_CTEST_COMMAND} --output-on-failure -j 2
    DEPENDS ${executables}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Running the unit tests"
    USES_TERMINAL)
  if(TARGET check-lit)
    add_dependencies(check check-lit)
  endif()
endfunction()

# Names of the executables of a folder and those below that `all` builds.
function(reprise_collect_executables folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(found)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    get_target_property(excluded ${target} EXCLUDE_FROM_ALL)
    if(type STREQUAL "EXECUTABLE" AND NOT excluded)
      list(APPEND found ${target})
    endif()
  endforeach()
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder IN LISTS subfolders)
    reprise_collect_executables(${subfolder} below)
    list(APPEND found ${below})
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

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
  add_custom_target(lit-tools DEPENDS ${tools})
  add_custom_target(check-lit
    COMMAND ${REPRISE_LIT} -sv ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS lit-tools
    COMMENT "Running the textual tests"
    USES_TERMINAL)
  add_test(NAME LongTextualTests COMMAND ${REPRISE_LIT} -sv -j1
    --param long=1 --param work=${CMAKE_CURRENT_BINARY_DIR}/lit-long
    --filter "cli/(floor|ranks-modes)[.]|tool/many-ops[.]" ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(LongTextualTests PROPERTIES LABELS long TIMEOUT 1500)
  # Those that depend on the processor, as on one with AVX2 alone.
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64" AND NOT REPRISE_SANITIZE)
    add_test(NAME TextualTestsOnAvx2 COMMAND ${REPRISE_LIT} -sv -j1
      --param work=${CMAKE_CURRENT_BINARY_DIR}/lit-avx2
      --filter "cli/(amp|bad-models|minimal-filtering|process|profile|target)[.]|Program/elements"
      ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(TextualTestsOnAvx2 PROPERTIES
      ENVIRONMENT REPRISE_HIDE_FEATURES=avx512f)
    # A name of no feature is an error that says so.
    add_test(NAME UnknownHiddenFeature
      COMMAND ${REPRISE_LIT} --show-tests ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(UnknownHiddenFeature PROPERTIES
      ENVIRONMENT REPRISE_HIDE_FEATURES=avx1024
      PASS_REGULAR_EXPRESSION "fatal: .*'avx1024', which is not a feature")
  endif()
endfunction()

# Adds three targets beside check-lit:
#   check        every test but the long ones, and check-lit where there is a
#                compiler
#   check-long   the tests of ctest with the label `long`: planted faults,
#                random programs by the hundred, and the cases of other tests
#                that take longest
#   check-quick  QUICK_TESTS of ctest, and the textual tests of QUICK_FOLDERS: of
#                every layer, within two minutes
# What ctest runs is built first: the executables under the current folder.
function(reprise_add_check)
  cmake_parse_arguments(CHECK "" "" "QUICK_TESTS;QUICK_FOLDERS" ${ARGN})
  reprise_collect_executables(${CMAKE_CURRENT_SOURCE_DIR} executables)
  get_property(tools GLOBAL PROPERTY REPRISE_LIT_DEPENDS)
  set(ctest ${CMAKE_CTEST_COMMAND} --output-on-failure -j 2)
  add_custom_target(check
    COMMAND ${ctest} -LE long
    DEPENDS ${executables}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Running the unit tests"
    USES_TERMINAL)
  add_custom_target(check-long
    COMMAND ${ctest} -L long
    DEPENDS ${executables} ${tools}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Running the long tests"
    USES_TERMINAL)
  set(quick_targets)
  foreach(name IN LISTS CHECK_QUICK_TESTS)
    if(TARGET ${name})
      list(APPEND quick_targets ${name})
    endif()
  endforeach()
  list(JOIN CHECK_QUICK_TESTS "|" quick)
  set(quick_lit)
  if(TARGET check-lit)
    list(APPEND quick_targets ${tools})
    list(JOIN CHECK_QUICK_FOLDERS "|" folders)
    set(quick_lit COMMAND ${REPRISE_LIT} -sv "--filter=:: (${folders})/"
      ${CMAKE_CURRENT_BINARY_DIR})
    add_dependencies(check check-lit)
  endif()
  add_custom_target(check-quick
    COMMAND ${ctest} -R "^(${quick})$"
    ${quick_lit}
    DEPENDS ${quick_targets}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
    COMMENT "Running the quick tests"
    USES_TERMINAL VERBATIM)
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

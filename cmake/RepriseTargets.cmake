# Helpers shared by every target of the project.

# What tests of a sanitized build run with. LLVM's shared library is not
# instrumented: it neither unpoisons what our inlined copies of its allocators
# poison, nor annotates containers that it shares with us.
set(REPRISE_SANITIZER_ENVIRONMENT "")
if(REPRISE_SANITIZE)
  set(REPRISE_SANITIZER_ENVIRONMENT
    "ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/lsan.supp:print_suppressions=0"
    "UBSAN_OPTIONS=print_stacktrace=1")
endif()

# Not ENVIRONMENT, which a test may set for itself.
function(reprise_set_sanitizer_environment test)
  list(TRANSFORM REPRISE_SANITIZER_ENVIRONMENT REPLACE "^([A-Z]+_OPTIONS)=" "\\1=set:"
    OUTPUT_VARIABLE settings)
  set_tests_properties(${test} PROPERTIES
    ENVIRONMENT_MODIFICATION "${settings}")
endfunction()

# Adds the precompiled header cmake/precompiled/LAYER.h, by the target
# RepriseLayer-LAYER. A folder whose REPRISE_LAYER is LAYER compiles with it; the
# headers in it save time only, and no source relies on them.
function(reprise_add_layer layer)
  if(NOT REPRISE_PRECOMPILE)
    return()
  endif()
  set(target RepriseLayer-${layer})
  set(source ${PROJECT_BINARY_DIR}/precompiled/${layer}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(${target} OBJECT ${source})
  set(REPRISE_LAYER "")
  reprise_configure_target(${target})
  target_include_directories(${target} SYSTEM PRIVATE
    ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  target_precompile_headers(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/cmake/precompiled/${layer}.h)
  set_target_properties(${target} PROPERTIES PCH_WARN_INVALID ON)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # The time of day is no part of it, so that a compiler cache may find what
    # was compiled with it.
    target_compile_options(${target} PRIVATE
      -fpch-instantiate-templates "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  if(ARGN)
    add_dependencies(${target} ${ARGN})
  endif()
endfunction()

# Compiles a layer's header with the definitions of libraries.
function(reprise_link_layer layer)
  if(REPRISE_PRECOMPILE)
    target_link_libraries(RepriseLayer-${layer} PRIVATE ${ARGN})
  endif()
endfunction()

# Warnings, sanitizers and include roots of a Reprise target.
function(reprise_configure_target target)
  target_include_directories(${target}
    PUBLIC
      $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
      $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wno-unused-parameter)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # libstdc++ 12 calls its own deprecated std::get_temporary_buffer.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
  endif()
  if(REPRISE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(REPRISE_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=address,undefined -fno-sanitize-recover=undefined
      -fno-sanitize=vptr -fno-omit-frame-pointer)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # For libFuzzer. MLIR's shared library need not have the types'
      # descriptions.
      target_compile_options(${target} PRIVATE
        -fsanitize=fuzzer-no-link -fno-sanitize=function)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
  get_target_property(sources ${target} SOURCES)
  if(REPRISE_PRECOMPILE AND REPRISE_LAYER AND NOT sources MATCHES "\\.c(;|$)")
    # A precompiled header is made with -fPIC, and executables are not.
    target_compile_options(${target} PRIVATE -fPIC)
    target_precompile_headers(${target}
      REUSE_FROM RepriseLayer-${REPRISE_LAYER})
  endif()
endfunction()

# Installs libraries with those of a component of the package, Runtime or
# Compiler.
function(reprise_export_targets component)
  set_property(GLOBAL APPEND PROPERTY REPRISE_${component}_TARGETS ${ARGN})
endfunction()

function(_reprise_add_static_library component name)
  add_library(${name} STATIC ${ARGN})
  add_library(Reprise::${name} ALIAS ${name})
  reprise_configure_target(${name})
  reprise_export_targets(${component} ${name})
endfunction()

# A library without MLIR: C++ standard library and what is linked to it.
function(reprise_add_library name)
  _reprise_add_static_library(Runtime ${name} ${ARGN})
endfunction()

# A library of the driver without MLIR, whose answers may be JSON. Installed with
# the compiler.
function(reprise_add_driver_library name)
  _reprise_add_static_library(Compiler ${name} ${ARGN})
  target_link_libraries(${name} PUBLIC nlohmann_json::nlohmann_json)
endfunction()

# A library of the compiler: links the shared libMLIR and libLLVM, so that
# plugins share type ids with the stock tools.
function(reprise_add_compiler_library name)
  _reprise_add_static_library(Compiler ${name} ${ARGN})
  target_include_directories(${name} SYSTEM PUBLIC
    ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${name} PUBLIC ${LLVM_DEFINITIONS_LIST})
  target_link_libraries(${name} PUBLIC MLIR LLVM)
endfunction()

# A unit test: an executable on GoogleTest, found by ctest and `ninja check`.
# Moves cases of a unit test, which match a pattern of --gtest_filter, to the
# long tests: `check` runs the others, `check-long` runs these as NAME.long.
function(reprise_set_long_cases name pattern)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
    "GTEST_FILTER=-${pattern}")
  add_test(NAME ${name}.long COMMAND ${name})
  reprise_set_sanitizer_environment(${name}.long)
  set_property(TEST ${name}.long APPEND PROPERTY ENVIRONMENT
    "GTEST_FILTER=${pattern}")
  set_tests_properties(${name}.long PROPERTIES LABELS long)
endfunction()

function(reprise_add_unit_test name)
  add_executable(${name} ${ARGN})
  reprise_configure_target(${name})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  reprise_set_sanitizer_environment(${name})
  set_property(GLOBAL APPEND PROPERTY REPRISE_UNIT_TESTS ${name})
endfunction()

# Installs BUILD_DIR to a prefix under WORK_DIR, builds the consumer project in
# SOURCE_DIR against it with C_COMPILER and CXX_COMPILER, and runs it and the
# installed tools. Compiles all installed headers, and follows PAGE. A header that
# a source of PROJECT_DIR includes first is known to compile alone from building
# without precompiled headers; each other one is compiled alone here.
file(REMOVE_RECURSE ${WORK_DIR})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(code)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command} exited with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/prefix)
foreach(tool reprise reprise-opt)
  run(${WORK_DIR}/prefix/bin/${tool} --help)
endforeach()
run(${CMAKE_COMMAND} -G Ninja -S ${SOURCE_DIR} -B ${WORK_DIR}/build
  -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)

# Both parts are computed again, each behind a barrier.
string(REGEX MATCHALL "phase<recompute>" clones "${output}")
list(LENGTH clones count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "expected 2 recomputed blocks, but found ${count}:\n"
    "${output}")
endif()

function(expect text)
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "'${text}' is not in:\n${output}")
  endif()
endfunction()

# The hook in C ends a run early, and saves; the one in C++ evaluates.
set(reprise ${WORK_DIR}/prefix/bin/reprise)
set(run mlp --batch 16 --threads 1)
run(${CMAKE_COMMAND} -E chdir ${WORK_DIR} ${reprise} train ${run}
  --data synthetic --synthetic-size 64 --steps 100
  --hook ${WORK_DIR}/build/stop_at_loss.so:2.2)
expect("ended early +the loss is low enough")
expect("stop_at_loss: mlp is at 2\\.[01][0-9]+ after step [0-9]+\n")
if(NOT EXISTS ${WORK_DIR}/low.safetensors)
  message(FATAL_ERROR "the hook saved nothing")
endif()
run(${reprise} compile ${run} -o ${WORK_DIR}/mlp.rpx)
run(${WORK_DIR}/build/train_with_hook ${WORK_DIR}/mlp.rpx)
expect("^step 4: loss [0-9.]+, of the test images [0-9.]+\nstep 8: loss [0-9.]+, of the test images [0-9.]+\n$")

set(ENV{CC} ${C_COMPILER})
set(ENV{CXX} ${CXX_COMPILER})
set(configure ${CMAKE_COMMAND} -G Ninja -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix)
run(${configure} -S ${SOURCE_DIR}/headers -B ${WORK_DIR}/headers
  -DPROJECT_DIR=${PROJECT_DIR})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/headers)

# Configures a project that the package refuses, and expects the message.
function(expect_refusal text)
  execute_process(COMMAND ${configure} -S ${SOURCE_DIR}/refused ${ARGN}
    -B ${WORK_DIR}/refused --fresh
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(NOT code OR NOT output MATCHES "${text}")
    message(FATAL_ERROR "expected a refusal with '${text}', exit code ${code}:\n"
      "${output}")
  endif()
endfunction()
expect_refusal("enable CXX beside C, as in project\\(NAME LANGUAGES C CXX\\)"
  -DLANGUAGES=C -DCOMPONENTS=Runtime)
expect_refusal("built with MLIR 22, but '[^']*other-mlir' has MLIR 21"
  -DLANGUAGES=CXX -DCOMPONENTS=Compiler
  -DMLIR_DIR=${SOURCE_DIR}/refused/other-mlir)
expect_refusal("installed without component Plugin; it has: Runtime;Compiler"
  -DLANGUAGES=CXX -DCOMPONENTS=Plugin)
# The runtime looks for no MLIR.
run(${configure} -S ${SOURCE_DIR}/refused -B ${WORK_DIR}/refused --fresh
  -DLANGUAGES=CXX -DCOMPONENTS=Runtime -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON)

set(ENV{PREFIX} ${WORK_DIR}/prefix)
run(${PYTHON} ${SOURCE_DIR}/follow_page.py ${PAGE} ${WORK_DIR}/page)

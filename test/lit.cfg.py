# Configuration of lit, LLVM's runner of textual tests.
#
# A test is a file of IR whose RUN lines pipe it through the tools; FileCheck
# compares what comes out with the file's CHECK lines.
import ctypes
import json
import os
import platform
import shutil
import subprocess

import lit.formats
from lit.llvm import llvm_config

config.name = "Reprise"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "data", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
# Runs beside one another need folders of their own.
config.test_exec_root = lit_config.params.get("work", config.reprise_lit_work_dir)

llvm_config.use_default_substitutions()
llvm_config.with_environment("PATH", config.reprise_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)

# What the driver remembers of this machine stays with the tests.
config.environment["XDG_CACHE_HOME"] = os.path.join(
    config.test_exec_root, "cache"
)

# Plans and programs of other tests say nothing of what a test makes; those of
# the cache give it room.
config.environment["REPRISE_CACHE_BYTES"] = "0"

# Progress lines depend on the machine; tests of them set their own interval.
config.environment["REPRISE_PROGRESS_SECONDS"] = "86400"

# The copy of the sources that test/faults/build makes has planted faults, of
# which the environment chooses one.
if os.path.exists(config.reprise_source_dir + "/include/reprise/Planted.h"):
    config.available_features.add("planted-faults")
llvm_config.with_system_environment("REPRISE_FAULT")

config.substitutions.append(("%reprise_lib", config.reprise_lib_dir))
config.substitutions.append(("%reprise_bin", config.reprise_tools_dir))
config.substitutions.append(("%mlir_include", config.mlir_include_dir))
config.substitutions.append(
    ("%mlir_lib", os.path.join(os.path.dirname(config.llvm_tools_dir), "lib"))
)
config.substitutions.append(("%source", config.reprise_source_dir))
# Those that this build was made with.
config.substitutions.append(("%cc", config.reprise_c_compiler))
config.substitutions.append(("%cxx", config.reprise_cxx_compiler))

# Debian's packages for Python belong to Debian's Python, which need not be the
# one that runs this.
config.substitutions.append(("%debian_python", "/usr/bin/python3"))

# A tool that is not there must fail a test, not match another word of a line.
for tool in [
    "reprise",
    "reprise-opt",
    "reprise-plan",
    "reprise-reduce",
    "mlir-opt",
]:
    for directory in [config.reprise_tools_dir, config.llvm_tools_dir]:
        path = os.path.join(directory, tool)
        if os.path.exists(path):
            config.available_features.add(tool)
            break

# Tests of some minutes run by `--param long=1`, as check-long runs them.
if "long" in lit_config.params:
    config.available_features.add("long")
config.available_features.add(platform.machine())
# Features of the processor that nothing hides, as the tools see them.
llvm_config.with_system_environment("REPRISE_HIDE_FEATURES")
if "reprise" in config.available_features:
    listed = json.loads(subprocess.check_output(
        [os.path.join(config.reprise_tools_dir, "reprise"), "device", "list",
         "--json"]))
    cpu = next(device for device in listed["devices"]
               if device["device"] == "cpu")
    if not cpu["usable"]:
        lit_config.fatal("the device cpu is not usable: " + cpu["missing"])
    features = cpu["features"].split(",")
    if "avx512dq" in features:
        config.available_features.add("avx512")
    if "avx2" in features:
        config.available_features.add("avx2")
# A driver of the tests (test/runtime/cuda/FakeCuda.cpp), where no true one would
# be found before it.
fake_cuda = os.path.join(
    os.path.dirname(config.reprise_tools_dir), "test/runtime/cuda/fake"
)
config.substitutions.append(("%fake_cuda", fake_cuda))
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    if os.path.exists(os.path.join(fake_cuda, "lib64", "libcuda.so.1")):
        config.available_features.add("fake-cuda")
# What plans library calls of a GPU, where the target looks for it.
for name in (
    "libcudnn.so.9",
    os.path.join(os.environ.get("CUDA_PATH", "/usr/local/cuda"),
                 "lib64/libcudnn.so.9"),
):
    try:
        ctypes.CDLL(name)
        config.available_features.add("cudnn")
        break
    except OSError:
        pass
# What assembles kernels, in a toolkit.
toolkit = os.environ.get("CUDA_PATH", "/usr/local/cuda")
config.substitutions.append(("%cuda_toolkit", toolkit))
if os.access(os.path.join(toolkit, "bin/ptxas"), os.X_OK):
    config.available_features.add("ptxas")
# Several processes, where MPI was there for the build and is here.
if shutil.which("mpirun") and os.path.exists(
    os.path.join(config.reprise_lib_dir, "libreprise-comm-mpi.so")
):
    config.available_features.add("mpi")
config.substitutions.append(
    ("%mpirun", "mpirun --allow-run-as-root --oversubscribe --bind-to none"))
# A browser, for the report.
if shutil.which("mkdocs") and shutil.which("doxygen"):
    config.available_features.add("mkdocs")
if shutil.which("chromium"):
    config.available_features.add("chromium")

# An instrumented plugin cannot be loaded into a tool that is not.
if config.reprise_sanitize:
    config.available_features.add("sanitized")
    for setting in config.reprise_sanitizer_environment.split(";"):
        name, value = setting.split("=", 1)
        config.environment[name] = value

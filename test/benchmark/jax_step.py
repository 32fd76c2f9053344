#!/usr/bin/env python3
"""jax_step.py STEP... : compiles texts of one training step with XLA, as JAX
does, and prints what each takes.

For a machine with a GPU and JAX. The first text is the step as JAX printed it,
the others are what `reprise rematerialize` made of it:

    test/benchmark/jax_step.py step.mlir step70.mlir step50.mlir

Bytes are those of the executable's memory statistics; times are medians of
alternating runs in one process, as ratios to the first. Results are compared
with the first's bit for bit. `--no-xla-remat` turns XLA's own rematerialization
off."""

import argparse
import os
import statistics
import sys
import time


def compile_text(path):
    from jax._src import compiler, xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    backend = xla_bridge.get_backend()
    with open(path, encoding="utf-8") as file, mlir.make_ir_context():
        module = ir.Module.parse(file.read())
        options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        devices = backend.local_devices()[:1]
        if hasattr(backend, "compile_and_load"):
            devices = xla_client.DeviceList(tuple(devices))
            return backend.compile_and_load(mlir.module_to_bytecode(module), devices, options)
        return backend.compile(mlir.module_to_bytecode(module), options)


def make_arguments(path):
    """Arrays of the step's argument types, all elements 1/16 or 1."""
    import jax.numpy as jnp
    from jax._src.interpreters import mlir
    from jax._src.lib.mlir import ir

    kinds = {"f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16, "i32": jnp.int32,
             "i64": jnp.int64, "i1": jnp.bool_, "ui32": jnp.uint32, "ui8": jnp.uint8}
    with open(path, encoding="utf-8") as file, mlir.make_ir_context():
        module = ir.Module.parse(file.read())
        step = next(op for op in module.body.operations
                    if "sym_name" in op.attributes and
                    ir.StringAttr(op.attributes["sym_name"]).value == "main")
        types = [ir.RankedTensorType(argument.type)
                 for argument in step.regions[0].blocks[0].arguments]
        found = [(list(type_.shape), kinds[str(type_.element_type)]) for type_ in types]
    return [jnp.full(shape, 1 / 16 if jnp.issubdtype(kind, jnp.floating) else 1, kind)
            for shape, kind in found]


def run(executable, path):
    """Seconds and results; arguments are new, since a step may take them over."""
    arguments = make_arguments(path)
    for argument in arguments:
        argument.block_until_ready()
    begin = time.monotonic()
    results = executable.execute(arguments)
    for result in results:
        result.block_until_ready()
    return time.monotonic() - begin, results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("steps", nargs="+", metavar="STEP")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--no-xla-remat", action="store_true")
    options = parser.parse_args()
    if options.no_xla_remat:
        os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                                   " --xla_disable_hlo_passes=rematerialization")
    import numpy as np

    executables = [compile_text(path) for path in options.steps]
    seconds = [[] for _ in executables]
    digests = [None] * len(executables)
    for turn in range(options.runs + 2):
        for place, (executable, path) in enumerate(zip(executables, options.steps)):
            took, results = run(executable, path)
            if turn >= 2:
                seconds[place].append(took)
            elif turn == 0:
                digests[place] = [np.asarray(result).tobytes() for result in results]
    first = statistics.median(seconds[0])
    print("step | temporary MiB | output MiB | ms | of the first | bits")
    for path, executable, took, digest in zip(options.steps, executables, seconds, digests):
        memory = executable.get_compiled_memory_stats()
        median = statistics.median(took)
        print(f"{path} | {memory.temp_size_in_bytes / 2**20:.1f} | "
              f"{memory.output_size_in_bytes / 2**20:.1f} | {median * 1e3:.2f} | "
              f"{median / first:.3f} | {'equal' if digest == digests[0] else 'other'}")


if __name__ == "__main__":
    sys.exit(main())

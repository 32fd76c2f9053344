//===- Simulator.h - Runs and checks kernels of a GPU on the CPU *- C++ -*-===//
//
// Kernels are gpu.func: each is compiled for this machine, every thread of a
// block is a fiber, and every access to memory is looked at before it happens.
// What a run reports does not depend on luck: two accesses without a barrier
// between them are a race in any order of the threads.
//
//   race        two threads touch a byte, one of them writing, and neither a
//               barrier nor, within a warp, nvvm.bar.warp.sync lies between;
//               threads of two blocks always race
//   unwritten   a read of shared memory that no thread of the block wrote, or
//               of a buffer that was not initialized
//   bounds      an access outside of the buffers and of shared memory; it is
//               not carried out
//   alignment   an address that is not a multiple of what the access states
//   divergence  threads meet at different barriers, or lanes at different
//               operations of a warp
//   shuffle     a lane outside of a shuffle's width, or one that is not there
//   product     a warp that is not whole multiplies, or loads matrices
//   deadlock    threads wait for others that have ended; ends the launch
//   launch      a kernel of that name and number of arguments is not here
//
// Memory is known by address: arguments may overlap, as outputs in place do,
// and an access past the end of a buffer into another one is not noticed.
// Blocks run one after another. Of the products of a warp there is mma.m16n8k16
// of bf16 and f16 with sums in f32, and its operands may come by ldmatrix,
// which is a load of a row by each lane. Numbers of the module are changed by
// atomic ops of 32 bits, whose order is that of the blocks; other atomics,
// masked accesses and asynchronous copies are refused.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_GPU_SIMULATOR_H
#define REPRISE_TEST_GPU_SIMULATOR_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reprise::gpu_test {

/// Global memory that a kernel may touch; the caller's.
struct Buffer {
  void *data = nullptr;
  size_t bytes = 0;
  /// For messages.
  std::string name;
  /// Whether a kernel may read bytes that it did not write.
  bool initialized = true;
};

/// How a kernel must be launched.
struct LaunchSize {
  int64_t blocks = 0;
  unsigned threads = 0;
};

struct CompileOptions {
  /// Leaves out this barrier of every kernel, counting gpu.barrier and
  /// nvvm.bar.warp.sync in the order of the text: a planted fault.
  std::optional<unsigned> droppedBarrier;
};

struct SimulationOptions {
  /// Of blocks, and of threads between two meetings. 0: in order; 1: backwards;
  /// else shuffled.
  uint64_t seed = 0;
  /// Whether a shuffle orders what its lanes do to memory, as
  /// nvvm.bar.warp.sync does. The PTX ISA does not promise it.
  bool shufflesOrderMemory = true;
  /// Memory beside the arguments that accesses are carried out in, as a GPU
  /// would.
  std::vector<Buffer> reachable = {};
};

/// What accesses of one direction cost. A warp's instruction moves at most 16
/// bytes a lane, and no more than the access's alignment: wider ones count as
/// several.
struct Traffic {
  /// By threads, to global and shared memory.
  uint64_t accesses = 0;
  /// 32-byte sectors of global memory, summed over instructions of warps; and
  /// how many would have done for as many distinct bytes.
  uint64_t sectors = 0, leastSectors = 0;
  /// Passes over the 32 banks of shared memory; and how many without
  /// conflicts. 32 lanes pass at once, 16 of 8 bytes, 8 of 16 bytes.
  uint64_t sharedPasses = 0, leastSharedPasses = 0;

  Traffic &operator+=(const Traffic &other);
};

struct SimulationReport {
  /// "race: ..."; one of each kind and place in the code.
  std::vector<std::string> problems;
  Traffic loads, stores;

  Traffic total() const;
};

/// The kernels of a module, compiled. Not for several threads at once.
class Simulator {
public:
  /// Compiles every gpu.func below `source`, which stays as it is. A kernel has
  /// known_block_size = [threads, 1, 1] with at most 1024 threads,
  /// known_grid_size = [blocks, 1, 1] and arguments of type !llvm.ptr; math.exp
  /// and others that are no instructions must have been expanded. Null, and
  /// why: `error`.
  static std::unique_ptr<Simulator> compile(mlir::Operation *source,
                                            const CompileOptions &options,
                                            std::string &error);
  ~Simulator();

  /// Names of the kernels, in the module's order.
  std::vector<std::string> kernels() const;
  /// How many barriers a kernel was given with, the dropped one included; none
  /// for a kernel that is not here.
  unsigned barriers(llvm::StringRef kernel) const;

  /// Zeros for a kernel that is not here.
  LaunchSize size(llvm::StringRef kernel) const;

  /// Runs a kernel on `arguments`, one a parameter.
  SimulationReport launch(llvm::StringRef kernel,
                          llvm::ArrayRef<Buffer> arguments,
                          const SimulationOptions &options = {});

private:
  Simulator();
  struct Compiled;
  std::unique_ptr<Compiled> compiled;
};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_SIMULATOR_H

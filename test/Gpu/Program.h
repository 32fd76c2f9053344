//===- Program.h - A kernel written for a test ------------------*- C++ -*-===//
#ifndef REPRISE_TEST_GPU_PROGRAM_H
#define REPRISE_TEST_GPU_PROGRAM_H

#include "Simulator.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <vector>

namespace reprise::gpu_test {

/// A kernel called "k".
class Program {
public:
  /// Parses and compiles. `signature` has the parameters and shared memory,
  /// e.g. "(%a: !llvm.ptr)"; `body` may use %tid, %bid, and the indices %c0 and
  /// %c1. Places in messages are "-:line:column", the body's first line is 2.
  Program(unsigned blocks, unsigned threads, const std::string &signature,
          const std::string &body, const CompileOptions &options = {});

  SimulationReport run(const std::vector<Buffer> &buffers,
                       const SimulationOptions &options = {});
  /// The messages of a run, one a line.
  std::string problemsOf(const std::vector<Buffer> &buffers,
                         const SimulationOptions &options = {});

  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Null if `error` says something.
  std::unique_ptr<Simulator> simulator;
  std::string error;
};

/// Some numbers, at an address that is a multiple of 64.
template <typename T> class Array {
public:
  explicit Array(size_t size, T value = T())
      : storage(size + 64 / sizeof(T), value), size(size) {
    uintptr_t at = reinterpret_cast<uintptr_t>(storage.data());
    first = (64 - at % 64) % 64 / sizeof(T);
  }
  T &operator[](size_t i) { return storage[first + i]; }
  Buffer buffer(const std::string &name, bool initialized = true) {
    return {&storage[first], size * sizeof(T), name, initialized};
  }

private:
  std::vector<T> storage;
  size_t first, size;
};

/// 0, 1, 2, ...
Array<float> counting(size_t size);

/// Makes `name` the address of element `index` of the pointer `base`.
std::string element(const std::string &name, const std::string &base,
                    const std::string &index, const std::string &type = "f32");
/// Loads that element as `name`; stores `name` there.
std::string load(const std::string &name, const std::string &base,
                 const std::string &index, const std::string &type = "f32");
std::string store(const std::string &name, const std::string &base,
                  const std::string &index, const std::string &type = "f32");

/// Of memory that a block shares, e.g. "memref<32xf32, ...>".
std::string sharedType(const std::string &shape);

/// The seeds that results must be the same for.
constexpr uint64_t kSeeds[] = {0, 1, 2, 3, 4, 5};

} // namespace reprise::gpu_test

#endif // REPRISE_TEST_GPU_PROGRAM_H

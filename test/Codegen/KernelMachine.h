//===- KernelMachine.h - What kernels run on in tests -----------*- C++ -*-===//
//
// The same cases are checked on the processor and on a simulated GPU: a test's
// executable links one of them.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_TEST_CODEGEN_KERNELMACHINE_H
#define REPRISE_TEST_CODEGEN_KERNELMACHINE_H

#include "reprise/Target/Target.h"
#include <memory>
#include <string>
#include <vector>

namespace reprise::test {

/// The memory of an argument or a result.
struct KernelBuffer {
  void *data;
  size_t bytes;
  /// Whether the kernel may read what it has not written.
  bool isRead;
};

class KernelMachine {
public:
  virtual ~KernelMachine() = default;

  virtual bool has(const std::string &symbol) const = 0;
  /// Ways to run a kernel, which must give the same bits, and their names. Way
  /// 0 is the plain one; in the last one parts run in reverse.
  virtual std::vector<std::string> ways() const = 0;
  /// Runs a kernel on its arguments, then its results. What goes wrong is a
  /// failure of the test.
  virtual void run(const std::string &symbol,
                   llvm::ArrayRef<KernelBuffer> buffers, size_t way) = 0;
};

/// What the planner would be told of a kernel on the machine.
mlir::FailureOr<KernelTraits> traitsOf(mlir::Block &body);
/// Whether the machine computes functions of f64.
bool hasDoubleFunctions();
/// Compiles kernels; null where that fails.
std::unique_ptr<KernelMachine>
compileKernels(llvm::ArrayRef<KernelSource> kernels);

} // namespace reprise::test

#endif // REPRISE_TEST_CODEGEN_KERNELMACHINE_H

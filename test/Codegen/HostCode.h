//===- HostCode.h - Kernels as machine code of this processor ---*- C++ -*-===//
#ifndef REPRISE_TEST_CODEGEN_HOSTCODE_H
#define REPRISE_TEST_CODEGEN_HOSTCODE_H

#include "reprise/Target/Target.h"
#include <memory>
#include <string>
#include <vector>

namespace reprise::test {

using KernelFunction = void (*)(void *const *, int64_t, int64_t);

/// The target that "cpu:native" or another text says.
std::unique_ptr<Target> targetOf(llvm::StringRef text);
/// Machine code for this processor.
mlir::FailureOr<std::vector<uint8_t>>
compileForHost(llvm::ArrayRef<KernelSource> kernels);

/// A shared object that is loaded as long as this lives.
class LoadedCode {
public:
  explicit LoadedCode(const std::vector<uint8_t> &image);
  ~LoadedCode();
  LoadedCode(const LoadedCode &) = delete;
  KernelFunction find(const std::string &symbol) const;

private:
  int fd = -1;
  void *handle = nullptr;
};

} // namespace reprise::test

#endif // REPRISE_TEST_CODEGEN_HOSTCODE_H

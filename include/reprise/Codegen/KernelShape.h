//===- KernelShape.h - Division and facts of kernels ------------*- C++ -*-===//
//
// The numbers that pass between a target and the code generation below it.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_CODEGEN_KERNELSHAPE_H
#define REPRISE_CODEGEN_KERNELSHAPE_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <utility>

namespace reprise {

/// The division of kernels. The order of every sum follows from it and from the
/// kernel's shape, so that it is the same on every device of the target.
struct KernelShape {
  /// Elements that one vector operation handles, a power of two: partial sums
  /// along the last dimension are kept for each lane.
  int64_t lanes = 16;
  /// Elements of the iteration space that one grain handles; a multiple of the
  /// lanes.
  int64_t grainElements = 8192;
  /// Consecutive elements that one accumulator adds before it starts again;
  /// their sums are then added in turn, which keeps the rounding of long sums
  /// small.
  int64_t sumBlock = 64;
  /// The prefetch distance of a kernel in a large tensor, in bytes ahead of its
  /// loads; 0 if the device hides memory latency in other ways.
  int64_t prefetchBytes = 0;
  /// The address space of tensors, as LLVM numbers it for the device.
  unsigned addressSpace = 0;
};

/// The facts about a compiled kernel that the planner needs.
struct KernelTraits {
  /// Independent parts; any split of [0, grains) gives the same bits.
  uint64_t grains = 1;
  /// (output, input): the output may be written over the input, because every
  /// element of the input is read only where that element is written.
  llvm::SmallVector<std::pair<unsigned, unsigned>> inPlace;
  /// Workspace while it runs, passed after the outputs; its contents are
  /// undefined at the start.
  uint64_t workspaceBytes = 0;
  /// True if its arithmetic is products of 16 bits; `narrowRate` is the part of
  /// a library's rate that it reaches.
  bool multipliesNarrow = false;
  double narrowRate = 1;
};

} // namespace reprise

#endif // REPRISE_CODEGEN_KERNELSHAPE_H

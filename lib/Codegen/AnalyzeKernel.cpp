//===- AnalyzeKernel.cpp - What the planner must know of a kernel ---------===//
//
// An output may be written over an input when every element of the input is
// read only at the index where that element of the output is written: code
// loads all it needs of an index, or of a vector of them, before it stores.
// Inputs that an index map, a pool, a pad or a concatenation reads are read at
// other indices too.
//
//===----------------------------------------------------------------------===//

#include "KernelSpace.h"
#include "reprise/Fault.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace reprise;

namespace {
/// Arguments by how they are read.
struct Reads {
  llvm::SmallPtrSet<Value, 8> inPlace, elsewhere;
};
} // namespace

/// Walks from `value`, which is read at the index of the space when `moved` is
/// false.
static void walk(Value value, bool moved, Reads &reads,
                 llvm::SmallPtrSet<Value, 16> (&seen)[2]) {
  if (!seen[moved].insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op) {
    (moved ? reads.elsewhere : reads.inPlace).insert(value);
    return;
  }
  bool stays = isa<PointwiseOpInterface, ReductionOpInterface>(op);
  for (Value operand : op->getOperands())
    walk(operand, moved || !stays, reads, seen);
}

FailureOr<KernelTraits> reprise::analyzeKernel(Block &body,
                                               const KernelShape &shape) {
  FailureOr<KernelSpace> space = readKernelSpace(body, shape);
  if (failed(space))
    return failure();
  KernelTraits info;
  info.grains = space->grains();
  Reads reads;
  llvm::SmallPtrSet<Value, 16> seen[2];
  Operation *yield = body.getTerminator();
  for (Value value : yield->getOperands())
    walk(value, /*moved=*/false, reads, seen);
  for (auto [output, value] : llvm::enumerate(yield->getOperands())) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<ReductionOpInterface>(op))
      continue;
    for (BlockArgument input : body.getArguments())
      if (reads.inPlace.contains(input) &&
          (!reads.elsewhere.contains(input) ||
           REPRISE_FAULT("in-place-read-elsewhere")) &&
          sg::byteSize(input.getType()) == sg::byteSize(value.getType()))
        info.inPlace.push_back({output, input.getArgNumber()});
  }
  return info;
}

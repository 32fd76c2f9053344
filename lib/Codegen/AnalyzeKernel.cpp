//===- AnalyzeKernel.cpp - What the planner must know of a kernel ---------===//
//
// An output may be written over an input when every element of the input is
// read only at the index where that element of the output is written: code
// loads all it needs of an index, or of a vector of them, before it stores.
// Inputs that an index map, a pool, a pad or a concatenation reads are read at
// other indices too.
//
// A kernel that goes over a row several times stores in the last pass only, and
// what has one element a row behind that. So what a reduction of the row is
// made of was read before, though each element of it goes into every element of
// the row: a repeated result of it moves nothing. What is made of a reduction
// at its own index is stored when that index has been reduced.
//
//===----------------------------------------------------------------------===//

#include "KernelSpace.h"
#include "llvm/ADT/EquivalenceClasses.h"
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

/// Whether `op` repeats along the row what was computed once for the row.
static bool readsRowElement(Operation *op, const KernelSpace &space) {
  bool hasRows = space.hasRows();
  if (!hasRows || !repeatsAlongRows(op))
    return false;
  Operation *source = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<ReductionOpInterface>(source) ||
         llvm::any_of(space.work.passes, [&](const KernelPass &pass) {
           return llvm::is_contained(pass.rowOps, source);
         });
}

/// Whether equal indices are equal bytes: rows and elements of a row may take
/// as much together, and each other's bytes one by one.
static bool hasPlaceOf(Type input, Type output) {
  bool isSameShape = cast<RankedTensorType>(input).getShape() ==
                     cast<RankedTensorType>(output).getShape();
  return isSameShape && sg::byteSize(input) == sg::byteSize(output);
}

/// Walks from `value`, which is read at the index of the space, or in its row
/// before anything is stored, when `moved` is false.
static void walk(Value value, bool moved, const KernelSpace &space,
                 Reads &reads, llvm::SmallPtrSet<Value, 16> (&seen)[2]) {
  if (!seen[moved].insert(value).second)
    return;
  Operation *op = value.getDefiningOp();
  if (!op) {
    (moved ? reads.elsewhere : reads.inPlace).insert(value);
    return;
  }
  bool stays = isa<PointwiseOpInterface, ReductionOpInterface>(op) ||
               readsRowElement(op, space);
  for (Value operand : op->getOperands())
    walk(operand, moved || !stays, space, reads, seen);
}

/// Which values are computed from one another, but by what every reader
/// repeats: a kernel of many small updates makes as many results that have
/// nothing to do with each other, and planning looks at every pair.
static llvm::EquivalenceClasses<void *> relatedValues(Block &body) {
  llvm::EquivalenceClasses<void *> related;
  for (Operation &op : body.without_terminator()) {
    if (kernelRoleOf(&op) == KernelRole::Repeated)
      continue;
    for (Value operand : op.getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!from || kernelRoleOf(from) != KernelRole::Repeated)
        related.unionSets(operand.getAsOpaquePointer(),
                          op.getResult(0).getAsOpaquePointer());
    }
  }
  return related;
}

FailureOr<KernelTraits> reprise::analyzeKernel(Block &body,
                                               const KernelShape &shape) {
  FailureOr<std::vector<KernelSpace>> spaces = readKernelSpaces(body, shape);
  if (failed(spaces))
    return failure();
  KernelTraits info;
  info.grains = 0;
  for (const KernelSpace &space : *spaces)
    info.grains += space.grains();
  Reads reads;
  llvm::SmallPtrSet<Value, 16> seen[2];
  Operation *yield = body.getTerminator();
  for (Value value : yield->getOperands())
    walk(value, /*moved=*/false, spaces->front(), reads, seen);
  bool hasReductions = spaces->front().hasReductions();
  auto related = relatedValues(body);
  for (auto [output, value] : llvm::enumerate(yield->getOperands())) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<ReductionOpInterface>(op))
      continue;
    for (BlockArgument input : body.getArguments())
      if (reads.inPlace.contains(input) && !reads.elsewhere.contains(input) &&
          hasPlaceOf(input.getType(), value.getType()) &&
          (hasReductions || related.isEquivalent(input.getAsOpaquePointer(),
                                                 value.getAsOpaquePointer())))
        info.inPlace.push_back({output, input.getArgNumber()});
  }
  return info;
}

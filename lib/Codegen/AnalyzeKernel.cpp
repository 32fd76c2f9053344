//===- AnalyzeKernel.cpp - Facts about a kernel for the planner -----------===//
//
// An output may be written in place over an input when every element of the
// input is read only at the index where that element of the output is written:
// code loads everything it needs for an index, or for a vector of them, before
// it stores. Inputs read through an index map, a pool, a pad or a concatenation
// are also read at other indices.
//
// A kernel that sweeps a row several times stores only in the last pass, and
// stores values with one element a row after that. The operands of a reduction
// over the row have then been read, although each of their elements contributes
// to every element of the row: repeating a reduction's result along the row
// does not count as a read elsewhere. Values computed from a reduction at its
// own index are stored once that index has been reduced.
//
//===----------------------------------------------------------------------===//

#include "reprise/Codegen/KernelSpace.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace reprise;

namespace {
/// The kernel's arguments, grouped by how they are read.
struct Reads {
  llvm::SmallPtrSet<Value, 8> inPlace, elsewhere;
};
} // namespace

/// Returns true if `op` repeats along the row a value computed once for the
/// row.
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

/// Returns true if equal indices occupy equal bytes: rows may match rows in
/// size, and elements of a row may match elements one by one.
static bool hasPlaceOf(Type input, Type output) {
  bool isSameShape = cast<RankedTensorType>(input).getShape() ==
                     cast<RankedTensorType>(output).getShape();
  return isSameShape && sg::byteSize(input) == sg::byteSize(output);
}

/// Walks from `value`. If `moved` is false, `value` is read at the index of the
/// space, or in its row before anything is stored.
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

/// Groups values that are computed from one another, ignoring values that every
/// reader repeats. A kernel of many small updates has as many independent
/// results, and planning examines every pair.
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

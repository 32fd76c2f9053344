//===- KernelPasses.cpp - The passes of a kernel over a row ---------------===//

#include "reprise/IR/KernelPasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace reprise;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The ops that the yielded values are computed from.
static llvm::SmallPtrSet<Operation *, 16> neededOps(Block &body) {
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Value> open(body.getTerminator()->getOperands());
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && needed.insert(op).second)
      open.append(op->operand_begin(), op->operand_end());
  }
  return needed;
}

namespace {
class PassReader {
public:
  explicit PassReader(Block &body) : body(body), needed(neededOps(body)) {}

  KernelPasses run();

private:
  void countPasses();
  bool isOfRow(Value value) const;
  void addStores();
  void addRowOps();

  Block &body;
  llvm::SmallPtrSet<Operation *, 16> needed;
  /// The first reduction, which defines a row.
  Operation *reduction = nullptr;
  KernelPasses result;
};
} // namespace

void PassReader::countPasses() {
  for (Operation &op : body.without_terminator()) {
    if (!needed.contains(&op))
      continue;
    unsigned count = 0;
    for (Value operand : op.getOperands())
      count = std::max(count, result.passesBefore(operand));
    if (isa<ReductionOpInterface>(op)) {
      if (!reduction)
        reduction = &op;
      result.passes.resize(std::max<size_t>(result.passes.size(), count + 1));
      result.passes[count].reductions.push_back(&op);
      ++count;
    }
    result.before[&op] = count;
  }
}

/// Returns true if the value has one element per row.
bool PassReader::isOfRow(Value value) const {
  if (!reduction)
    return false;
  return value.getDefiningOp() == reduction ||
         (shapeOf(value) == shapeOf(reduction->getResult(0)) &&
          shapeOf(value) != shapeOf(reduction->getOperand(0)));
}

/// Adds all stores to the last pass, which is an additional one if it needs
/// every reduction.
void PassReader::addStores() {
  KernelPass stores;
  bool isOwn = !reduction;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (isOfRow(value) ||
        isa_and_nonnull<ReductionOpInterface>(value.getDefiningOp()))
      continue;
    stores.stored.push_back(i);
    isOwn |= result.passesBefore(value) == result.passes.size();
  }
  if (isOwn)
    result.passes.push_back(std::move(stores));
  else
    result.passes.back().stored.append(stores.stored);
}

void PassReader::addRowOps() {
  OperandRange yielded = body.getTerminator()->getOperands();
  for (Operation &op : body.without_terminator()) {
    if (!needed.contains(&op) || !isa<PointwiseOpInterface>(op) ||
        !isOfRow(op.getResult(0)))
      continue;
    unsigned count = result.before.lookup(&op);
    if (count || llvm::is_contained(yielded, op.getResult(0)))
      result.passes[std::max(1u, count) - 1].rowOps.push_back(&op);
  }
}

KernelPasses PassReader::run() {
  countPasses();
  addStores();
  addRowOps();
  return std::move(result);
}

KernelPasses reprise::passesOf(Block &body) { return PassReader(body).run(); }

bool reprise::areTrailing(ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != rank - static_cast<int64_t>(dims.size() - i))
      return false;
  return !dims.empty();
}

bool reprise::repeatsAlongRows(Operation *op) {
  auto map = dyn_cast<IndexMapOpInterface>(op);
  if (!map)
    return false;
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0));
  if (from != shapeOf(op->getResult(0)).take_front(from.size()))
    return false;
  for (auto [d, expr] : llvm::enumerate(map.getIndexMap().getResults()))
    if (expr != getAffineDimExpr(d, op->getContext()) &&
        !(expr == 0 && from[d] == 1))
      return false;
  return true;
}

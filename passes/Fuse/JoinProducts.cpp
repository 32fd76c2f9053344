//===- JoinProducts.cpp - Kernels around products -------------------------===//
//
// A product that a kernel of the target runs takes in the producer of its left
// operand and the reader of its result, where the target has a kernel for all
// of them together and some place in the block comes after all their operands
// and before all their readers:
//
//     %g = kernel (%dy, ..)              %g, %p, %s = kernel (%dy, %w, ..)
//     %p = product %g, %w           =>
//     %s = kernel (%p, ..)
//
// The reader is tried alone where all three do not fit, then the producer
// alone.
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "mlir/IR/IRMapping.h"
#include "reprise/IR/Origin.h"
#include "reprise/IR/Product.h"
#include "reprise/Target/Target.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace reprise;

namespace {
class ProductJoiner {
public:
  ProductJoiner(Block &block, const Target &target, bool forward)
      : block(block), target(target), forward(forward) {}

  void run();

private:
  using Parts = SmallVector<Operation *>;

  bool join(Operation *product);
  bool tryJoin(const Parts &parts, Operation *product);
  Operation *placeOf(const Parts &parts) const;
  struct Joined {
    Operation *kernel;
    /// The results that replace those of the parts.
    SmallVector<Value> outputs;
  };
  Joined build(const Parts &parts, Operation *product, Operation *before);

  Block &block;
  const Target &target;
  /// True if products of the forward pass are joined too.
  bool forward;
};
} // namespace

/// Returns true for a kernel that may be taken in: of the product's phase, and
/// without values that the user asked to keep.
static bool mayJoin(Operation *op, Operation *product) {
  return op && isa<sg::KernelOp>(op) && op->getBlock() == product->getBlock() &&
         sg::phaseOf(op) == sg::phaseOf(product) &&
         !op->hasAttr(sg::SgDialect::kKeepAttr);
}

/// Returns true if `maker` may be taken in. Forward values may be recomputed,
/// and this must not repeat a product unless it serves nothing else.
static bool mayTakeMaker(Operation *maker, Operation *product) {
  if (!mayJoin(maker, product))
    return false;
  bool isFree = sg::phaseOf(product) != Phase::Forward ||
                llvm::all_of(maker->getUsers(),
                             [&](Operation *user) { return user == product; });
  return isFree;
}

/// Returns the place where ops, in the given order, may become one: the first
/// of their readers if all their operands come before it; otherwise null.
Operation *ProductJoiner::placeOf(const Parts &parts) const {
  auto isPart = [&](Operation *op) { return llvm::is_contained(parts, op); };
  Operation *place = block.getTerminator();
  for (Operation *part : parts)
    for (Operation *user : part->getUsers()) {
      Operation *at = block.findAncestorOpInBlock(*user);
      if (!isPart(at) && at->isBeforeInBlock(place))
        place = at;
    }
  for (Operation *part : parts)
    for (Value operand : part->getOperands())
      if (Operation *op = operand.getDefiningOp())
        if (!isPart(op) && !op->isBeforeInBlock(place))
          return nullptr;
  // No later than the place of the last of them, as far as its operands allow.
  Operation *last = parts.front();
  for (Operation *part : parts)
    if (last->isBeforeInBlock(part))
      last = part;
  return last->isBeforeInBlock(place) ? last : place;
}

/// Builds the kernel of `parts`, in order, before an op.
ProductJoiner::Joined ProductJoiner::build(const Parts &parts,
                                           Operation *product,
                                           Operation *before) {
  auto isOutside = [&](Operation *op) {
    return !llvm::is_contained(parts, block.findAncestorOpInBlock(*op));
  };
  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  SmallVector<Location> locations;
  for (Operation *part : parts) {
    locations.push_back(part->getLoc());
    for (Value operand : part->getOperands())
      if (!operand.getDefiningOp() || isOutside(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : part->getResults())
      if (llvm::any_of(result.getUsers(), isOutside))
        outputs.push_back(result);
  }
  std::string name = product->getName().stripDialect().str();
  for (Operation *part : parts)
    if (part != product)
      name += ("_" + part->getAttrOfType<StringAttr>("path").getValue()).str();
  OpBuilder b(before);
  auto kernel = sg::KernelOp::create(
      b, FusedLoc::get(b.getContext(), locations),
      TypeRange(ValueRange(outputs)), inputs.getArrayRef(), name);
  if (auto origin = sg::originOf(product))
    sg::setOrigin(kernel, origin);
  Block &body = kernel.getBody().front();
  b.setInsertionPointToStart(&body);
  IRMapping mapping;
  mapping.map(inputs.getArrayRef(), body.getArguments());
  for (Operation *part : parts) {
    if (part == product) {
      b.clone(*part, mapping)->removeAttr(sg::SgDialect::kOriginAttr);
      continue;
    }
    Block &inner = part->getRegion(0).front();
    for (auto [argument, operand] :
         llvm::zip_equal(inner.getArguments(), part->getOperands()))
      mapping.map(argument, mapping.lookup(operand));
    for (Operation &op : inner.without_terminator())
      b.clone(op, mapping);
    for (auto [result, yielded] : llvm::zip_equal(
             part->getResults(), inner.getTerminator()->getOperands()))
      mapping.map(result, mapping.lookup(yielded));
  }
  SmallVector<Value> yielded;
  for (Value output : outputs)
    yielded.push_back(mapping.lookup(output));
  sg::YieldOp::create(b, kernel.getLoc(), yielded);
  return {kernel, outputs};
}

bool ProductJoiner::tryJoin(const Parts &parts, Operation *product) {
  Operation *place = placeOf(parts);
  if (!place)
    return false;
  Joined joined = build(parts, product, place);
  if (!target.runsTogether(joined.kernel->getRegion(0).front())) {
    joined.kernel->erase();
    return false;
  }
  for (auto [output, result] :
       llvm::zip_equal(joined.outputs, joined.kernel->getResults()))
    output.replaceAllUsesWith(result);
  for (Operation *part : parts)
    part->dropAllReferences();
  for (Operation *part : parts)
    part->erase();
  return true;
}

bool ProductJoiner::join(Operation *product) {
  sg::ProductParts own = *sg::productParts(product);
  Operation *maker = own.left.getDefiningOp();
  if (!mayTakeMaker(maker, product))
    maker = nullptr;
  SmallVector<Operation *> readers;
  for (Operation *user : own.result.getUsers())
    if (mayJoin(user, product) && !llvm::is_contained(readers, user) &&
        user != maker)
      readers.push_back(user);
  for (Operation *reader : readers)
    if ((maker && tryJoin({maker, product, reader}, product)) ||
        tryJoin({product, reader}, product))
      return true;
  return maker && tryJoin({maker, product}, product);
}

void ProductJoiner::run() {
  SmallVector<Operation *> products;
  for (Operation &op : block)
    if (sg::productParts(&op) && target.runsAsKernel(&op) &&
        !op.hasAttr(sg::SgDialect::kKeepAttr))
      products.push_back(&op);
  for (Operation *product : products)
    if (forward || sg::phaseOf(product) != Phase::Forward)
      join(product);
}

void reprise::joinProducts(Block &block, const Target &target, bool forward) {
  ProductJoiner(block, target, forward).run();
}

//===- ElementEmitter.cpp - Elements of a kernel from and to memory -------===//

#include "reprise/Codegen/ElementEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"
#include "reprise/IR/Sg.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace reprise;

Value ElementEmitter::laneMask() {
  SmallVector<bool> active(allLanes());
  for (int64_t i = 0; i < allLanes(); ++i)
    active[i] = i < activeLanes;
  VectorType type = vectorOf(builder.getI1Type());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<bool>(active)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// An i1 takes a byte in memory.
static Type memoryTypeOf(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

static unsigned bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

Value ElementEmitter::addressOf(Value pointer, Type memoryType,
                                Value position) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), memoryType,
                             pointer, ValueRange{position},
                             LLVM::GEPNoWrapFlags::inbounds);
}

Value ElementEmitter::positionOf(const Index &index) {
  if (wholes.empty() || index.at.empty())
    return linear(index);
  Index shorter;
  for (auto [at, extent] : llvm::zip_equal(index.at, index.extents)) {
    auto found = shorter.at.empty() ? wholes.end()
                                    : wholes.find({shorter.at.back(), at});
    bool isWhole = found != wholes.end() && found->second.first == extent;
    if (!isWhole) {
      shorter.at.push_back(at);
      shorter.extents.push_back(extent);
      continue;
    }
    shorter.at.back() = found->second.second;
    shorter.extents.back() *= extent;
  }
  return linear(shorter);
}

/// An access takes at most 16 bytes, and tensors are aligned more strictly than
/// that.
static constexpr int64_t kMostBytes = 16;

int64_t ElementEmitter::divisorOf(Value value) {
  auto powerIn = [&](int64_t x) {
    return x == 0 ? kMostBytes : std::min(kMostBytes, x & -x);
  };
  if (auto found = multiples.find(value); found != multiples.end())
    return powerIn(found->second);
  if (auto constant = value.getDefiningOp<arith::ConstantIntOp>())
    return powerIn(constant.value());
  if (auto op = value.getDefiningOp<arith::MulIOp>())
    return powerIn(divisorOf(op.getLhs()) * divisorOf(op.getRhs()));
  if (auto op = value.getDefiningOp<arith::AddIOp>())
    return std::min(divisorOf(op.getLhs()), divisorOf(op.getRhs()));
  return 1;
}

unsigned ElementEmitter::alignmentOf(Type stored, const Index &index,
                                     Value position) {
  if (multiples.empty())
    return bytesOf(stored);
  return std::min<int64_t>(kMostBytes, bytesOf(stored) * divisorOf(position));
}

/// The bytes of a tensor that the caches nearest to a processor may still hold.
static constexpr int64_t kSmallTensor = 1 << 20;

void ElementEmitter::prefetch(BlockArgument argument, const Index &index,
                              Value address) {
  auto type = cast<RankedTensorType>(argument.getType());
  int64_t ahead = space.target.prefetchBytes;
  if (!ahead || !index.lane || ArrayRef(space.shape) != type.getShape() ||
      int64_t(sg::byteSize(type)) < kSmallTensor)
    return;
  // Tiles of columns advance from row to row.
  int64_t element = bytesOf(memoryTypeOf(type.getElementType()));
  int64_t row = space.extents.back() * element;
  int64_t tile = space.tileColumns() * element;
  if (space.hasReductions() && !space.reducesLast() && tile < row)
    ahead = llvm::divideCeil(ahead, tile) * row;
  if (ahead >
      std::numeric_limits<int32_t>::max()) // the largest value of an offset
    return;
  Value there =
      LLVM::GEPOp::create(builder, loc, address.getType(), builder.getI8Type(),
                          address, ArrayRef<LLVM::GEPArg>{int32_t(ahead)});
  LLVM::Prefetch::create(builder, loc, there, /*rw=*/0, /*hint=*/3,
                         /*cache=*/1);
}

Value ElementEmitter::load(BlockArgument argument, const Index &index) {
  if (Value element = staged.lookup(argument.getArgNumber()))
    return element;
  return loadFromMemory(argument, index);
}

Value ElementEmitter::loadFromMemory(BlockArgument argument,
                                     const Index &index) {
  Type element = cast<RankedTensorType>(argument.getType()).getElementType();
  Type stored = memoryTypeOf(element);
  Value position = positionOf(index);
  Value address =
      addressOf(pointers[argument.getArgNumber()], stored, position);
  Type type = typeAt(stored, index);
  prefetch(argument, index, address);
  Value loaded;
  if (index.lane && activeLanes < allLanes())
    loaded = LLVM::MaskedLoadOp::create(builder, loc, type, address, laneMask(),
                                        splat(type, 0.0), bytesOf(stored));
  else
    loaded = LLVM::LoadOp::create(builder, loc, type, address,
                                  alignmentOf(stored, index, position));
  if (element == stored)
    return loaded;
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, loaded,
                               splat(type, 0.0));
}

void ElementEmitter::store(unsigned pointer, Type type, Value element,
                           const Index &index) {
  Type stored = memoryTypeOf(cast<RankedTensorType>(type).getElementType());
  if (index.lane)
    element = toLanes(element);
  if (getElementTypeOrSelf(element.getType()) != stored)
    element =
        arith::ExtUIOp::create(builder, loc, typeAt(stored, index), element);
  Value position = positionOf(index);
  Value address = addressOf(pointers[pointer], stored, position);
  if (index.lane && activeLanes < allLanes())
    LLVM::MaskedStoreOp::create(builder, loc, element, address, laneMask(),
                                bytesOf(stored));
  else
    LLVM::StoreOp::create(builder, loc, element, address,
                          alignmentOf(stored, index, position));
}

//===----------------------------------------------------------------------===//
// Merged loops
//===----------------------------------------------------------------------===//

/// Once loops are merged, a loop of the result is a dimension of the operand's
/// index if the operand has it.
Index ElementEmitter::mergedOperandIndex(IndexMapOpInterface op,
                                         const Index &index) const {
  Index result;
  std::optional<unsigned> last;
  AffineMap map = op.getIndexMap();
  for (unsigned d = 0; d < map.getNumDims(); ++d) {
    unsigned loop = space.loopOf[d];
    if (!resultAlong(map, d) || last == loop)
      continue;
    last = loop;
    if (index.lane == loop)
      result.lane = result.at.size();
    result.at.push_back(index.at[loop]);
    result.extents.push_back(index.extents[loop]);
  }
  return result;
}

Value ElementEmitter::emit(Operation *op, const Index &index) {
  if (Value element = rowElement(op->getResult(0)))
    return element;
  auto map = dyn_cast<IndexMapOpInterface>(op);
  if (!space.merged || !map)
    return ElementBuilder::emit(op, index);
  return evaluateMoved(op->getOperand(0), mergedOperandIndex(map, index),
                       index);
}

//===- EmitGpuProduct.cpp - A product with its operands and readers -------===//
//
// A block iterates over the tiles of its columns of the result, and for each
// tile over the neighbours that its elements sum over:
//
//   for each tile of rows
//     for each `depth` neighbours
//       left operands, computed, and right ones -> shared memory
//       start loading the next ones from global memory
//       sums += left right                          by tensor cores
//     sums, rounded -> shared memory
//     for each row: the result's readers            EmitGpuColumns.cpp
//
// Loads from global memory are in flight while tensor cores work.
//
//===----------------------------------------------------------------------===//

#include "GpuBlock.h"
#include "GpuEmitter.h"
#include "GpuKernels.h"
#include "GpuProduct.h"
#include "TileProduct.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace reprise;

/// The numbers of one access to global memory, which takes 16 bytes.
static constexpr int64_t kLanes = 8;

//===----------------------------------------------------------------------===//
// Left operands
//===----------------------------------------------------------------------===//

/// The space of the ops that compute left operands, by vectors of neighbours.
static KernelSpace spaceOfMaker(ProductKernel &kernel) {
  FailureOr<std::vector<KernelSpace>> spaces =
      readKernelSpaces(kernel.makerBody(), KernelShape());
  assert(succeeded(spaces) && spaces->size() == 1 && "a checked kernel");
  KernelSpace space = std::move(spaces->front());
  space.target.lanes = kLanes;
  return space;
}

namespace {

/// Computes left operands at an index, in two steps: loads, then arithmetic.
class LeftOperands {
public:
  LeftOperands(GpuBlock &g, ProductKernel &kernel, ArrayRef<Value> pointers);

  /// Loads the element of each argument that has one for each operand.
  SmallVector<Value> load(Value row, Value column);
  /// Computes the operands from `loaded`; stores the yielded values computed
  /// with them where `stores` is true.
  Value make(ArrayRef<Value> loaded, Value row, Value column, Value stores);
  size_t count() const { return arguments.size(); }

private:
  Index indexAt(Value row, Value column);

  GpuBlock &g;
  ProductKernel &kernel;
  KernelSpace space;
  SmallVector<Value> pointers;
  ElementEmitter e;
  SmallVector<BlockArgument> arguments;
};

} // namespace

/// `pointers`: those of the kernel's arguments and of its yielded values.
static SmallVector<Value> pointersOfMaker(ProductKernel &kernel,
                                          ArrayRef<Value> pointers) {
  unsigned count = kernel.makerBody().getNumArguments();
  SmallVector<Value> own(pointers.take_front(count));
  for (unsigned i : kernel.made)
    own.push_back(pointers[count + i]);
  return own;
}

LeftOperands::LeftOperands(GpuBlock &g, ProductKernel &kernel,
                           ArrayRef<Value> all)
    : g(g), kernel(kernel), space(spaceOfMaker(kernel)),
      pointers(pointersOfMaker(kernel, all)),
      e(g.builder, g.loc, space, pointers) {
  auto type = cast<RankedTensorType>(kernel.left.getType());
  Block &body = kernel.makerBody();
  bool moves = !llvm::all_of(body.without_terminator(), [](Operation &op) {
    return isa<PointwiseOpInterface>(op) ||
           kernelRoleOf(&op) == KernelRole::Repeated;
  });
  // If elements move, arguments are also read at other positions, and are
  // loaded only when they are used.
  if (moves)
    return;
  for (BlockArgument argument : body.getArguments())
    if (!argument.use_empty() &&
        cast<RankedTensorType>(argument.getType()).getShape() ==
            type.getShape())
      arguments.push_back(argument);
}

/// The last loop may span several rows, and may be the only one.
Index LeftOperands::indexAt(Value row, Value column) {
  Index index;
  ArrayRef<int64_t> extents = space.merged ? space.extents : space.shape;
  index.extents.assign(extents.begin(), extents.end());
  index.at.assign(extents.size(), column);
  index.lane = extents.size() - 1;
  e.setMultiple(column, kLanes);
  int64_t inner = kernel.parts.inner, rows = extents.back() / inner;
  size_t left = extents.size() - 1;
  if (rows > 1) {
    Value low = left ? g.remainder(row, rows) : row;
    index.at.back() = g.add(g.multiply(low, inner), column);
    e.setMultiple(index.at.back(), kLanes);
    row = g.quotient(row, rows);
  }
  for (; left > 1; --left) {
    int64_t extent = extents[left - 1];
    Value low = g.remainder(row, extent), high = g.quotient(row, extent);
    e.setWhole(high, low, extent, row);
    index.at[left - 1] = low;
    row = high;
  }
  if (left == 1)
    index.at[0] = row;
  return index;
}

SmallVector<Value> LeftOperands::load(Value row, Value column) {
  e.forget();
  Index index = indexAt(row, column);
  SmallVector<Value> loaded;
  for (BlockArgument argument : arguments)
    loaded.push_back(e.loadFromMemory(argument, index));
  return loaded;
}

Value LeftOperands::make(ArrayRef<Value> loaded, Value row, Value column,
                         Value stores) {
  e.forget();
  for (auto [argument, value] : llvm::zip_equal(arguments, loaded))
    e.setStaged(argument.getArgNumber(), value);
  Index index = indexAt(row, column);
  Value left = e.toLanes(e.evaluate(kernel.left, index));
  OperandRange yielded = kernel.makerBody().getTerminator()->getOperands();
  SmallVector<Value> beside;
  for (size_t i = 0; i < kernel.made.size(); ++i)
    beside.push_back(e.evaluate(yielded[i], index));
  if (!beside.empty())
    g.ifThen(stores, [&] {
      for (auto [i, value] : llvm::enumerate(beside))
        e.store(kernel.makerBody().getNumArguments() + i, yielded[i].getType(),
                value, index);
    });
  for (BlockArgument argument : arguments)
    e.setStaged(argument.getArgNumber(), nullptr);
  e.forget();
  return left;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {

class ProductTiles : public ArgumentTiles {
public:
  ProductTiles(GpuBlock &g, ProductKernel &kernel, const ProductShape &shape,
               Value memory, ArrayRef<Value> pointers);

  int64_t rows() const override { return shape.rows; }
  unsigned argument() const override { return kernel.product(); }
  void compute(RowOf rowOf, Value column) override;
  /// Stores the tile of these rows, which has been computed.
  void store(Value pointer, RowOf rowOf);
  Value element(Value row, Value column, int64_t lanes) override {
    return g.load(result, row, column, lanes);
  }

private:
  using Values = SmallVector<Value>;

  /// The positions of vector number i that the thread loads. Left operands: a
  /// row of the tile and the first of its neighbours. Right operands, by their
  /// layout in memory: a column and the first of its neighbours, or a neighbour
  /// and the first of its columns.
  std::pair<Value, Value> leftPlace(int64_t i);
  std::pair<Value, Value> rightPlace(int64_t i);
  int64_t leftCount() const { return shape.rows * shape.depth / perVector(); }
  int64_t rightCount() const {
    return shape.columns * shape.depth / perVector();
  }
  int64_t perVector() const { return kLanes * g.threads; }

  /// Loads the operands starting at the neighbour `inner`.
  Values loadOperands(Value inner);
  void putOperands(ArrayRef<Value> loaded, Value inner);
  void putResult(ArrayRef<Value> sums);

  GpuBlock &g;
  ProductKernel &kernel;
  ProductShape shape;
  Type numberType;
  std::unique_ptr<TileProduct> product;
  LeftOperands leftOperands;
  Value right;
  SharedRows left, rightRows, result;
  /// The rows of left operands that the thread loads for the current tile, and
  /// the tile's first column.
  Values leftRows;
  Value firstColumn;
};

} // namespace

ProductTiles::ProductTiles(GpuBlock &g, ProductKernel &kernel,
                           const ProductShape &shape, Value memory,
                           ArrayRef<Value> pointers)
    : g(g), kernel(kernel), shape(shape),
      numberType(getElementTypeOrSelf(kernel.parts.result)),
      product(TileProduct::create(g, numberType, shape.rows)),
      leftOperands(g, kernel, pointers),
      right(pointers[cast<BlockArgument>(kernel.parts.right).getArgNumber()]),
      left{memory, 0, shape.operandPitch()},
      rightRows{memory, shape.rows * shape.operandPitch(),
                kernel.parts.isTransposed ? shape.operandPitch()
                                          : shape.resultPitch()},
      result{memory, 0, shape.resultPitch()} {}

std::pair<Value, Value> ProductTiles::leftPlace(int64_t i) {
  int64_t each = shape.depth / kLanes;
  Value row = g.add(g.quotient(g.thread, each), i * (g.threads / each));
  return {row, g.multiply(g.remainder(g.thread, each), kLanes)};
}

std::pair<Value, Value> ProductTiles::rightPlace(int64_t i) {
  if (kernel.parts.isTransposed)
    return leftPlace(i);
  int64_t each = shape.columns / kLanes;
  Value inner = g.add(g.quotient(g.thread, each), i * (g.threads / each));
  return {inner, g.multiply(g.remainder(g.thread, each), kLanes)};
}

ProductTiles::Values ProductTiles::loadOperands(Value inner) {
  Values loaded;
  for (int64_t i = 0; i < leftCount(); ++i) {
    // Rows after the last read its elements; their sums are not used.
    Value row = g.below(leftRows[i], kernel.parts.rows);
    loaded.append(leftOperands.load(row, g.add(inner, leftPlace(i).second)));
  }
  for (int64_t i = 0; i < rightCount(); ++i) {
    auto [first, second] = rightPlace(i);
    Value row = g.add(firstColumn, first), column = g.add(inner, second);
    int64_t pitch = kernel.parts.inner;
    if (!kernel.parts.isTransposed) {
      row = g.add(inner, first);
      column = g.add(firstColumn, second);
      pitch = kernel.parts.columns;
    }
    loaded.push_back(g.loadGlobal(
        right, numberType, g.add(g.multiply(row, pitch), column), kLanes));
  }
  return loaded;
}

void ProductTiles::putOperands(ArrayRef<Value> loaded, Value inner) {
  size_t each = leftOperands.count();
  Value isFirst = g.isZero(firstColumn);
  for (int64_t i = 0; i < leftCount(); ++i) {
    auto [row, neighbour] = leftPlace(i);
    Value stores = g.both(isFirst, g.isLess(leftRows[i], kernel.parts.rows));
    Value made = leftOperands.make(loaded.slice(i * each, each),
                                   g.below(leftRows[i], kernel.parts.rows),
                                   g.add(inner, neighbour), stores);
    g.store(made, left, row, neighbour);
  }
  for (int64_t i = 0; i < rightCount(); ++i) {
    auto [first, second] = rightPlace(i);
    g.store(loaded[leftCount() * each + i], rightRows, first, second);
  }
}

/// Pairs of columns, as a thread has them.
void ProductTiles::putResult(ArrayRef<Value> sums) {
  int64_t count = product->columnCount(shape.columns);
  Value first = product->firstColumn(shape.columns);
  auto type = VectorType::get({2}, g.builder.getF32Type());
  for (int64_t i = 0; i < product->rowCount(); ++i)
    for (int64_t j = 0; j < count; j += 2) {
      Value pair = vector::FromElementsOp::create(
          g.builder, g.loc, type,
          ValueRange{sums[i * count + j], sums[i * count + j + 1]});
      g.store(g.narrowed(pair, numberType), result, product->row(i),
              g.add(first, product->column(j)));
    }
}

void ProductTiles::compute(RowOf rowOf, Value column) {
  firstColumn = column;
  leftRows.clear();
  for (int64_t i = 0; i < leftCount(); ++i)
    leftRows.push_back(
        rowOf(leftPlace(0).first, i * (g.threads / (shape.depth / kLanes))));
  int64_t inner = kernel.parts.inner, depth = shape.depth;
  Values carried = product->zeros(shape.columns);
  size_t sums = carried.size();
  carried.append(loadOperands(g.constant(0)));
  auto step = [&](Value k, ValueRange before) {
    Values loaded(before.drop_front(sums));
    putOperands(loaded, k);
    g.barrier();
    Values next = loaded;
    if (inner > depth) {
      Value there = g.add(k, depth);
      next = g.branch(
          g.isLess(there, inner), ValueRange(loaded).getTypes(),
          [&] { return loadOperands(there); }, [&] { return loaded; });
    }
    Values all(before.take_front(sums));
    all = kernel.parts.isTransposed
              ? product->addOfRows(all, left, rightRows, shape.columns, depth)
              : product->add(all, left, rightRows, shape.columns, depth);
    g.barrier();
    all.append(next);
    return all;
  };
  if (inner == depth)
    carried = step(g.constant(0), carried);
  else
    carried = g.fold(g.constant(0), inner, depth, carried, step);
  putResult(ArrayRef<Value>(carried).take_front(sums));
  g.barrier();
}

void ProductTiles::store(Value pointer, RowOf rowOf) {
  int64_t each = shape.columns / kLanes;
  for (int64_t i = 0; i < shape.rows * each; i += g.threads) {
    Value number = g.add(g.thread, i);
    Value row = g.quotient(number, each);
    Value column = g.multiply(g.remainder(number, each), kLanes);
    Value at = rowOf(row, 0);
    g.ifThen(g.isLess(at, kernel.parts.rows), [&] {
      Value place = g.add(g.multiply(at, kernel.parts.columns),
                          g.add(firstColumn, column));
      g.storeGlobal(element(row, column, kLanes), pointer, place);
    });
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Limits registers so that two blocks run at a time on a multiprocessor: one
/// works while the other waits.
static void limitRegisters(gpu::GPUFuncOp function) {
  Builder b(function.getContext());
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    b.getI32IntegerAttr(2));
}

/// Emits a product without readers: each block has one tile.
static void emitTile(GpuBlock &g, ProductTiles &tiles, ProductKernel &kernel,
                     const ProductShape &shape, Value pointer) {
  int64_t across = kernel.parts.columns / shape.columns;
  Value first = g.multiply(g.quotient(g.block, across), shape.rows);
  auto rowOf = [&](Value row, int64_t behind) {
    return g.add(g.add(first, row), behind);
  };
  tiles.compute(rowOf, g.multiply(g.remainder(g.block, across), shape.columns));
  tiles.store(pointer, rowOf);
}

void reprise::emitGpuProduct(OpBuilder &b, gpu::GPUFuncOp function,
                             ProductKernel &kernel) {
  SmallVector<Value> pointers(function.getArguments());
  GpuBlock g(b, function, kBlockThreads);
  ProductShape shape = shapeOfProduct(kernel);
  Type element = getElementTypeOrSelf(kernel.parts.result);
  auto shared = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  Value memory = function.addWorkgroupAttribution(
      MemRefType::get({shape.numbers()}, element, MemRefLayoutAttrInterface(),
                      shared),
      g.loc);
  // The alignment of 16-byte vectors, which the number type does not imply.
  function.setWorkgroupAttributionAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                                       b.getI64IntegerAttr(16));
  limitRegisters(function);
  ProductTiles tiles(g, kernel, shape, memory, pointers);
  unsigned arguments = kernel.makerBody().getNumArguments();
  std::optional<GpuSpace> space = spaceOfReader(kernel);
  if (!space) {
    emitTile(g, tiles, kernel, shape, pointers[arguments + kernel.read[0]]);
    return;
  }
  SmallVector<Value> own(ArrayRef<Value>(pointers).take_front(arguments));
  own.push_back(nullptr); // the product is not in memory
  for (unsigned i : kernel.read)
    own.push_back(pointers[arguments + i]);
  ElementEmitter elements(b, g.loc, *space, own);
  Value workspace = workspaceBytesOf(*space) ? pointers.back() : Value();
  GpuEmitter(elements, *space, kernel.readerBody(), function, workspace)
      .emitTiles(tiles, g.block, g.thread);
}

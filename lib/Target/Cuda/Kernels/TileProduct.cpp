//===- TileProduct.cpp - Products of tiles in shared memory ---------------===//
//
// Multiply-adds: each is rounded once, and sums are in the order of the
// neighbours summed over. A thread has every 16th row and every 8th column, so
// that neighbours load neighbours of a row of b, or rows of it from different
// banks.
//
// Tensor cores: mma.m16n8k16 of a warp, with sums in f32 (PTX ISA, "Matrix
// fragments for mma.m16n8k16 with floating point type"). A warp has 16 rows of
// the tile; lane 4 g + t has
//
//   of a (16 by 16)   rows g and g + 8, numbers 2t, 2t + 1, 2t + 8, 2t + 9
//   of b (16 by 8)    the same numbers, column g
//   of sums (16 by 8) rows g and g + 8, columns 2t and 2t + 1
//
//===----------------------------------------------------------------------===//

#include "TileProduct.h"
#include "GpuKernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace reprise;

bool reprise::hasTensorCores(Type element) {
  return element.isBF16() || element.isF16();
}

Value TileProduct::row(Value i) {
  return arith::AddIOp::create(g.builder, g.loc, rowNumbers.front(),
                               g.multiply(i, rowStride));
}

TileProduct::Sums TileProduct::zeros(int64_t columns) {
  return Sums(rowCount() * columnCount(columns), g.number(0));
}

//===----------------------------------------------------------------------===//
// Multiply-adds
//===----------------------------------------------------------------------===//

namespace {
class MultiplyAdds : public TileProduct {
public:
  MultiplyAdds(GpuBlock &g, int64_t rows) : TileProduct(g, /*team=*/8) {
    Value first = g.quotient(g.thread, team);
    rowStride = g.threads / team;
    for (int64_t i = 0; i < rows / rowStride; ++i)
      rowNumbers.push_back(g.add(first, i * rowStride));
  }

  Value column(int64_t j) override { return g.add(member, j * team); }
  Value column(Value j) override { return g.add(g.multiply(j, team), member); }
  int64_t endOf(int64_t j) const override { return (j + 1) * team; }
  Sums addOfRows(ArrayRef<Value> sums, const SharedRows &a, const SharedRows &b,
                 int64_t columns, int64_t inner) override;
  Sums add(ArrayRef<Value> sums, const SharedRows &a, const SharedRows &b,
           int64_t columns, int64_t inner) override;

private:
  /// Numbers that are loaded at once.
  static constexpr int64_t lanes = 4;

  /// Adds the products of one such vector from each of some rows and columns.
  void addLanes(Sums &sums, ArrayRef<Value> a,
                llvm::function_ref<Value(int64_t, int64_t)> b, int64_t columns);
  SmallVector<Value> rowsAt(const SharedRows &a, Value k);
};
} // namespace

void MultiplyAdds::addLanes(Sums &sums, ArrayRef<Value> a,
                            llvm::function_ref<Value(int64_t, int64_t)> b,
                            int64_t columns) {
  OpBuilder &builder = g.builder;
  int64_t count = columnCount(columns);
  for (int64_t k = 0; k < lanes; ++k) {
    SmallVector<Value> factors;
    for (int64_t j = 0; j < count; ++j)
      factors.push_back(b(k, j));
    for (auto [i, row] : llvm::enumerate(a)) {
      Value x = vector::ExtractOp::create(builder, g.loc, row, k);
      for (int64_t j = 0; j < count; ++j) {
        Value &sum = sums[i * count + j];
        sum = math::FmaOp::create(builder, g.loc, x, factors[j], sum);
      }
    }
  }
}

SmallVector<Value> MultiplyAdds::rowsAt(const SharedRows &a, Value k) {
  SmallVector<Value> rows;
  for (int64_t i = 0; i < rowCount(); ++i)
    rows.push_back(g.load(a, row(i), k, lanes));
  return rows;
}

TileProduct::Sums MultiplyAdds::addOfRows(ArrayRef<Value> sums,
                                          const SharedRows &a,
                                          const SharedRows &b, int64_t columns,
                                          int64_t inner) {
  auto next = [&](Value k, ValueRange before) {
    Sums sums(before);
    SmallVector<Value> others;
    for (int64_t j = 0; j < columnCount(columns); ++j)
      others.push_back(g.load(b, column(j), k, lanes));
    addLanes(
        sums, rowsAt(a, k),
        [&](int64_t l, int64_t j) -> Value {
          return vector::ExtractOp::create(g.builder, g.loc, others[j], l);
        },
        columns);
    return sums;
  };
  return g.fold(g.constant(0), inner, lanes, sums, next);
}

TileProduct::Sums MultiplyAdds::add(ArrayRef<Value> sums, const SharedRows &a,
                                    const SharedRows &b, int64_t columns,
                                    int64_t inner) {
  auto next = [&](Value k, ValueRange before) {
    Sums sums(before);
    addLanes(
        sums, rowsAt(a, k),
        [&](int64_t l, int64_t j) { return g.load(b, g.add(k, l), column(j)); },
        columns);
    return sums;
  };
  return g.fold(g.constant(0), inner, lanes, sums, next);
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

namespace {
class TensorCores : public TileProduct {
public:
  TensorCores(GpuBlock &g, Type element, int64_t rows)
      : TileProduct(g, /*team=*/4), element(element) {
    assert(g.threads % (2 * rows) == 0 && "a warp has 16 rows");
    sharers = g.threads / (2 * rows);
    Value warp = g.quotient(g.thread, kWarpThreads);
    if (sharers > 1) {
      sharer = g.quotient(warp, rows / 16);
      warp = g.remainder(warp, rows / 16);
    }
    lane = g.remainder(g.thread, kWarpThreads);
    warpRow = g.multiply(warp, 16);
    Value first = g.add(warpRow, g.quotient(lane, team));
    rowStride = 8;
    rowNumbers = {first, g.add(first, rowStride)};
  }

  Value firstColumn(int64_t columns) override {
    return sharers == 1 ? g.constant(0) : g.multiply(sharer, columns / sharers);
  }
  Value column(int64_t j) override {
    return g.add(g.multiply(member, 2), j / 2 * 8 + j % 2);
  }
  Value column(Value j) override {
    Value pair = g.add(g.multiply(g.quotient(j, 2), 8), g.remainder(j, 2));
    return g.add(pair, g.multiply(member, 2));
  }
  int64_t endOf(int64_t j) const override { return (j / 2 + 1) * 8; }
  Sums addOfRows(ArrayRef<Value> sums, const SharedRows &a, const SharedRows &b,
                 int64_t columns, int64_t inner) override;
  Sums add(ArrayRef<Value> sums, const SharedRows &a, const SharedRows &b,
           int64_t columns, int64_t inner) override;

private:
  static constexpr int64_t depth = 16;
  using Fragment = SmallVector<Value>;

  Fragment fragmentOfA(const SharedRows &a, Value k);
  /// Loads 16 columns of the product starting at begin + `first`, or 8 if there
  /// are no more: two words for every 8. `areRows`: they are rows of b, else
  /// columns.
  Fragment fragmentsOfB(const SharedRows &b, bool areRows, Value begin,
                        int64_t first, int64_t columns, Value k);
  Sums addAll(ArrayRef<Value> sums, const SharedRows &a, const SharedRows &b,
              bool areRows, int64_t columns, int64_t inner);
  void multiply(Sums &sums, int64_t columns, ArrayRef<Value> a,
                ArrayRef<Value> b, int64_t first);

  /// Converts words to the instruction's operands: f16 as pairs.
  void asOperands(Fragment &words);

  Type element;
  Value lane, warpRow;
  /// This team's number among those that share a row; null if there is only
  /// one.
  Value sharer;
};
} // namespace

void TensorCores::asOperands(Fragment &words) {
  if (element.isF16())
    for (Value &word : words)
      word = LLVM::BitcastOp::create(g.builder, g.loc,
                                     VectorType::get({2}, element), word);
}

TensorCores::Fragment TensorCores::fragmentOfA(const SharedRows &a, Value k) {
  Value row = g.add(warpRow, g.remainder(lane, 16)),
        column = g.add(k, g.multiply(g.quotient(lane, 16), 8));
  Fragment fragment = g.loadMatrices(a, row, column, 4, /*areTurned=*/false);
  asOperands(fragment);
  return fragment;
}

/// Loads matrices of neighbours k to k + 7, then of the next 8, of 8 columns,
/// then the same of the next 8.
TensorCores::Fragment TensorCores::fragmentsOfB(const SharedRows &b,
                                                bool areRows, Value begin,
                                                int64_t first, int64_t columns,
                                                Value k) {
  int64_t count = columns - first >= 16 ? 4 : 2;
  Value matrix = g.quotient(lane, 8), within = g.remainder(lane, 8);
  if (count == 2)
    matrix = g.remainder(matrix, 2);
  Value neighbour = g.multiply(g.remainder(matrix, 2), 8),
        column = g.multiply(g.quotient(matrix, 2), 8);
  (areRows ? column : neighbour) = g.add(areRows ? column : neighbour, within);
  neighbour = g.add(k, neighbour);
  column = g.add(g.add(begin, column), first);
  Fragment fragment = areRows
                          ? g.loadMatrices(b, column, neighbour, count, false)
                          : g.loadMatrices(b, neighbour, column, count, true);
  asOperands(fragment);
  return fragment;
}

void TensorCores::multiply(Sums &sums, int64_t columns, ArrayRef<Value> a,
                           ArrayRef<Value> b, int64_t first) {
  OpBuilder &builder = g.builder;
  int64_t count = columnCount(columns), j = first / team;
  size_t places[] = {size_t(j), size_t(j + 1), size_t(count + j),
                     size_t(count + j + 1)};
  SmallVector<Value> before;
  for (size_t place : places)
    before.push_back(sums[place]);
  Type real = builder.getF32Type();
  auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                 {real, real, real, real});
  NVVM::MMATypes type =
      element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16;
  Value made = NVVM::MmaOp::create(
      builder, g.loc, result, a, b, before, ArrayRef<int64_t>{16, 8, depth},
      std::nullopt, std::nullopt, std::array<NVVM::MMATypes, 2>{type, type},
      std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                     NVVM::MMALayout::col});
  for (auto [k, place] : llvm::enumerate(places))
    sums[place] = LLVM::ExtractValueOp::create(builder, g.loc, made, k);
}

TileProduct::Sums TensorCores::addAll(ArrayRef<Value> sums, const SharedRows &a,
                                      const SharedRows &b, bool areRows,
                                      int64_t columns, int64_t inner) {
  Value begin = firstColumn(columns);
  int64_t own = columns / sharers;
  auto next = [&](Value k, ValueRange before) {
    Sums sums(before);
    Fragment rows = fragmentOfA(a, k);
    for (int64_t first = 0; first < own; first += 16) {
      Fragment both = fragmentsOfB(b, areRows, begin, first, own, k);
      for (size_t i = 0; i < both.size(); i += 2)
        multiply(sums, columns, rows, ArrayRef<Value>(both).slice(i, 2),
                 first + 4 * i);
    }
    return sums;
  };
  return g.fold(g.constant(0), inner, depth, sums, next);
}

TileProduct::Sums TensorCores::addOfRows(ArrayRef<Value> sums,
                                         const SharedRows &a,
                                         const SharedRows &b, int64_t columns,
                                         int64_t inner) {
  return addAll(sums, a, b, /*areRows=*/true, columns, inner);
}

TileProduct::Sums TensorCores::add(ArrayRef<Value> sums, const SharedRows &a,
                                   const SharedRows &b, int64_t columns,
                                   int64_t inner) {
  return addAll(sums, a, b, /*areRows=*/false, columns, inner);
}

std::unique_ptr<TileProduct> TileProduct::create(GpuBlock &g, Type element,
                                                 int64_t rows) {
  if (hasTensorCores(element))
    return std::make_unique<TensorCores>(g, element, rows);
  return std::make_unique<MultiplyAdds>(g, rows);
}

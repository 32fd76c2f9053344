//===- TileProduct.cpp - Products of tiles in shared memory ---------------===//

#include "TileProduct.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace reprise;

/// Numbers that are loaded at once.
static constexpr int64_t kLanes = 4;

TileProduct::TileProduct(GpuBlock &g, int64_t rows) : g(g) {
  member = g.remainder(g.thread, team);
  Value first = g.quotient(g.thread, team);
  int64_t stride = g.threads / team;
  for (int64_t i = 0; i < rows / stride; ++i)
    rowNumbers.push_back(g.add(first, i * stride));
}

Value TileProduct::row(Value i) {
  Value stride = g.constant(g.threads / team);
  return arith::AddIOp::create(
      g.builder, g.loc, rowNumbers.front(),
      arith::MulIOp::create(g.builder, g.loc, i, stride));
}

Value TileProduct::column(Value j) {
  return g.add(g.multiply(j, team), member);
}

TileProduct::Sums TileProduct::zeros(int64_t columns) {
  return Sums(rowCount() * columnCount(columns), g.number(0));
}

void TileProduct::addFour(Sums &sums, ArrayRef<Value> a,
                          llvm::function_ref<Value(int64_t, int64_t)> b,
                          int64_t columns) {
  OpBuilder &builder = g.builder;
  int64_t count = columnCount(columns);
  for (int64_t k = 0; k < kLanes; ++k) {
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

SmallVector<Value> TileProduct::rowsAt(const SharedRows &a, Value k) {
  SmallVector<Value> rows;
  for (int64_t i = 0; i < rowCount(); ++i)
    rows.push_back(g.load(a, row(i), k, kLanes));
  return rows;
}

TileProduct::Sums TileProduct::ofRows(const SharedRows &a, const SharedRows &b,
                                      int64_t columns, int64_t inner) {
  auto next = [&](Value k, ValueRange before) {
    Sums sums(before);
    SmallVector<Value> others;
    for (int64_t j = 0; j < columnCount(columns); ++j)
      others.push_back(g.load(b, column(j), k, kLanes));
    addFour(
        sums, rowsAt(a, k),
        [&](int64_t l, int64_t j) -> Value {
          return vector::ExtractOp::create(g.builder, g.loc, others[j], l);
        },
        columns);
    return sums;
  };
  return g.fold(g.constant(0), inner, kLanes, zeros(columns), next);
}

TileProduct::Sums TileProduct::add(ArrayRef<Value> sums, const SharedRows &a,
                                   const SharedRows &b, int64_t columns,
                                   int64_t inner) {
  auto next = [&](Value k, ValueRange before) {
    Sums sums(before);
    addFour(
        sums, rowsAt(a, k),
        [&](int64_t l, int64_t j) { return g.load(b, g.add(k, l), column(j)); },
        columns);
    return sums;
  };
  return g.fold(g.constant(0), inner, kLanes, sums, next);
}

//===- TileProduct.cpp - Products of tiles in shared memory ---------------===//
//
// Multiply-adds: each is rounded once, sums are in the order of what is summed
// over. A thread has every 16th row and every 8th column, so that neighbours
// load neighbours of a row of b, or rows of it from different banks.
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
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "reprise/Codegen/GpuKernels.h"
#include "reprise/Fault.h"

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

  /// Adds products of that many numbers of each of some rows and columns.
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
    group = g.quotient(g.remainder(g.thread, kWarpThreads), team);
    Value first = g.add(g.multiply(warp, 16), group);
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

  /// Two numbers as the instruction takes them: bf16 as a word.
  Value word(Value pair);
  Fragment fragmentOfA(const SharedRows &a, Value k);
  /// Columns from begin + `first` on, which are rows of b.
  Fragment fragmentOfRows(const SharedRows &b, Value begin, int64_t first,
                          Value k);
  Fragment fragmentOfColumns(const SharedRows &b, Value begin, int64_t first,
                             Value k);
  void multiply(Sums &sums, int64_t columns, const Fragment &a,
                const Fragment &b, int64_t first);

  Type element;
  Value group;
  /// Which of the teams that share a row this is; null where none do.
  Value sharer;
};
} // namespace

Value TensorCores::word(Value pair) {
  if (element.isF16())
    return pair;
  return LLVM::BitcastOp::create(g.builder, g.loc, g.builder.getI32Type(),
                                 pair);
}

TensorCores::Fragment TensorCores::fragmentOfA(const SharedRows &a, Value k) {
  Fragment fragment;
  Value at = g.add(k, g.multiply(member, 2));
  for (int64_t half : {0, 8})
    for (int64_t i : {0, 1})
      fragment.push_back(word(g.load(a, row(i), g.add(at, half), 2)));
  REPRISE_FAULT("gpu-fragment-of-other-rows",
                std::swap(fragment[1], fragment[2]));
  return fragment;
}

TensorCores::Fragment TensorCores::fragmentOfRows(const SharedRows &b,
                                                  Value begin, int64_t first,
                                                  Value k) {
  Fragment fragment;
  Value at = g.add(k, g.multiply(member, 2)),
        row = g.add(g.add(group, begin), first);
  for (int64_t half : {0, 8})
    fragment.push_back(word(g.load(b, row, g.add(at, half), 2)));
  return fragment;
}

TensorCores::Fragment TensorCores::fragmentOfColumns(const SharedRows &b,
                                                     Value begin, int64_t first,
                                                     Value k) {
  Fragment fragment;
  Value at = g.add(k, g.multiply(member, 2)),
        column = g.add(g.add(group, begin), first);
  for (int64_t half : {0, 8}) {
    Value low = g.load(b, g.add(at, half), column),
          high = g.load(b, g.add(at, half + 1), column);
    fragment.push_back(word(vector::FromElementsOp::create(
        g.builder, g.loc, VectorType::get({2}, element),
        ValueRange{low, high})));
  }
  return fragment;
}

void TensorCores::multiply(Sums &sums, int64_t columns, const Fragment &a,
                           const Fragment &b, int64_t first) {
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

TileProduct::Sums TensorCores::addOfRows(ArrayRef<Value> sums,
                                         const SharedRows &a,
                                         const SharedRows &b, int64_t columns,
                                         int64_t inner) {
  Value begin = firstColumn(columns);
  auto next = [&](Value k, ValueRange before) {
    Sums sums(before);
    Fragment rows = fragmentOfA(a, k);
    for (int64_t first = 0; first < columns / sharers; first += 8)
      multiply(sums, columns, rows, fragmentOfRows(b, begin, first, k), first);
    return sums;
  };
  return g.fold(g.constant(0), inner, depth, sums, next);
}

TileProduct::Sums TensorCores::add(ArrayRef<Value> sums, const SharedRows &a,
                                   const SharedRows &b, int64_t columns,
                                   int64_t inner) {
  Value begin = firstColumn(columns);
  auto next = [&](Value k, ValueRange before) {
    Sums sums(before);
    Fragment rows = fragmentOfA(a, k);
    for (int64_t first = 0; first < columns / sharers; first += 8)
      multiply(sums, columns, rows, fragmentOfColumns(b, begin, first, k),
               first);
    return sums;
  };
  return g.fold(g.constant(0), inner, depth, sums, next);
}

std::unique_ptr<TileProduct> TileProduct::create(GpuBlock &g, Type element,
                                                 int64_t rows) {
  if (hasTensorCores(element))
    return std::make_unique<TensorCores>(g, element, rows);
  return std::make_unique<MultiplyAdds>(g, rows);
}

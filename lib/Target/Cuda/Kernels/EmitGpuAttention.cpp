//===- EmitGpuAttention.cpp - Attention by tiles on a GPU -----------------===//
//
// For each query, the forward sweep keeps the largest score so far, the sum of
// exponentials relative to it and the sum of values with these weights; a
// larger score rescales the sums (Dao et al. 2022, arXiv 2205.14135).
// Everything except tiles and weights is in registers of the team that owns the
// row:
//
//   queries -> shared
//   for each tile of keys
//     keys, values -> shared             barriers around it
//     scores, in registers
//     weights -> shared                  read by the row's own warp
//     sums = factor sums + weights values
//
// Tensor cores read 16-bit numbers unconverted. Sums and scores are f32;
// weights are rounded before they are multiplied with values, sums at the end,
// as the op specifies.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace reprise;

AttentionEmitter::AttentionEmitter(GpuBlock &g, const AttentionShape &shape,
                                   const SweepShape &sweep,
                                   const AttentionPointers &pointers,
                                   Value memory, Value numbers)
    : g(g), b(g.builder), shape(shape), form(shape.form), sweep(sweep),
      at(pointers), owned(TileProduct::create(g, form.element, sweep.rows)),
      product(*owned), memory(memory),
      rowsAreQueries(sweep.sweep != AttentionSweep::Keys),
      columnCount(product.columnCount(sweep.columns)) {
  int64_t pitch = shape.pitchOf(shape.width);
  bool isForward = sweep.sweep == AttentionSweep::Forward;
  ofRows[0] = allot(sweep.rows, pitch);
  if (!isForward)
    ofRows[1] = allot(sweep.rows, pitch);
  ofColumns[0] = allot(sweep.columns, pitch);
  ofColumns[1] = allot(sweep.columns, pitch);
  weights = allot(sweep.rows, shape.pitchOf(sweep.columns));
  int64_t queries = shape.mostQueries();
  statistics[0] = {numbers, 0, queries};
  statistics[1] = {numbers, queries, queries};
  if (!at.seed)
    return;
  Value first = g.constant(0);
  seed = g.loadGlobal(at.seed, b.getI64Type(), first);
  step = g.loadGlobal(at.step, b.getI64Type(), first);
}

SharedRows AttentionEmitter::allot(int64_t rows, int64_t pitch) {
  SharedRows result{memory, allotted, pitch};
  allotted += rows * pitch;
  return result;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void AttentionEmitter::beginRows(Value block) {
  Value pair = g.quotient(block, sweep.rowTiles);
  rowFirst = g.multiply(g.remainder(block, sweep.rowTiles), sweep.rows);
  sample = g.quotient(pair, form.heads);
  head = g.remainder(pair, form.heads);
}

Value AttentionEmitter::positionOf(Part part, Value token, Value column) {
  Value row = g.add(g.multiply(sample, form.tokens), token);
  if (part != Part::Result)
    row = g.add(g.multiply(row, 3), static_cast<int64_t>(part));
  row = g.add(g.multiply(row, form.heads), head);
  return g.add(g.multiply(row, form.width), column);
}

/// Converts numbers of the op to the number type of tiles.
Value AttentionEmitter::asTile(Value x) {
  return shape.usesTensorCores ? x : g.widened(x);
}

/// The most numbers that divide a head and take at most 16 bytes.
int64_t AttentionEmitter::lanesOfHead() const {
  int64_t lanes = shape.usesTensorCores ? 8 : 4;
  while (form.width % lanes)
    lanes /= 2;
  return lanes;
}

void AttentionEmitter::bring(const SharedRows &rows, Value pointer, Part part,
                             Value first, int64_t count) {
  int64_t lanes = lanesOfHead(), each = shape.width / lanes;
  Type type = shape.numberType();
  if (lanes > 1)
    type = VectorType::get({lanes}, type);
  g.forEach(g.thread, count * each, g.threads, [&](Value i) {
    Value row = g.quotient(i, each);
    Value column = g.multiply(g.remainder(i, each), lanes);
    Value token = g.add(first, row);
    auto load = [&] {
      return asTile(g.loadGlobal(pointer, form.element,
                                 positionOf(part, token, column), lanes));
    };
    Value isThere =
        g.both(g.isLess(token, form.tokens), g.isLess(column, form.width));
    bool mayMiss = form.tokens % count || form.width != shape.width;
    Value x = mayMiss ? g.select(isThere, type, load,
                                 [&] { return g.splat(type, 0); })
                      : load();
    g.store(x, rows, row, column);
  });
}

/// An access after an end reads the last element and discards it, so that no
/// thread branches between its loads.
AttentionEmitter::Put AttentionEmitter::fetch(const SharedRows &rows,
                                              Value pointer, Part part,
                                              Value first, int64_t count) {
  int64_t lanes = lanesOfHead(), each = shape.width / lanes;
  constexpr int64_t most = 4; // loads that registers can hold
  if (count * each % g.threads || count * each / g.threads > most)
    return [=] { bring(rows, pointer, part, first, count); };
  struct Piece {
    Value x, row, column;
  };
  SmallVector<Piece> pieces;
  for (int64_t i = 0; i < count * each; i += g.threads) {
    Value number = g.add(g.thread, i);
    Value row = g.quotient(number, each);
    Value column = g.multiply(g.remainder(number, each), lanes);
    Value token = g.add(first, row), from = column;
    Value isThere =
        g.both(g.isLess(token, form.tokens), g.isLess(column, form.width));
    bool mayMiss = form.tokens % count || form.width != shape.width;
    if (form.tokens % count)
      token = g.below(token, form.tokens);
    if (form.width != shape.width)
      from = g.below(column, form.width - lanes + 1);
    Value x = asTile(g.loadGlobal(pointer, form.element,
                                  positionOf(part, token, from), lanes));
    if (mayMiss)
      x = choose(isThere, x, g.splat(x.getType(), 0));
    pieces.push_back({x, row, column});
  }
  return [=] {
    for (const Piece &piece : pieces)
      g.store(piece.x, rows, piece.row, piece.column);
  };
}

static void putAll(ArrayRef<std::function<void()>> puts) {
  for (const std::function<void()> &put : puts)
    put();
}

void AttentionEmitter::storeRows(ArrayRef<Value> sums, Value pointer,
                                 Part part) {
  int64_t columns = product.columnCount(shape.width);
  for (int64_t i = 0; i < product.rowCount(); ++i) {
    Value token = g.add(rowFirst, product.row(i));
    g.ifThen(g.isLess(token, form.tokens), [&] {
      // With tensor cores a thread has pairs of neighbours.
      int64_t lanes = shape.usesTensorCores && form.width % 2 == 0 ? 2 : 1;
      for (int64_t j = 0; j < columns; j += lanes) {
        Value column = product.column(j);
        auto store = [&] {
          Value x = sums[i * columns + j];
          if (lanes > 1)
            x = vector::FromElementsOp::create(
                b, g.loc, VectorType::get({lanes}, x.getType()),
                sums.slice(i * columns + j, lanes));
          g.storeGlobal(g.narrowed(x, form.element), pointer,
                        positionOf(part, token, column));
        };
        if (product.endOf(j + lanes - 1) <= form.width)
          store();
        else
          g.ifThen(g.isLess(column, form.width), store);
      }
    });
  }
}

SmallVector<Value>
AttentionEmitter::forEachTile(ValueRange init, ArrayRef<Put> own,
                              llvm::function_ref<Puts(Value)> fetchTile,
                              GpuBlock::FoldBody run) {
  bool waits = true;
  if (sweep.columnTiles == 1) {
    // All loads are issued before the first is waited for.
    Value first = g.constant(0);
    Puts tile = fetchTile(first);
    putAll(own);
    putAll(tile);
    if (waits)
      g.barrier();
    return run(first, init);
  }
  putAll(own);
  return g.fold(g.constant(0), form.tokens, sweep.columns, init,
                [&](Value first, ValueRange before) {
                  Puts tile = fetchTile(first);
                  bool isFree = true;
                  if (isFree)
                    g.barrier();
                  putAll(tile);
                  if (waits)
                    g.barrier();
                  return run(first, before);
                });
}

SmallVector<Value> AttentionEmitter::termsOf(ArrayRef<Value> tokens,
                                             bool areQueries) {
  Values terms;
  for (Value token : tokens)
    terms.push_back(
        g.multiply(g.below(token, form.tokens), areQueries ? form.tokens : 1));
  return terms;
}

AttentionEmitter::Tile AttentionEmitter::tileAt(Value columnFirst) {
  Tile tile;
  Values rows, columns;
  for (int64_t i = 0; i < product.rowCount(); ++i)
    rows.push_back(g.add(rowFirst, product.row(i)));
  for (int64_t j = 0; j < columnCount; ++j)
    columns.push_back(g.add(columnFirst, product.column(j)));
  tile.rowTerms = termsOf(rows, rowsAreQueries);
  tile.columnTerms = termsOf(columns, !rowsAreQueries);
  bool mayMiss = form.tokens % sweep.columns;
  if (mayMiss)
    for (Value column : columns)
      tile.isThere.push_back(g.isLess(column, form.tokens));
  return tile;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Value AttentionEmitter::beginOfMatrix(Value row) {
  Value matrix = g.add(g.multiply(row, form.heads), head);
  return g.multiply(matrix, form.tokens * form.tokens);
}

SmallVector<Value> AttentionEmitter::scoresOf(ArrayRef<Value> products,
                                              const Tile &tile) {
  Value begin;
  if (at.bias) {
    Value row = g.remainder(sample, form.biasRows);
    begin = beginOfMatrix(row);
  }
  Values scores;
  for (auto [n, product] : llvm::enumerate(products)) {
    Value score = times(product, g.number(form.scale));
    if (at.bias) {
      Value place = g.add(begin, g.add(tile.rowTerms[n / columnCount],
                                       tile.columnTerms[n % columnCount]));
      score = plus(score, g.loadGlobal(at.bias, b.getF32Type(), place));
    }
    scores.push_back(score);
  }
  return scores;
}

/// Drawn in a loop, because a number takes a hundred instructions, and stored
/// where the thread's weights will be.
SmallVector<Value> AttentionEmitter::factorsOf(Value columnFirst) {
  if (!seed)
    return {};
  Value begin = beginOfMatrix(sample);
  Value bound = g.number(form.probability);
  Type number = shape.numberType();
  Value one = g.splat(number, 1), zero = g.splat(number, 0);
  int64_t count = product.rowCount() * columnCount;
  g.forEach(g.constant(0), count, 1, [&](Value n) {
    Value row = product.row(g.quotient(n, columnCount)),
          column = product.column(g.remainder(n, columnCount));
    Value query = g.add(rowFirst, row), key = g.add(columnFirst, column);
    if (!rowsAreQueries)
      std::swap(query, key);
    Value place = g.add(begin, g.add(g.multiply(query, form.tokens), key));
    Value draw = emitUniform(g, place, seed, step, form.stream);
    Value isKept =
        arith::CmpFOp::create(b, g.loc, arith::CmpFPredicate::OGE, draw, bound);
    g.store(choose(isKept, one, zero), weights, row, column);
  });
  Values factors;
  for (int64_t n = 0; n < count; ++n) {
    Value kept = g.load(weights, product.row(n / columnCount),
                        product.column(n % columnCount));
    factors.push_back(
        times(g.widened(kept), g.number(1.0 / (1.0 - form.probability))));
  }
  return factors;
}

Value AttentionEmitter::exponential(Value x) {
  return math::ExpOp::create(b, g.loc, x);
}

void AttentionEmitter::storeWeights(ArrayRef<Value> values) {
  for (auto [n, value] : llvm::enumerate(values))
    g.store(asTile(g.narrowed(value, form.element)), weights,
            product.row(n / columnCount), product.column(n % columnCount));
  g.warpBarrier();
}

//===----------------------------------------------------------------------===//
// The forward sweep
//===----------------------------------------------------------------------===//

/// Turns a row's scores into weights and updates `sums`, `total` and `top`. If
/// all scores so far are minus infinity, nothing is subtracted and their
/// weights are zero.
void AttentionEmitter::softmaxRow(MutableArrayRef<Value> scores,
                                  MutableArrayRef<Value> sums, Value &top,
                                  Value &total) {
  auto larger = [&](Value x, Value y) -> Value {
    return arith::MaximumFOp::create(b, g.loc, x, y);
  };
  Value most = scores.front();
  for (Value score : scores.drop_front())
    most = larger(most, score);
  most = larger(top, g.teamMaximum(most, product.team));
  Value none = arith::CmpFOp::create(b, g.loc, arith::CmpFPredicate::OEQ, most,
                                     g.number(-INFINITY));
  Value base = choose(none, g.number(0), most);
  Value factor = exponential(minus(top, base));
  Value sum;
  for (Value &score : scores) {
    score = exponential(minus(score, base));
    sum = sum ? plus(sum, score) : score;
  }
  total = plus(times(total, factor), g.teamSum(sum, product.team));
  for (Value &each : sums)
    each = times(each, factor);
  top = most;
}

/// Takes the state of a thread's rows (sums, then the largest scores, then the
/// sums of exponentials) and adds a tile of keys to it.
SmallVector<Value> AttentionEmitter::addTile(Value first, ValueRange before) {
  int64_t rows = product.rowCount(), width = product.columnCount(shape.width);
  Tile tile = tileAt(first);
  Values scores = scoresOf(
      product.ofRows(ofRows[0], ofColumns[0], sweep.columns, shape.width),
      tile);
  if (!tile.isThere.empty())
    for (auto [n, score] : llvm::enumerate(scores))
      score = choose(tile.isThere[n % columnCount], score, g.number(-INFINITY));
  Values after(before);
  MutableArrayRef<Value> all(after), sums = all.take_front(rows * width);
  for (int64_t i = 0; i < rows; ++i)
    softmaxRow(
        MutableArrayRef<Value>(scores).slice(i * columnCount, columnCount),
        sums.slice(i * width, width), all[rows * width + i],
        all[rows * width + rows + i]);
  for (auto [score, factor] : llvm::zip(scores, factorsOf(first)))
    score = times(score, factor);
  storeWeights(scores);
  llvm::copy(
      product.add(sums, weights, ofColumns[1], shape.width, sweep.columns),
      sums.begin());
  return after;
}

void AttentionEmitter::emitForward() {
  int64_t rows = product.rowCount(), width = product.columnCount(shape.width);
  Puts own = {fetch(ofRows[0], at.qkv, Part::Query, rowFirst, sweep.rows)};
  Values init = product.zeros(shape.width);
  init.append(rows, g.number(-INFINITY));
  init.append(rows, g.number(0));
  auto keys = [&](Value first) -> Puts {
    return {fetch(ofColumns[0], at.qkv, Part::Key, first, sweep.columns),
            fetch(ofColumns[1], at.qkv, Part::Value, first, sweep.columns)};
  };
  Values all =
      forEachTile(init, own, keys, [&](Value first, ValueRange before) {
        return addTile(first, before);
      });
  Values sums(ArrayRef<Value>(all).take_front(rows * width));
  ArrayRef<Value> tops = ArrayRef<Value>(all).slice(rows * width, rows),
                  totals = ArrayRef<Value>(all).take_back(rows);
  for (auto [n, sum] : llvm::enumerate(sums))
    sum = arith::DivFOp::create(b, g.loc, sum, totals[n / width]);
  storeRows(sums, at.y, Part::Result);
  storeLse(tops, totals);
}

void AttentionEmitter::storeLse(ArrayRef<Value> tops, ArrayRef<Value> totals) {
  for (int64_t i = 0; i < product.rowCount(); ++i) {
    Value token = g.add(rowFirst, product.row(i));
    Value lse = plus(math::LogOp::create(b, g.loc, totals[i]), tops[i]);
    Value stores =
        g.both(g.isZero(product.member), g.isLess(token, form.tokens));
    g.ifThen(stores, [&] {
      Value row = g.add(g.multiply(sample, form.heads), head);
      g.storeGlobal(lse, at.lse, g.add(g.multiply(row, form.tokens), token));
    });
  }
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Traverses from the end, like pointwise and row kernels; the neighbouring
/// kernels are products. Keys are traversed in the opposite direction, after
/// queries, which leave the beginning in the cache.
void AttentionEmitter::emit(Value block) {
  Value fromTheEnd =
      arith::SubIOp::create(b, g.loc, g.constant(sweep.blocks - 1), block);
  switch (sweep.sweep) {
  case AttentionSweep::Forward:
    beginRows(fromTheEnd);
    return emitForward();
  case AttentionSweep::Queries:
    beginRows(fromTheEnd);
    return emitQueries();
  case AttentionSweep::Keys:
    beginRows(block);
    return emitKeys();
  case AttentionSweep::Bias:
    return emitBias(block);
  }
}

/// `pointers`: those of the body's arguments, of its yielded values and of the
/// workspace.
static AttentionPointers pointersOf(const AttentionForm &form, Block &body,
                                    ArrayRef<Value> pointers) {
  auto ofOperand = [&](Value operand) -> Value {
    if (!operand)
      return {};
    return pointers[cast<BlockArgument>(operand).getArgNumber()];
  };
  auto ofResult = [&](Value result) -> Value {
    for (auto [i, yielded] :
         llvm::enumerate(body.getTerminator()->getOperands()))
      if (result && yielded == result)
        return pointers[body.getNumArguments() + i];
    return {};
  };
  auto ofEither = [&](Value value) {
    return form.isGrad ? ofOperand(value) : ofResult(value);
  };
  const sg::AttentionParts &parts = form.parts;
  AttentionPointers at;
  at.qkv = ofOperand(parts.qkv);
  at.bias = ofOperand(parts.bias);
  at.seed = ofOperand(parts.seed);
  at.step = ofOperand(parts.step);
  at.y = ofEither(parts.y);
  at.lse = ofEither(parts.lse);
  at.dy = ofOperand(parts.dy);
  at.dqkv = ofResult(parts.dqkv);
  at.dbias = ofResult(parts.dbias);
  at.workspace = pointers.back();
  return at;
}

LogicalResult reprise::checkGpuAttention(Block &body) {
  Operation *op = attentionIn(body);
  bool isAlone =
      llvm::hasSingleElement(body.without_terminator()) &&
      llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>) &&
      op->getResults() == body.getTerminator()->getOperands();
  if (!isAlone)
    return op->emitOpError("needs a kernel of its own, which yields what it "
                           "makes");
  if (std::string why = whyNoGpuAttention(AttentionForm(op)); !why.empty())
    return op->emitOpError() << "runs by no block of a GPU: " << why;
  return success();
}

void reprise::emitGpuAttention(OpBuilder &b, gpu::GPUFuncOp function,
                               Block &body) {
  AttentionShape shape{AttentionForm(attentionIn(body))};
  GpuBlock g(b, function, shape.grid().threads);
  // Copied before shared memory is added as an argument.
  SmallVector<Value> arguments(function.getArguments());
  AttentionPointers pointers = pointersOf(shape.form, body, arguments);
  auto space = gpu::AddressSpaceAttr::get(
      b.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  auto share = [&](int64_t count, Type type) {
    return function.addWorkgroupAttribution(
        MemRefType::get({count}, type, MemRefLayoutAttrInterface(), space),
        g.loc);
  };
  Value memory = share(shape.sharedNumbers(), shape.numberType());
  // The alignment of 16-byte vectors, which the number type does not imply.
  int64_t alignment = 16;
  function.setWorkgroupAttributionAttr(0, LLVM::LLVMDialect::getAlignAttrName(),
                                       b.getI64IntegerAttr(alignment));
  Value numbers = share(2 * shape.mostQueries(), b.getF32Type());
  int64_t begin = 0;
  for (const SweepShape &sweep : shape.sweeps) {
    Value number = g.add(g.block, -begin);
    begin += sweep.blocks;
    auto run = [&] {
      AttentionEmitter(g, shape, sweep, pointers, memory, numbers).emit(number);
    };
    if (shape.sweeps.size() == 1)
      run();
    else // As unsigned numbers, earlier blocks are large.
      g.ifThen(g.inBounds(number, sweep.blocks), run);
  }
}

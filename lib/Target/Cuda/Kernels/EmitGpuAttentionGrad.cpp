//===- EmitGpuAttentionGrad.cpp - Gradient of attention by tiles ----------===//
//
// Scores s are recomputed. With the weights p = e^(s - lse), the kept ones of
// them p', the cotangent of a weight dp = dy . v, and delta = sum dy * y,
//
//   ds = p (dp' - delta),  dq = scale ds k,  dk = scale ds^T q,  dv = p'^T dy
//
// (Dao et al. 2022, arXiv 2205.14135). No sum is split among blocks: a block
// that owns keys computes the scores transposed, so its sums are sums of a row
// as well. The exception is a bias's gradient, a sum over samples, which blocks
// may share: they store partial sums in the workspace, and the last block adds
// them in their order; see GpuCounters.h.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "GpuCounters.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace reprise;

/// Loads the log-sum-exp and delta of `count` queries starting at `first`, with
/// zeros after the last query. One team of threads handles each query.
void AttentionEmitter::bringStatistics(Value first, int64_t count) {
  int64_t team = product.team;
  Type real = b.getF32Type();
  g.forEach(g.quotient(g.thread, team), count, g.threads / team, [&](Value i) {
    Value token = g.add(first, i);
    // Teams of one warp exchange numbers at the same time, so all of them add.
    Value row = g.below(token, form.tokens);
    auto number = [&](Value pointer, Value column) {
      return g.widened(g.loadGlobal(pointer, form.element,
                                    positionOf(Part::Result, row, column)));
    };
    Value sum = g.fold(product.member, form.width, team, {g.number(0)},
                       [&](Value column, ValueRange before) {
                         Value x = number(at.y, column);
                         Value y = number(at.dy, column);
                         return Values{math::FmaOp::create(b, g.loc, x, y,
                                                           before.front())};
                       })
                    .front();
    Value delta = g.teamSum(sum, team);
    Value pair = g.add(g.multiply(sample, form.heads), head);
    Value lse =
        g.loadGlobal(at.lse, real, g.add(g.multiply(pair, form.tokens), row));
    storeStatistics(i, g.isLess(token, form.tokens), lse, delta);
  });
}

/// Called by one thread of the row's team.
void AttentionEmitter::storeStatistics(Value row, Value isThere, Value lse,
                                       Value delta) {
  g.ifThen(g.isZero(product.member), [&] {
    Value zero = g.constant(0);
    g.store(choose(isThere, lse, g.number(0)), statistics[0], zero, row);
    g.store(choose(isThere, delta, g.number(0)), statistics[1], zero, row);
  });
}

/// The same in two steps, for the case that each thread of a team has an equal
/// number of whole vectors of a row and each team an equal number of rows.
AttentionEmitter::Put AttentionEmitter::fetchStatistics(Value first,
                                                        int64_t count) {
  int64_t team = product.team, teams = g.threads / team;
  int64_t lanes = lanesOfHead();
  constexpr int64_t most = 4; // loads that registers can hold
  if (count % teams || form.width % (lanes * team) ||
      form.width / (lanes * team) * (count / teams) > most)
    return [=] { bringStatistics(first, count); };
  struct Row {
    Value number, isThere, lse;
    Values y, dy;
  };
  SmallVector<Row> rows;
  for (int64_t i = 0; i < count; i += teams) {
    Row row;
    row.number = g.add(g.quotient(g.thread, team), i);
    Value token = g.add(first, row.number);
    row.isThere = g.isLess(token, form.tokens);
    token = g.below(token, form.tokens);
    for (int64_t v = 0; v < form.width; v += lanes * team) {
      Value column = g.add(g.multiply(product.member, lanes), v);
      Value place = positionOf(Part::Result, token, column);
      row.y.push_back(g.loadGlobal(at.y, form.element, place, lanes));
      row.dy.push_back(g.loadGlobal(at.dy, form.element, place, lanes));
    }
    Value pair = g.add(g.multiply(sample, form.heads), head);
    row.lse = g.loadGlobal(at.lse, b.getF32Type(),
                           g.add(g.multiply(pair, form.tokens), token));
    rows.push_back(std::move(row));
  }
  return [=] {
    for (const Row &row : rows) {
      Value sum = g.number(0);
      auto add = [&](Value x, Value y) {
        sum = math::FmaOp::create(b, g.loc, g.widened(x), g.widened(y), sum);
      };
      for (auto [x, y] : llvm::zip_equal(row.y, row.dy))
        for (int64_t lane = 0; lane < lanes; ++lane)
          if (lanes == 1)
            add(x, y);
          else
            add(vector::ExtractOp::create(b, g.loc, x, lane),
                vector::ExtractOp::create(b, g.loc, y, lane));
      storeStatistics(row.number, row.isThere, row.lse, g.teamSum(sum, team));
    }
  };
}

/// Computes the weights of the current tiles.
AttentionEmitter::Weights AttentionEmitter::weightsOf(Value columnFirst) {
  Tile tile = tileAt(columnFirst);
  Values scores = scoresOf(
      product.ofRows(ofRows[0], ofColumns[0], sweep.columns, shape.width),
      tile);
  Values slopes =
      product.ofRows(ofRows[1], ofColumns[1], sweep.columns, shape.width);
  Values factors = factorsOf(columnFirst);
  auto statisticsOf = [&](const SharedRows &from) {
    Values loaded;
    for (size_t n = 0; n < scores.size(); ++n) {
      bool isKnown =
          rowsAreQueries ? n % columnCount != 0 : n >= size_t(columnCount);
      if (isKnown)
        loaded.push_back(loaded[rowsAreQueries ? n - 1 : n % columnCount]);
      else
        loaded.push_back(g.load(from, g.constant(0),
                                rowsAreQueries
                                    ? product.row(n / columnCount)
                                    : product.column(n % columnCount)));
    }
    return loaded;
  };
  Values lse = statisticsOf(statistics[0]), delta = statisticsOf(statistics[1]);
  Weights weights;
  for (size_t n = 0; n < scores.size(); ++n) {
    Value p = exponential(minus(scores[n], lse[n]));
    if (!tile.isThere.empty())
      p = choose(tile.isThere[n % columnCount], p, g.number(0));
    Value slope = factors.empty() ? slopes[n] : times(slopes[n], factors[n]);
    weights.kept.push_back(factors.empty() ? p : times(p, factors[n]));
    weights.slopes.push_back(times(p, minus(slope, delta[n])));
  }
  return weights;
}

SmallVector<Value> AttentionEmitter::scaled(ArrayRef<Value> values) {
  Values result;
  for (Value value : values)
    result.push_back(times(value, g.number(form.scale)));
  return result;
}

void AttentionEmitter::emitQueries() {
  Puts own = {fetch(ofRows[0], at.qkv, Part::Query, rowFirst, sweep.rows),
              fetch(ofRows[1], at.dy, Part::Result, rowFirst, sweep.rows),
              fetchStatistics(rowFirst, sweep.rows)};
  auto keys = [&](Value first) -> Puts {
    return {fetch(ofColumns[0], at.qkv, Part::Key, first, sweep.columns),
            fetch(ofColumns[1], at.qkv, Part::Value, first, sweep.columns)};
  };
  auto tile = [&](Value first, ValueRange sums) {
    storeWeights(scaled(weightsOf(first).slopes));
    return product.add(Values(sums), weights, ofColumns[0], shape.width,
                       sweep.columns);
  };
  storeRows(forEachTile(product.zeros(shape.width), own, keys, tile), at.dqkv,
            Part::Query);
}

void AttentionEmitter::emitKeys() {
  Puts own = {fetch(ofRows[0], at.qkv, Part::Key, rowFirst, sweep.rows),
              fetch(ofRows[1], at.qkv, Part::Value, rowFirst, sweep.rows)};
  auto queries = [&](Value first) -> Puts {
    return {fetch(ofColumns[0], at.qkv, Part::Query, first, sweep.columns),
            fetch(ofColumns[1], at.dy, Part::Result, first, sweep.columns),
            fetchStatistics(first, sweep.columns)};
  };
  Values init = product.zeros(shape.width);
  size_t count = init.size();
  init.append(product.zeros(shape.width));
  auto tile = [&](Value first, ValueRange before) {
    Weights found = weightsOf(first);
    Values sums(before);
    storeWeights(found.kept);
    Values values = product.add(ArrayRef<Value>(sums).take_back(count), weights,
                                ofColumns[1], shape.width, sweep.columns);
    // The team has read the previous weights.
    g.warpBarrier();
    storeWeights(scaled(found.slopes));
    Values keys = product.add(ArrayRef<Value>(sums).take_front(count), weights,
                              ofColumns[0], shape.width, sweep.columns);
    keys.append(values);
    return keys;
  };
  Values sums = forEachTile(init, own, queries, tile);
  storeRows(ArrayRef<Value>(sums).take_front(count), at.dqkv, Part::Key);
  storeRows(ArrayRef<Value>(sums).take_back(count), at.dqkv, Part::Value);
}

//===----------------------------------------------------------------------===//
// The gradient of a bias
//===----------------------------------------------------------------------===//

AttentionEmitter::BiasPlace AttentionEmitter::placeOfBias(Value columnFirst,
                                                          unsigned number) {
  Value query = g.add(rowFirst, product.row(number / columnCount)),
        key = g.add(columnFirst, product.column(number % columnCount));
  // The bias row takes the place of the sample.
  return {
      g.add(beginOfMatrix(sample), g.add(g.multiply(query, form.tokens), key)),
      g.both(g.isLess(query, form.tokens), g.isLess(key, form.tokens))};
}

/// Calls `run` for each element of the bias that the thread has a sum of.
void AttentionEmitter::forEachOfBias(
    Value columnFirst, llvm::function_ref<void(unsigned, Value)> run) {
  for (unsigned n = 0; n < product.rowCount() * columnCount; ++n) {
    BiasPlace place = placeOfBias(columnFirst, n);
    g.ifThen(place.isThere, [&] { run(n, place.number); });
  }
}

/// Adds the sums of the blocks that share a tile, part by part. A thread issues
/// all its loads of a part before it waits for any; for elements after the
/// matrix's end it reads the tile's first one.
SmallVector<Value> AttentionEmitter::totalsOfBias(Value columnFirst,
                                                  int64_t elements) {
  Value first = g.add(beginOfMatrix(sample),
                      g.add(g.multiply(rowFirst, form.tokens), columnFirst));
  Values places;
  for (unsigned n = 0; n < product.rowCount() * columnCount; ++n) {
    BiasPlace place = placeOfBias(columnFirst, n);
    places.push_back(choose(place.isThere, place.number, first));
  }
  int64_t parts = sweep.parts;
  auto add = [&](Value part, ValueRange before) {
    Value begin = g.multiply(part, elements);
    Values read, sums;
    for (Value place : places)
      read.push_back(
          g.loadGlobal(at.workspace, b.getF32Type(), g.add(begin, place)));
    for (auto [sum, other] : llvm::zip_equal(before, read))
      sums.push_back(plus(sum, other));
    return sums;
  };
  return g.fold(g.constant(0), parts, 1, product.zeros(sweep.columns), add);
}

/// Stores the block's sums and, in the last of the blocks that share a tile,
/// adds the sums of all.
void AttentionEmitter::addParts(ArrayRef<Value> sums, Value part, Value tile,
                                Value columnFirst) {
  int64_t elements = form.biasRows * form.heads * form.tokens * form.tokens;
  Value begin = g.multiply(part, elements);
  forEachOfBias(columnFirst, [&](unsigned n, Value place) {
    g.storeGlobal(sums[n], at.workspace, g.add(begin, place));
  });
  g.ifThen(arriveLast(b, g.function, g.thread, tile, sweep.parts), [&] {
    Values totals = totalsOfBias(columnFirst, elements);
    forEachOfBias(columnFirst, [&](unsigned n, Value place) {
      g.storeGlobal(totals[n], at.dbias, place);
    });
  });
}

void AttentionEmitter::emitBias(Value block) {
  int64_t tiles =
      form.biasRows * form.heads * sweep.rowTiles * sweep.columnTiles;
  Value tile = g.remainder(block, tiles), part = g.quotient(block, tiles);
  Value columnFirst =
      g.multiply(g.remainder(tile, sweep.columnTiles), sweep.columns);
  Value rest = g.quotient(tile, sweep.columnTiles);
  rowFirst = g.multiply(g.remainder(rest, sweep.rowTiles), sweep.rows);
  rest = g.quotient(rest, sweep.rowTiles);
  head = g.remainder(rest, form.heads);
  Value biasRow = g.quotient(rest, form.heads);
  int64_t samples = form.samples / form.biasRows;
  int64_t each = llvm::divideCeilSigned(samples, sweep.parts);
  Value begin = g.multiply(part, each);
  Value end =
      arith::MinSIOp::create(b, g.loc, g.add(begin, each), g.constant(samples));
  auto add = [&](Value number, ValueRange before) {
    sample = g.add(g.multiply(number, form.biasRows), biasRow);
    Puts puts = {
        fetch(ofRows[0], at.qkv, Part::Query, rowFirst, sweep.rows),
        fetch(ofRows[1], at.dy, Part::Result, rowFirst, sweep.rows),
        fetch(ofColumns[0], at.qkv, Part::Key, columnFirst, sweep.columns),
        fetch(ofColumns[1], at.qkv, Part::Value, columnFirst, sweep.columns),
        fetchStatistics(rowFirst, sweep.rows)};
    // The previous tiles have no more readers.
    g.barrier();
    for (const Put &put : puts)
      put();
    g.barrier();
    Values sums = weightsOf(columnFirst).slopes;
    for (auto [sum, other] : llvm::zip_equal(sums, before))
      sum = plus(other, sum);
    return sums;
  };
  Values sums =
      g.fold(begin, end, g.constant(1), product.zeros(sweep.columns), add);
  sample = biasRow;
  if (sweep.parts > 1)
    return addParts(sums, part, tile, columnFirst);
  forEachOfBias(columnFirst, [&](unsigned n, Value place) {
    g.storeGlobal(sums[n], at.dbias, place);
  });
}

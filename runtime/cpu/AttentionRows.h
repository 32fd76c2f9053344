//===- AttentionRows.h - Rows of scores -------------------------*- C++ -*-===//
//
// Sums along a row are kept for each of 16 lanes and joined by halves, products
// and sums are rounded one by one: every processor gives the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_ATTENTIONROWS_H
#define REPRISE_RUNTIME_CPU_ATTENTIONROWS_H

#include <cstdint>

namespace reprise::rt {

/// Numbers behind a row that is changed in place, products or dp, which are
/// read, and written as they were, or not at all where results go elsewhere.
constexpr int64_t kNumbersBehindRow = 15;

/// Rows of products, one behind the other, that become weights: of
/// x = scale * products + bias, e^x over its sum.
struct SoftmaxRows {
  float *products;
  /// Unless null, has the weights in bf16, rows as the products', with room for
  /// kNumbersBehindRow more; products are then undefined.
  uint16_t *rounded;
  const float *bias; // rows as the products'; may be null
  float *lse;        // becomes log sum e^x, a number a row
  float scale;
  int64_t rows;
};
void softmaxRows(const SoftmaxRows &rows, int64_t count);

/// What the gradient of a row takes and gives.
struct GradientRow {
  float *products; // becomes the weights p = e^(scale * products + bias - lse)
  float *dp;       // becomes scale * ds, with ds = p (dp - delta)
  /// Unless null, have both in bf16, with room for kNumbersBehindRow numbers
  /// behind the row, which are then undefined; so are products and dp.
  uint16_t *weights, *ds;
  const float *bias; // may be null
  float *dbias;      // has ds added, unless null
  /// Unless null, what the weights that met v were multiplied by, with room
  /// behind the row: ds = p (kept dp - delta), and products become kept p.
  const float *kept;
  float scale, lse, delta;
};
void gradientRow(const GradientRow &row, int64_t count);

/// x *= factors.
void multiplyRow(const float *factors, float *x, int64_t count);

/// The sum of x * y.
float dotRow(const float *x, const float *y, int64_t count);
float dotRow(const uint16_t *x, const uint16_t *y, int64_t count); // of bf16

/// sum += x.
void addRow(const float *x, float *sum, int64_t count);

/// Rounds to bf16.
void roundRow(const float *from, uint16_t *to, int64_t count);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_ATTENTIONROWS_H

//===- AttentionRows.h - Rows of scores -------------------------*- C++ -*-===//
//
// Sums along a row are kept for each of 16 lanes and joined by halves; products
// and sums are rounded separately: every processor gives the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_ATTENTIONROWS_H
#define REPRISE_RUNTIME_CPU_ATTENTIONROWS_H

#include <cstdint>

namespace reprise::rt {

/// The numbers after a row changed in place (products or dp) that are read, and
/// written unchanged; not written if results go elsewhere.
constexpr int64_t kNumbersBehindRow = 15;

/// Consecutive rows of products that become weights: for x = scale * products +
/// bias, e^x divided by its sum.
struct SoftmaxRows {
  float *products;
  /// Receives the weights in bf16 unless null, with the rows of the products
  /// and room for kNumbersBehindRow more numbers; products are then undefined.
  uint16_t *rounded;
  const float *bias; // rows like the products'; may be null
  float *lse;        // receives log sum e^x, one number per row
  float scale;
  int64_t rows;
};
void softmaxRows(const SoftmaxRows &rows, int64_t count);

/// Operands and results of the gradient of a row.
struct GradientRow {
  float *products; // becomes the weights p = e^(scale * products + bias - lse)
  float *dp;       // becomes scale * ds, with ds = p (dp - delta)
  /// Receive both in bf16 unless null, with room for kNumbersBehindRow numbers
  /// after the row, which are then undefined; so are products and dp.
  uint16_t *weights, *ds;
  const float *bias; // may be null
  float *dbias;      // ds is added to it, unless null
  /// The dropout factors of the weights unless null, with room after the row:
  /// ds = p (kept dp - delta), and products become kept p.
  const float *kept;
  float scale, lse, delta;
};
void gradientRow(const GradientRow &row, int64_t count);

/// x *= factors.
void multiplyRow(const float *factors, float *x, int64_t count);

/// Returns the sum of x * y.
float dotRow(const float *x, const float *y, int64_t count);
float dotRow(const uint16_t *x, const uint16_t *y, int64_t count); // of bf16

/// sum += x.
void addRow(const float *x, float *sum, int64_t count);

/// Rounds to bf16.
void roundRow(const float *from, uint16_t *to, int64_t count);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_ATTENTIONROWS_H

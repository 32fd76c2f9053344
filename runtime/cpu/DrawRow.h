//===- DrawRow.h - Random numbers of a row of weights -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CPU_DRAWROW_H
#define REPRISE_RUNTIME_CPU_DRAWROW_H

#include <cstdint>

namespace reprise::rt {

/// A dropout draw: the elements whose number, as sg.random_uniform draws it, is
/// below the probability are dropped.
struct Draw {
  int64_t seed, step, stream;
  float probability; // between 0 and 1
  float rest;        // 1 - probability: kept elements are divided by it
};

/// Computes the factors of elements [first, first + count): 0, or 1 / rest. The
/// same on every processor.
void drawRow(const Draw &draw, int64_t first, float *factors, int64_t count);
/// The same without vectors.
void drawEach(const Draw &draw, int64_t first, float *factors, int64_t count);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_DRAWROW_H

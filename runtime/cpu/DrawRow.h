//===- DrawRow.h - Random numbers of a row of weights -----------*- C++ -*-===//
#ifndef REPRISE_RUNTIME_CPU_DRAWROW_H
#define REPRISE_RUNTIME_CPU_DRAWROW_H

#include <cstdint>

namespace reprise::rt {

/// Which elements of a tensor are dropped: those whose number, as
/// sg.random_uniform draws it, is below the probability.
struct Draw {
  int64_t seed, step, stream;
  float probability; // between 0 and 1
  float rest;        // 1 - probability: what is kept is divided by it
};

/// What elements [first, first + count) are multiplied by: 0, or 1 / rest. The
/// same on every processor.
void drawRow(const Draw &draw, int64_t first, float *factors, int64_t count);
/// The same without vectors.
void drawEach(const Draw &draw, int64_t first, float *factors, int64_t count);

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_DRAWROW_H

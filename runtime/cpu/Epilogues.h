//===- Epilogues.h - What follows a product, by our own loops ---*- C++ -*-===//
//
// oneDNN's sums behind a product round as ours do, its relu does not: it makes
// 0 of a NaN, by which a run that diverged would look healthy, and +0 of -0. A
// call with a relu therefore ends with one pass of the loops here over the
// product in f32.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_RUNTIME_CPU_EPILOGUES_H
#define REPRISE_RUNTIME_CPU_EPILOGUES_H

#include "reprise/Runtime/Library.h"
#include <cstdint>
#include <vector>

namespace reprise::rt {

class Team;

/// Numbers in memory, f32 or bf16.
struct Numbers {
  void *address = nullptr;
  bool isHalf = false;
};

/// The epilogues of a call and where their operands lie.
struct EpilogueLoop {
  struct Term {
    Epilogue epilogue;
    Numbers operand; // of a bias or a sum
  };
  const float *product = nullptr;
  /// May be the product's place if it is f32.
  Numbers result;
  int64_t elements = 0;
  int64_t channels = 1; // extent of the last dimension, along which a bias lies
  std::vector<Term> terms;

  /// Elements [begin, end). Any partition gives the same bits.
  void run(int64_t begin, int64_t end) const;
  /// All of them, a part on each thread.
  void run(Team &team) const;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_EPILOGUES_H

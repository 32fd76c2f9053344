//===- Epilogues.h - Epilogues by our own loops -----------------*- C++ -*-===//
//
// oneDNN's sums after a product round like ours; its relu differs: it turns a
// NaN into 0, so that a diverged run would look healthy, and -0 into +0. A call
// with a relu therefore ends with one pass of the loops here over the product
// in f32.
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

/// The epilogues of a call and the places of their operands.
struct EpilogueLoop {
  struct Term {
    Epilogue epilogue;
    Numbers operand; // of a bias or an addition
  };
  const float *product = nullptr;
  /// May be in place of the product if that is f32.
  Numbers result;
  int64_t elements = 0;
  int64_t channels = 1; // extent of the last dimension, the bias's
  std::vector<Term> terms;

  /// Runs on elements [begin, end). Any partition gives the same bits.
  void run(int64_t begin, int64_t end) const;
  /// Runs on all elements, a part on each thread.
  void run(Team &team) const;
};

} // namespace reprise::rt

#endif // REPRISE_RUNTIME_CPU_EPILOGUES_H

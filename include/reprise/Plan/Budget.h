//===- Budget.h - The memory that a step may take ---------------*- C++ -*-===//
#ifndef REPRISE_PLAN_BUDGET_H
#define REPRISE_PLAN_BUDGET_H

#include <cstdint>

namespace reprise::plan {

/// A budget from the command line to the certificate: bytes of the whole
/// program, a share of those without recomputation, or the point below which
/// saving memory costs more time than it is worth.
struct Budget {
  enum class Kind { Bytes, Percent, Knee } kind = Kind::Knee;
  uint64_t bytes = 0;
  double percent = 0;

  static Budget ofBytes(uint64_t bytes) { return {Kind::Bytes, bytes, 0}; }
  static Budget ofPercent(double percent) {
    return {Kind::Percent, 0, percent};
  }
  static Budget knee() { return {}; }
};

} // namespace reprise::plan

#endif // REPRISE_PLAN_BUDGET_H

//===- Budget.h - The memory that a step may take ---------------*- C++ -*-===//
#ifndef REPRISE_PLAN_BUDGET_H
#define REPRISE_PLAN_BUDGET_H

#include "reprise/HostLink.h"
#include <cstdint>

namespace reprise::plan {

using reprise::HostLink;

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

/// Memory of the host that a plan may use in addition to the device's.
struct HostBudget {
  uint64_t bytes = 0; // 0: none
  HostLink link;
};

} // namespace reprise::plan

#endif // REPRISE_PLAN_BUDGET_H

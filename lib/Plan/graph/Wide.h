//===- Wide.h - Integers of 128 bits ----------------------------*- C++ -*-===//
#ifndef REPRISE_LIB_PLAN_WIDE_H
#define REPRISE_LIB_PLAN_WIDE_H

namespace reprise::plan {

/// For products of costs and bytes, and for sums over steps: up to the limits
/// of checkGraph none of them overflows.
using Wide = __int128;

} // namespace reprise::plan

#endif // REPRISE_LIB_PLAN_WIDE_H

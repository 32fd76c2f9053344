//===- Certify.cpp - Certificate of a chosen plan -------------------------===//
//
// Input:   plans, a budget, and the one of them that was chosen.
// Output:  the certificate, in whole bytes and picoseconds: bounds are rounded
//          down, costs up.
// Cost:    that of placing the smallest schedule, and of the proofs.
//
//===----------------------------------------------------------------------===//
#include "reprise/Passes/Remat.h"
#include "reprise/Plan/Choice.h"

using namespace mlir;
using namespace reprise;
using namespace reprise::rt_dialect;

/// The number of largest values that a proof names.
static constexpr size_t kPinned = 5;

static PointAttr describe(MLIRContext *context, const PlanChoice &choice,
                          uint64_t bytes) {
  const std::string &mode = choice.kernels->mode;
  return PointAttr::get(
      context, bytes, plan::wholePicoseconds(choice.milliseconds()),
      mode.empty() ? StringAttr() : StringAttr::get(context, mode));
}

static PinnedAttr describe(MLIRContext *context, const PlanProblem &problem,
                           plan::ValueId id) {
  const plan::Value &value = problem.graph.values[id];
  bool isMade = value.producer != plan::kNone;
  return PinnedAttr::get(
      context, value.name, isMade ? problem.ops[value.producer].module : "",
      value.bytes,
      isMade ? plan::picosecondsOf(problem.graph.ops[value.producer].cost) : 0);
}

CertificateAttr reprise::certify(BudgetPlans &plans, uint64_t budget,
                                 const PlanChoice &choice) {
  MLIRContext *context = plans.own().problem.function.getContext();
  PointAttr chosen = describe(context, choice, choice.stepBytes());
  plan::LowerBound bound = plans.boundAt(budget);
  // Both are sums of the same kind; the rounding of the bound is less than the
  // tolerance of checkProofs.
  uint64_t least = std::min<uint64_t>(plan::picosecondsOf(bound.milliseconds),
                                      chosen.getPicoseconds());
  BudgetPlans::Proof proof = plans.provenBytes();
  PlanChoice plain = plans.plain(), smallest = plans.smallest();
  SmallVector<PinnedAttr> pinned;
  for (plan::ValueId id : ArrayRef(proof.bound.pinned).take_front(kPinned))
    pinned.push_back(describe(context, *proof.problem, id));
  return CertificateAttr::get(
      context, budget, chosen, describe(context, plain, plain.bytes()),
      describe(context, smallest, smallest.bytes()), least,
      plan::priceOf(bound), proof.bound.bytes, proof.place(plans), pinned);
}

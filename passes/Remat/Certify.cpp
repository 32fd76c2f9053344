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

static PointAttr describe(MLIRContext *context, const HostChoice &choice) {
  const std::string &mode = choice.kernels->mode;
  return PointAttr::get(
      context, choice.bytes, plan::wholePicoseconds(choice.milliseconds()),
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

/// The peak of the step of an answer that is met without host memory.
static uint64_t stepBytes(const BudgetAnswer &answer) {
  const BudgetCurve &curve = answer.curve();
  return curve.fixedBytes +
         plan::touchedHeight(curve.problem.graph, answer.plan());
}

CertificateAttr reprise::certify(BudgetPlans &plans,
                                 const BudgetAnswer &answer) {
  MLIRContext *context = plans.own().problem.function.getContext();
  plan::LowerBound bound = plans.boundAt(answer.bytes);
  double least = answer.host ? answer.host->bound : bound.milliseconds;
  PlanChoice plain = plans.plain(), smallest = plans.smallest();
  PointAttr chosen = answer.host
                         ? describe(context, *answer.host)
                         : describe(context, *answer.choice, stepBytes(answer));
  PointAttr smallestPoint = describe(context, smallest, smallest.bytes());
  BudgetPlans::Proof proof = plans.provenBytes();
  if (answer.host) {
    // The limits of recomputation alone are not those of copies.
    proof = provenWithHost(plans);
    if (chosen.getBytes() < smallestPoint.getBytes())
      smallestPoint = chosen;
  }
  SmallVector<PinnedAttr> pinned;
  for (plan::ValueId id : ArrayRef(proof.bound.pinned).take_front(kPinned))
    pinned.push_back(describe(context, *proof.problem, id));
  // Both are sums of the same kind; the rounding of the bound is less than the
  // tolerance of checkProofs.
  return CertificateAttr::get(
      context, answer.bytes, chosen, describe(context, plain, plain.bytes()),
      smallestPoint,
      std::min<uint64_t>(plan::picosecondsOf(least), chosen.getPicoseconds()),
      plan::priceOf(bound), proof.bound.bytes, proof.place(plans), pinned);
}

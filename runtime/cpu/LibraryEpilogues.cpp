//===- LibraryEpilogues.cpp - Choose how epilogues run --------------------===//
//
// Input:   a checked call with epilogues.
// Output:  primitives with post-ops, or without them and a loop after them.
// Method:  post-ops must not change the product before them. Additions in f32
//          round alike everywhere; equal kernel names mean that the product has
//          the same bits with post-ops as without: oneDNN chooses the order of
//          a kernel's sums by shapes and types, not by post-ops, which
//          test/runtime/conformance checks bit by bit. Everything else is done
//          by a loop.
//
//===----------------------------------------------------------------------===//
#include "LibraryCalls.h"

#include <algorithm>

namespace reprise::rt {

/// Returns the call without epilogues, of a type and with only the function's
/// own inputs.
static LibraryCallDesc productOf(const LibraryCallDesc &call,
                                 rp_element_type type) {
  LibraryCallDesc product = call;
  product.inputs.resize(functionOf(call).inputs);
  product.outputs[0].type = type;
  product.epilogues.clear();
  return product;
}

bool addsToGradient(const LibraryCallDesc &call) {
  return call.op == LibraryOp::Conv2DInputGrad &&
         call.outputs[0].type == RP_F32 && call.inputs.back().type == RP_F32 &&
         call.epilogues == std::vector<Epilogue>{Epilogue::Add};
}

/// Returns true if the call's epilogues could be post-ops.
static bool mayBePostOps(const LibraryCallDesc &call) {
  bool isForward = convolutionKind(call.op) == ConvolutionKind::Forward ||
                   call.op == LibraryOp::MatMul;
  bool areSums =
      std::all_of(call.epilogues.begin(), call.epilogues.end(), [](Epilogue e) {
        return e == Epilogue::Bias || e == Epilogue::Add;
      });
  return (isForward && areSums) || addsToGradient(call);
}

/// oneDNN 2.6 runs convolutions as matrix products where AVX-512 is absent, and
/// then adds the wrong elements of a tensor to the second group and later ones.
static bool addsWrongElements(const LibraryCallDesc &call,
                              const std::string &implementation) {
  return convolutionKind(call.op) == ConvolutionKind::Forward &&
         call.ints.back() > 1 &&
         implementation.find("gemm") != std::string::npos &&
         std::count(call.epilogues.begin(), call.epilogues.end(),
                    Epilogue::Add) > 0;
}

/// Plans the call with post-ops if its product runs by the same kernels as
/// without them.
static std::optional<LibraryPlan> planPostOps(const LibraryCallDesc &call) {
  if (!mayBePostOps(call))
    return std::nullopt;
  LibraryPlan alone = planPrimitives(productOf(call, call.outputs[0].type));
  try {
    LibraryPlan plan = planPrimitives(call);
    if (plan.info.implementation == alone.info.implementation &&
        !addsWrongElements(call, plan.info.implementation))
      return plan;
  } catch (const dnnl::error &error) {
    if (error.status != dnnl_unimplemented)
      throw;
  }
  return std::nullopt;
}

/// The names are compared when an artifact is loaded: a different way of
/// running epilogues needs another workspace.
static void nameEpilogues(LibraryPlan &plan, const char *how,
                          const LibraryCallDesc &call) {
  plan.info.implementation += how;
  for (Epilogue epilogue : call.epilogues)
    plan.info.implementation +=
        std::string(" ") + kLibraryEpilogues[size_t(epilogue)].name;
}

void endWithLoop(LibraryPlan &plan, const LibraryCallDesc &call) {
  plan.loop = call;
  plan.hasProduct = call.outputs[0].type != RP_F32;
  nameEpilogues(plan, " then", call);
}

void addInPlace(LibraryPlan &plan, const LibraryCallDesc &call) {
  plan.sumBytes = elementBytes(call.outputs[0].type);
  for (int64_t extent : call.outputs[0].shape)
    plan.sumBytes *= uint64_t(extent);
  plan.info.addsInPlace = true;
  nameEpilogues(plan, " in place with", call);
}

LibraryPlan planWithEpilogues(const LibraryCallDesc &call) {
  std::optional<LibraryPlan> fused = planPostOps(call);
  LibraryPlan plan =
      fused ? std::move(*fused) : planPrimitives(productOf(call, RP_F32));
  if (fused && addsToGradient(call))
    addInPlace(plan, call);
  else if (fused)
    nameEpilogues(plan, " with", call);
  else
    endWithLoop(plan, call);
  return plan;
}

} // namespace reprise::rt

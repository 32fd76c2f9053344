//===- Activations.h - The composite activations ----------------*- C++ -*-===//
//
// An activation is defined by an Sg_ActivationOp in Sg/Ops/Activation.td, by
// its formula and slope in lib/IR/Sg/Ops/Activation.cpp, and by its value in
// double precision in lib/Reference/ActivationModels.cpp. Derivative,
// decomposition, cost and the rule of autocast follow from these for every op
// with the trait.
//
//===----------------------------------------------------------------------===//
#ifndef REPRISE_IR_ACTIVATIONS_H
#define REPRISE_IR_ACTIVATIONS_H

#include "reprise/IR/Sg.h"
#include <type_traits>

namespace reprise::sg {

template <typename... Ops, typename Visit>
void forEachActivationOf(Visit visit) {
  auto visitOne = [&](auto tag) {
    using OpTy = typename decltype(tag)::type;
    if constexpr (std::is_base_of_v<Activation<OpTy>, OpTy>)
      visit(OpTy());
  };
  (visitOne(std::common_type<Ops>()), ...);
}

/// Calls `visit` with a null op of each class of activations.
template <typename Visit> void forEachActivation(Visit visit) {
  forEachActivationOf<
#define GET_OP_LIST
#include "reprise/IR/SgOps.cpp.inc"
      >(visit);
}

} // namespace reprise::sg

#endif // REPRISE_IR_ACTIVATIONS_H

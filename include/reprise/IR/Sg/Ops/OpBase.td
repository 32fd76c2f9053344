//===- OpBase.td - What all ops of sg share -----------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_OPBASE
#define REPRISE_IR_SG_OPS_OPBASE

include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "reprise/IR/SgBase.td"
include "reprise/IR/SgInterfaces.td"

/// The op is part of a graph: in a region's first block, in order.
def Sg_InGraph : NativeOpTrait<"InGraph"> {
  let cppNamespace = "::reprise::sg";
}

/// Marks a composite activation, see include/reprise/IR/Activations.h.
def Sg_Activation : NativeOpTrait<"Activation"> {
  let cppNamespace = "::reprise::sg";
}

class Sg_Op<string mnemonic, list<Trait> traits = []>
    : Op<Sg_Dialect, mnemonic, !listconcat([Sg_InGraph], traits)>;

class Sg_InferredOp<string mnemonic, list<Trait> traits = []>
    : Sg_Op<mnemonic, !listconcat([Pure, InferTypeOpAdaptor], traits)>;

/// An op whose results may all be f32 if their inferred types, from the
/// operands, are narrower.
class Sg_WideningOp<string mnemonic> : Sg_InferredOp<mnemonic> {
  let extraClassDeclaration = [{
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred,
                                        ::mlir::TypeRange actual) {
      return inferred == actual ||
             ::reprise::sg::areWidened(inferred, actual);
    }
  }];
}

#endif // REPRISE_IR_SG_OPS_OPBASE

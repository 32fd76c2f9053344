//===- ReferenceInterface.td - An op's value ----------------*- tablegen -*-===//
#ifndef REPRISE_REFERENCE_REFERENCEINTERFACE
#define REPRISE_REFERENCE_REFERENCEINTERFACE

include "mlir/IR/OpBase.td"

def ReferenceOpInterface : OpInterface<"ReferenceOpInterface"> {
  let cppNamespace = "::reprise::reference";
  let description = [{
    The value of an op, by its own formula in double precision. Written to be
    read, not to be fast, and never by way of the op's decomposition: tests
    compare the two.
  }];
  let methods = [InterfaceMethod<[{
      Computes `results`, which come as zeros of the results' types, from
      `operands`. State and regions are reached through `frame`. Fails with a
      diagnostic at the op.
    }], "::llvm::LogicalResult", "evaluate",
    (ins "::reprise::reference::Frame &":$frame,
         "::llvm::ArrayRef<::reprise::reference::Tensor>":$operands,
         "::llvm::MutableArrayRef<::reprise::reference::Tensor>":$results)>];
}

#endif // REPRISE_REFERENCE_REFERENCEINTERFACE

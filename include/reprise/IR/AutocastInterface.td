//===- AutocastInterface.td - Ops under mixed precision -----*- tablegen -*-===//
#ifndef REPRISE_IR_AUTOCASTINTERFACE
#define REPRISE_IR_AUTOCASTINTERFACE

include "mlir/IR/OpBase.td"

def AutocastOpInterface : OpInterface<"AutocastOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    What `sg-autocast` does with an op of a model. An op without it keeps the
    element types that it has.
  }];
  let methods = [InterfaceMethod<"In which type the op computes.",
    "::reprise::AutocastRule", "getAutocastRule", (ins)>];
}

#endif // REPRISE_IR_AUTOCASTINTERFACE

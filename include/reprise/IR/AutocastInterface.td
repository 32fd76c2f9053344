//===- AutocastInterface.td - Ops under mixed precision -----*- tablegen -*-===//
#ifndef REPRISE_IR_AUTOCASTINTERFACE
#define REPRISE_IR_AUTOCASTINTERFACE

include "mlir/IR/OpBase.td"

def AutocastOpInterface : OpInterface<"AutocastOpInterface"> {
  let cppNamespace = "::reprise";
  let description = [{
    Tells `sg-autocast` how to treat an op of a model. An op without this interface keeps
    its element types.
  }];
  let methods = [InterfaceMethod<"In which type the op computes.",
    "::reprise::AutocastRule", "getAutocastRule", (ins)>,
    InterfaceMethod<[{
      Whether an operand or a result of an op that computes in a narrow type
      stays f32: statistics, what is added to sums.
    }], "bool", "staysWide", (ins "::mlir::Value":$value), "",
      "return false;">];
}

#endif // REPRISE_IR_AUTOCASTINTERFACE

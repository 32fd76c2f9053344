//===- Constant.td - Constants and indices ------------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_CONSTANT
#define REPRISE_IR_SG_OPS_CONSTANT

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_ConstantOp : Sg_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant";
  let description = [{
    The result has the type of the value. Constants are part of the program and take no
    place among the activations.

    ```mlir
    %c = sg.constant dense<0.000000e+00> : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Sg_IotaOp : Sg_Op<"iota", [Pure]> {
  let summary = "the index along a dimension";
  let description = [{
    The element at (i0, i1, ...) is the index in dimension `dim`, from 0.

    ```mlir
    %i = sg.iota 1 : tensor<8x10xi32>
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Sg_IntTensor:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // REPRISE_IR_SG_OPS_CONSTANT

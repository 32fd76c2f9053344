//===- Gather.td - Reading rows of a table ------------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_GATHER
#define REPRISE_IR_SG_OPS_GATHER

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_GatherOp : Sg_InferredOp<"gather"> {
  let summary = "rows of a table by index";
  let description = [{
    For a table (K,...) and indices of any shape: the table's rows at the
    indices, (indices...,...). A row outside [0, K) is zero.

    ```mlir
    %y = sg.gather %table, %indices
      : (tensor<169x3xf32>, tensor<2401xi32>) -> tensor<2401x3xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$table, Sg_IntTensor:$indices);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_GatherGradOp : Sg_Op<"gather_grad", [Pure]> {
  let summary = "the gradient of gather for its table";
  let description = [{
    Row k is the sum of the rows of `dy` (indices...,...) whose index is k, in an order
    that the shape determines. Every row is compared with every index, so the op is meant
    for tables of some thousand rows.

    ```mlir
    %dtable = sg.gather_grad %indices, %dy
      : (tensor<2401xi32>, tensor<2401x3xf32>) -> tensor<169x3xf32>
    ```
  }];
  let arguments = (ins Sg_IntTensor:$indices, Sg_FloatTensor:$dy);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // REPRISE_IR_SG_OPS_GATHER

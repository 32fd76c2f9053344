//===- Reduction.td - Sums and maxima -----------------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_REDUCTION
#define REPRISE_IR_SG_OPS_REDUCTION

include "reprise/IR/Sg/Ops/OpBase.td"

class Sg_ReduceOp<string mnemonic, string what> : Sg_InferredOp<mnemonic> {
  let summary = what # " over dimensions";
  let description = [{
    The result lacks `dims` (increasing); without any, it is the operand. The order of
    the sum depends on the shape only, not on threads or fusion.

    ```mlir
    %y = sg.}] # mnemonic # [{ %x dims [0] : tensor<8x4xf32> -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = [{
    $operand `dims` $dims attr-dict `:` type($operand) `->` type($result)
  }];
  let hasFolder = 1;
}

def Sg_ReduceSumOp : Sg_ReduceOp<"reduce_sum", "the sum">;
def Sg_ReduceMaxOp : Sg_ReduceOp<"reduce_max", "the maximum, NaN if any is">;

#endif // REPRISE_IR_SG_OPS_REDUCTION

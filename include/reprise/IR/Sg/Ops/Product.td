//===- Product.td - Matrix products -------------------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_PRODUCT
#define REPRISE_IR_SG_OPS_PRODUCT

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_MatMulOp : Sg_WideningOp<"matmul"> {
  let summary = "the matrix product";
  let description = [{
    (...,M,K) times (...,K,N), with equal leading dimensions. A transpose flag swaps the
    last two dimensions of its operand. The operands have one element type. The result has
    the same type, or f32 if the operands are bf16 or f16: sums are then f32 and are not
    rounded. The gradient rounds such a cotangent to the operands' type.

    ```mlir
    %c = sg.matmul %a, %b {transpose_b}
      : (tensor<8x4xf32>, tensor<10x4xf32>) -> tensor<8x10xf32>
    %d = sg.matmul %e, %f : (tensor<8x4xbf16>, tensor<4x10xbf16>) -> tensor<8x10xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$lhs, Sg_FloatTensor:$rhs,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` functional-type(operands, results)
  }];
}

def Sg_MatMulBiasOp : Sg_WideningOp<"matmul_bias"> {
  let summary = "the matrix product with a bias added to each row";
  let description = [{
    `sg.matmul` of the first two operands, plus the third (N) along the last dimension.
    The bias has the operands' element type, or f32 if that is bf16 or f16. For bf16
    and f16, product and sum are f32 with either type of bias and are rounded once, to
    the result's type. `sg-decompose` forms this op from a product and a following
    addition, because libraries compute both at once.

    ```mlir
    %c = sg.matmul_bias %a, %b, %bias {transpose_b}
      : (tensor<8x4xbf16>, tensor<10x4xbf16>, tensor<10xf32>) -> tensor<8x10xbf16>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$lhs, Sg_FloatTensor:$rhs,
                       Sg_FloatTensor:$bias,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $bias attr-dict `:` functional-type(operands, results)
  }];
}

#endif // REPRISE_IR_SG_OPS_PRODUCT

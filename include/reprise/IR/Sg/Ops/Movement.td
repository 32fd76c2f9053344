//===- Movement.td - Repeating, reordering, cutting, joining *- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_MOVEMENT
#define REPRISE_IR_SG_OPS_MOVEMENT

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_BroadcastOp : Sg_Op<"broadcast", [Pure]> {
  let summary = "repeats along new or unit dimensions";
  let description = [{
    Dimension k of the operand is dimension `dims[k]` of the result and has its
    extent or 1; `dims` is increasing.

    ```mlir
    %y = sg.broadcast %x dims [1] : tensor<4xf32> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = [{
    $operand `dims` $dims attr-dict `:` type($operand) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Sg_ReshapeOp : Sg_Op<"reshape", [Pure]> {
  let summary = "the same elements, row-major, in another shape";
  let description = [{
    A view: it moves nothing and takes no memory.

    ```mlir
    %y = sg.reshape %x : tensor<8x4xf32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Sg_TransposeOp : Sg_InferredOp<"transpose"> {
  let summary = "permutes dimensions";
  let description = [{
    Dimension k of the result is dimension `permutation[k]` of the operand.

    ```mlir
    %y = sg.transpose %x perm [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = [{
    $operand `perm` $permutation attr-dict `:` type($operand) `->` type($result)
  }];
  let hasFolder = 1;
}

def Sg_SliceOp : Sg_InferredOp<"slice"> {
  let summary = "a strided part";
  let description = [{
    Elements starts[k], starts[k] + strides[k], ... below limits[k].

    ```mlir
    %y = sg.slice %x [0, 1] to [8, 4] by [2, 1]
      : tensor<8x4xf32> -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand, DenseI64ArrayAttr:$starts,
                       DenseI64ArrayAttr:$limits, DenseI64ArrayAttr:$strides);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = [{
    $operand $starts `to` $limits `by` $strides attr-dict `:`
    type($operand) `->` type($result)
  }];
  let hasFolder = 1;
}

def Sg_PadOp : Sg_InferredOp<"pad"> {
  let summary = "adds elements around and between";
  let description = [{
    Adds `low` elements before, `high` after and `interior` between neighbours, each with
    the value `value`.

    ```mlir
    %y = sg.pad %x low [1, 0] high [1, 0] interior [0, 0] value 0.0
      : tensor<8x4xf32> -> tensor<10x4xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand, DenseI64ArrayAttr:$low,
    DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior, F64Attr:$value);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = [{
    $operand `low` $low `high` $high `interior` $interior `value` $value
    attr-dict `:` type($operand) `->` type($result)
  }];
  let hasFolder = 1;
}

def Sg_ConcatOp : Sg_InferredOp<"concat"> {
  let summary = "joins along a dimension";
  let description = [{
    Joins the operands in order. They agree in all dimensions except `dim`.

    ```mlir
    %z = sg.concat %x, %y dim 0
      : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<10x4xf32>
    ```
  }];
  let arguments = (ins Variadic<Sg_Tensor>:$operands, I64Attr:$dim);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = [{
    $operands `dim` $dim attr-dict `:` functional-type($operands, $result)
  }];
  let hasFolder = 1;
}

def Sg_RollOp : Sg_InferredOp<"roll"> {
  let summary = "shifts cyclically";
  let description = [{
    The element at i of the operand is at (i + shifts) modulo the extents of the
    result.

    ```mlir
    %y = sg.roll %x by [0, -3, -3, 0] : tensor<8x14x14x96xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$operand, DenseI64ArrayAttr:$shifts);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$operand `by` $shifts attr-dict `:` type($operand)";
  let hasFolder = 1;
}

#endif // REPRISE_IR_SG_OPS_MOVEMENT

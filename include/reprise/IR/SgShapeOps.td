//===- SgShapeOps.td - Creating, moving and reducing -------*- tablegen -*-===//
#ifndef REPRISE_IR_SGSHAPEOPS
#define REPRISE_IR_SGSHAPEOPS

include "reprise/IR/SgStructureOps.td"

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

def Sg_RandomUniformOp : Sg_Op<"random_uniform", [
    Pure, DeclareOpInterfaceMethods<RandomOpInterface>]> {
  let summary = "numbers in [0, 1), from counters";
  let description = [{
    Element i (row-major) is word 0 of Philox 4x32-10 with counter
    (low(i), high(i), low(step), stream) and key (low(seed), high(seed)),
    its upper 24 bits times 2^-24.

    ```mlir
    %u = sg.random_uniform %seed, %step stream 3
      : tensor<i64>, tensor<i64> -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_CounterTensor:$seed, Sg_CounterTensor:$step,
                       I64Attr:$stream);
  let results = (outs Sg_TensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $seed `,` $step `stream` $stream attr-dict `:` type($seed) `,` type($step)
    `->` type($result)
  }];
}

class Sg_InferredOp<string mnemonic, list<Trait> traits = []>
    : Sg_Op<mnemonic, !listconcat([Pure, InferTypeOpAdaptor], traits)>;

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

#endif // REPRISE_IR_SGSHAPEOPS

//===- Random.td - Random numbers and dropout ---------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_RANDOM
#define REPRISE_IR_SG_OPS_RANDOM

include "reprise/IR/Sg/Ops/OpBase.td"

def Sg_RandomUniformOp : Sg_Op<"random_uniform", [
    Pure, DeclareOpInterfaceMethods<RandomOpInterface>]> {
  let summary = "numbers in [0, 1), from counters";
  let description = [{
    Element i (row-major) is word 0 of Philox 4x32-10 with counter
    (low(i), high(i), low(step), stream + high(step)) and key (low(seed), high(seed)),
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

def Sg_DropoutOp : Sg_Op<"dropout", [
    Pure, AllTypesMatch<["x", "result"]>,
    DeclareOpInterfaceMethods<RandomOpInterface>]> {
  let summary = "zeros elements at random, scales the others";
  let description = [{
    With u from `sg.random_uniform` of the same stream: x / (1 - probability) where u >=
    probability, else 0. probability and 1 - probability are rounded to the types of u
    (f32) and x. The gradient is the same op on the cotangent, so no mask is kept. With
    `per_sample`, u has only the first dimension of x: whole samples are dropped, as in
    stochastic depth (Huang et al. 2016, arXiv 1603.09382).

    ```mlir
    %y = sg.dropout %x, %seed, %step {probability = 5.0e-01 : f64,
                                      stream = 1 : i64}
      : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<8x4xf32>
    %z = sg.dropout %x, %seed, %step {probability = 2.0e-01 : f64,
                                      stream = 2 : i64, per_sample}
      : (tensor<8x4xf32>, tensor<i64>, tensor<i64>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_FloatTensor:$x, Sg_CounterTensor:$seed,
    Sg_CounterTensor:$step, F64Attr:$probability, I64Attr:$stream,
    UnitAttr:$per_sample);
  let results = (outs Sg_FloatTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // REPRISE_IR_SG_OPS_RANDOM

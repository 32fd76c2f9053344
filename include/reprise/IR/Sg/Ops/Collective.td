//===- Collective.td - Ops of several processes -------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_COLLECTIVE
#define REPRISE_IR_SG_OPS_COLLECTIVE

include "reprise/IR/Sg/Ops/OpBase.td"

class Sg_CollectiveOp<string mnemonic, list<Trait> traits = [InferTypeOpAdaptor]>
    : Sg_Op<mnemonic, !listconcat(traits, [MemoryEffects<[MemWrite]>,
                                           CollectiveOpInterface])> {
  let arguments = (ins Sg_TensorOf<[F32, F64]>:$x, I64Attr:$ranks,
                       I64Attr:$sequence);
  let results = (outs Sg_TensorOf<[F32, F64]>:$result);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $x `ranks` $ranks `sequence` $sequence attr-dict `:` type($x) `->`
    type($result)
  }];
}

def Sg_AllReduceOp : Sg_CollectiveOp<"all_reduce"> {
  let summary = "the sums of tensors over the ranks of a run";
  let description = [{
    Each element is ((x0 + x1) + x2) + ..., where xr is the operand's element on rank r;
    every rank has the same bits. Operands have one element type; result k is the sum of
    operand k, and all are sent together. All ranks execute the op at the same place of their
    step: no pass repeats it, and `sequence` numbers the collectives of a step
    (`sg-verify-effects`).

    ```mlir
    %s = sg.all_reduce %g ranks 4 sequence 0 : tensor<64xf32> -> tensor<64xf32>
    %t:2 = sg.all_reduce %a, %b ranks 4 sequence 1
      : tensor<64xf32>, tensor<8xf32> -> tensor<64xf32>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<Sg_TensorOf<[F32, F64]>>:$x, I64Attr:$ranks,
                       I64Attr:$sequence);
  let results = (outs Variadic<Sg_TensorOf<[F32, F64]>>:$result);
}

def Sg_AllGatherOp : Sg_CollectiveOp<"all_gather"> {
  let summary = "the tensors of all ranks, one behind the other";
  let description = [{
    The result has one more dimension in front: row r is the operand on rank r. Executed
    by all ranks, like `sg.all_reduce`.

    ```mlir
    %a = sg.all_gather %m ranks 4 sequence 1 : tensor<64xf32> -> tensor<4x64xf32>
    ```
  }];
}

def Sg_ReduceScatterOp : Sg_CollectiveOp<"reduce_scatter"> {
  let summary = "a rank's shard of the sum of a tensor over the ranks";
  let description = [{
    The shard of rank r of n ranks is the elements r * s to (r + 1) * s of the sum that
    `sg.all_reduce` returns, row-major, where s is the number of elements divided by n,
    rounded up. A shard has zeros after the last element.

    ```mlir
    %s = sg.reduce_scatter %g ranks 3 sequence 0 : tensor<2x5xf32> -> tensor<4xf32>
    ```
  }];
}

def Sg_TakeShardOp : Sg_CollectiveOp<"take_shard"> {
  let summary = "a rank's shard of a tensor that all ranks have";
  let description = [{
    The result of `sg.reduce_scatter` for a sum that all ranks have. Nothing is sent.

    ```mlir
    %s = sg.take_shard %w ranks 3 sequence 1 : tensor<2x5xf32> -> tensor<4xf32>
    ```
  }];
}

def Sg_GatherShardsOp : Sg_CollectiveOp<"gather_shards", []> {
  let summary = "a tensor from the shards of all ranks";
  let description = [{
    The inverse of `sg.take_shard`; every rank has the whole result.

    ```mlir
    %w = sg.gather_shards %s ranks 3 sequence 2 : tensor<4xf32> -> tensor<2x5xf32>
    ```
  }];
}

#endif // REPRISE_IR_SG_OPS_COLLECTIVE

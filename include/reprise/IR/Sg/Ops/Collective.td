//===- Collective.td - Ops of several processes -------------*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_COLLECTIVE
#define REPRISE_IR_SG_OPS_COLLECTIVE

include "reprise/IR/Sg/Ops/OpBase.td"

class Sg_CollectiveOp<string mnemonic> : Sg_Op<mnemonic, [
    InferTypeOpAdaptor, MemoryEffects<[MemWrite]>, CollectiveOpInterface]> {
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
  let summary = "the sum of a tensor over the ranks of a run";
  let description = [{
    Each element is ((x0 + x1) + x2) + ..., where xr is the operand's element on rank r;
    every rank has the same bits. All ranks execute the op at the same place of their
    step: no pass repeats it, and `sequence` numbers the collectives of a step
    (`sg-verify-effects`).

    ```mlir
    %s = sg.all_reduce %g ranks 4 sequence 0 : tensor<64xf32> -> tensor<64xf32>
    ```
  }];
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

#endif // REPRISE_IR_SG_OPS_COLLECTIVE

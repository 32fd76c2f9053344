//===- HostMemory.td - Ops that move values to the host -----*- tablegen -*-===//
#ifndef REPRISE_IR_SG_OPS_HOSTMEMORY
#define REPRISE_IR_SG_OPS_HOSTMEMORY

include "reprise/IR/Sg/Ops/OpBase.td"

/// The type of a value in host memory: a tensor with the encoding #sg.host.
def Sg_HostTensor
    : ConfinedType<StaticShapeTensorOf<[Sg_Element]>,
        [CPred<"::reprise::sg::isHostTensor($_self)">],
        "tensor in host memory, with the encoding #sg.host",
        "::mlir::RankedTensorType">;

def Sg_OffloadOp : Sg_Op<"offload", [MemoryEffects<[MemWrite]>,
                                     InferTypeOpAdaptor]> {
  let summary = "copies a value to host memory";
  let description = [{
    The copy takes no memory of the device. A device may begin it as soon as the operand
    is computed, and ends it at this op: the operand's bytes are then free. In a scheduled
    function only (`sg-rematerialize`); no pass repeats it.

    ```mlir
    %h = sg.offload %x : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Sg_Tensor:$x);
  let results = (outs Sg_HostTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Sg_FetchOp : Sg_Op<"fetch", [MemoryEffects<[MemWrite]>,
                                 InferTypeOpAdaptor]> {
  let summary = "copies a value back from host memory";
  let description = [{
    The result has the bits that `sg.offload` copied. A device begins the copy at this op
    and ends it where the result is first read; the result takes memory from this op on.
    A value may be fetched several times.

    ```mlir
    %h = sg.offload %x : tensor<8x4xf32>
    %y = sg.fetch %h : tensor<8x4xf32, #sg.host>
    ```
  }];
  let arguments = (ins Sg_HostTensor:$x);
  let results = (outs Sg_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

#endif // REPRISE_IR_SG_OPS_HOSTMEMORY

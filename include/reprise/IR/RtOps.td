//===- RtOps.td - The ops of the rt dialect -----------------*- tablegen -*-===//
#ifndef REPRISE_IR_RTOPS
#define REPRISE_IR_RTOPS

include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "reprise/IR/RtBase.td"
include "reprise/IR/SgBase.td"

def Rt_StepOpInterface : OpInterface<"StepOpInterface"> {
  let cppNamespace = "::reprise::rt_dialect";
  let description = [{
    A step of an entry: its description and the bytes that it touches. Code that needs
    memory traffic or live ranges uses this interface and does not depend on the op.
  }];
  let methods = [
    InterfaceMethod<"Name, module, phase and cost.",
      "::reprise::rt_dialect::StepAttr", "getStepInfo", (ins)>,
    InterfaceMethod<"Views that are read.",
      "::llvm::SmallVector<::reprise::rt_dialect::ViewAttr>", "getReads", (ins)>,
    InterfaceMethod<"Views that are written, a workspace included.",
      "::llvm::SmallVector<::reprise::rt_dialect::ViewAttr>", "getWrites",
      (ins)>,
    InterfaceMethod<[{
      Whether what is written at an index may be what was read there as number
      `read`: a view that is read may also be written, but not be shifted
      against it.
    }], "bool", "mayWriteInPlace", (ins "unsigned":$read)>];
}

class Rt_Op<string mnemonic, list<Trait> traits = []>
    : Op<Rt_Dialect, mnemonic, traits>;

class Rt_Step<string mnemonic, list<Trait> traits = []>
    : Rt_Op<mnemonic, !listconcat(traits, [HasParent<"EntryOp">,
        DeclareOpInterfaceMethods<Rt_StepOpInterface>])> {
  let hasVerifier = 1;
}

def Rt_ProgramOp : Rt_Op<"program", [Symbol, SymbolTable, IsolatedFromAbove,
    NoTerminator, SingleBlock]> {
  let summary = "a placed program";
  let description = [{
    `arena_bytes` is all the memory that the program uses; `fixed_bytes` is its first
    part, which holds variables and constants. `target` is the device with the features
    that the kernels need. `library` is the numerical library whose workspaces were
    planned, for `threads` threads. `checkpointing` is the program's mode, for the
    summary.

    ```mlir
    rt.program @tiny attributes {arena_bytes = 128 : i64, fixed_bytes = 64 : i64,
        threads = 2 : i64, target = #rt.target<"cpu", "">,
        library = ""} {
      rt.buffer 0 "w" parameter at 0 size 16
      rt.variable "w" <0 + 0 : tensor<4xf32>> {
        role = #sg.role<parameter>, init = #sg.init<zeros>}
      rt.kernel @double {
      ^bb0(%x: tensor<4xf32>):
        %y = sg.add %x, %x : tensor<4xf32>
        sg.yield %y : tensor<4xf32>
      }
      rt.entry @train_step inputs [] outputs [#rt.binding<"y", <1 + 0 : tensor<4xf32>>>]
          peak 128 max_live 128 base_flops 4 {
        rt.buffer 1 "y" output at 64 size 64 live 0 to 0
        rt.launch @double reads [#rt.view<0 + 0 : tensor<4xf32>>]
          writes [#rt.view<1 + 0 : tensor<4xf32>>] grains 1
          <"add" in "" forward, flops 4, bytes 32>
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$threads,
    Rt_TargetAttr:$target, StrAttr:$library, I64Attr:$arena_bytes,
    I64Attr:$fixed_bytes, OptionalAttr<StrAttr>:$checkpointing);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Rt_BufferOp : Rt_Op<"buffer", [ParentOneOf<["ProgramOp", "EntryOp"]>]> {
  let summary = "a range of the arena";
  let description = [{
    A buffer of the program is always live. A buffer of an entry is live from its first to
    its last step, both inclusive, and has the reason if it is known. Its first step makes
    it, unless it is an input.
  }];
  let arguments = (ins I64Attr:$index, StrAttr:$name, Rt_BufferKindAttr:$kind,
    I64Attr:$offset, I64Attr:$size, OptionalAttr<I64Attr>:$first_step,
    OptionalAttr<I64Attr>:$last_step, OptionalAttr<Rt_ReasonAttr>:$reason);
  let assemblyFormat = [{
    $index $name $kind `at` $offset `size` $size
    (`live` $first_step^ `to` $last_step)? (`because` $reason^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Rt_VariableOp : Rt_Op<"variable", [HasParent<"ProgramOp">]> {
  let summary = "a variable's storage and initial value";
  let arguments = (ins StrAttr:$name, Rt_ViewAttr:$view, Sg_RoleAttr:$role,
    Sg_InitAttr:$init, OptionalAttr<DenseI32ArrayAttr>:$file_permutation,
    OptionalAttr<DenseI64ArrayAttr>:$whole_shape);
  let assemblyFormat = "$name $view attr-dict";
  let hasVerifier = 1;
}

def Rt_ConstantOp : Rt_Op<"constant", [HasParent<"ProgramOp">]> {
  let summary = "the contents of a constant buffer";
  let arguments = (ins I64Attr:$buffer, ElementsAttr:$value);
  let assemblyFormat = "$buffer `=` $value attr-dict";
  let hasVerifier = 1;
}

def Rt_KernelOp : Rt_Op<"kernel", [Symbol, IsolatedFromAbove, SingleBlock,
    HasParent<"ProgramOp">]> {
  let summary = "the definition of a compiled kernel";
  let description = [{
    The body of an `sg.kernel`. A launch's views are its arguments, followed by the values
    that it yields. Kernels of equal structure are merged.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Rt_EntryOp : Rt_Op<"entry", [Symbol, IsolatedFromAbove, NoTerminator,
    SingleBlock, HasParent<"ProgramOp">]> {
  let summary = "a step of training or evaluation";
  let description = [{
    Buffers, then steps in their order. `peak` is the highest end of any buffer in use and
    `max_live` the largest sum of live buffers, both with the program's fixed bytes.
    `base_flops` is the arithmetic without recomputation. `kept` are the bytes that are
    still live after the first `after` steps, the forward pass. `certificate` describes a
    step with a budget.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Rt_BindingArrayAttr:$inputs,
    Rt_BindingArrayAttr:$outputs, I64Attr:$peak_bytes, I64Attr:$max_live_bytes,
    I64Attr:$base_flops, OptionalAttr<I64Attr>:$kept_bytes,
    OptionalAttr<I64Attr>:$forward_steps,
    OptionalAttr<Rt_CertificateAttr>:$certificate);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `inputs` $inputs `outputs` $outputs `peak` $peak_bytes
    `max_live` $max_live_bytes `base_flops` $base_flops
    (`kept` $kept_bytes^ `after` $forward_steps)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Rt_CallOp : Rt_Step<"call"> {
  let summary = "a call of the numerical library";
  let description = [{
    `ints` and `floats` are the parameters that `LibraryCall` in
    runtime/schemas/program.fbs documents. `epilogues` change the result before it is
    rounded, in this order; their inputs follow those of the function. `implementation`
    names the kernel that the library chose when the workspace was planned.
    include/reprise/LibraryFunctions.h gives the number of each for a function. The result
    may be the view that the first epilogue, an `add`, reads; a device refuses a call that
    it cannot run so.

    ```mlir
    rt.call matmul reads [#rt.view<0 + 0 : tensor<8x4xf32>>,
        #rt.view<1 + 0 : tensor<4x2xf32>>]
      writes [#rt.view<2 + 0 : tensor<8x2xf32>>] ints [0, 0] by "direct"
      workspace <3 + 0 : tensor<1024xi8>>
      <"matmul" in "fc" forward, flops 128, bytes 224>
    rt.call matmul reads [#rt.view<0 + 0 : tensor<8x4xf32>>,
        #rt.view<1 + 0 : tensor<4x2xf32>>, #rt.view<2 + 0 : tensor<2xf32>>]
      writes [#rt.view<3 + 0 : tensor<8x2xf32>>] ints [0, 0]
      epilogues [bias, relu] by "direct"
      <"dense" in "fc" forward, flops 160, bytes 232>
    rt.call rms_norm reads [#rt.view<0 + 0 : tensor<8x4xf32>>,
        #rt.view<1 + 0 : tensor<4xf32>>]
      writes [#rt.view<2 + 0 : tensor<8x4xf32>>, #rt.view<3 + 0 : tensor<8xf32>>]
      ints [] floats [1.000000e-05] by "loops"
      <"rms_norm" in "norm" forward, flops 128, bytes 304>
    ```
  }];
  let arguments = (ins Rt_LibraryOpAttr:$op, Rt_ViewArrayAttr:$inputs,
    Rt_ViewArrayAttr:$outputs, DenseI64ArrayAttr:$ints,
    OptionalAttr<DenseF64ArrayAttr>:$floats,
    OptionalAttr<Rt_EpilogueArrayAttr>:$epilogues, StrAttr:$implementation, OptionalAttr<Rt_ViewAttr>:$workspace,
    Rt_StepAttr:$step);
  let assemblyFormat = [{
    $op `reads` $inputs `writes` $outputs `ints` $ints (`floats` $floats^)?
    (`epilogues` custom<Epilogues>($epilogues)^)? `by` $implementation
    (`workspace` $workspace^)? $step attr-dict
  }];
  let extraClassDeclaration = [{
    /// Their values, in order; empty if the attribute is absent.
    ::llvm::SmallVector<double> getFloatList();
    ::llvm::SmallVector<::reprise::LibraryEpilogue> getEpilogueList();
    /// The stream that the call draws random numbers from, if it draws any.
    ::std::optional<int64_t> getRandomStream();
    /// The number of a collective call among those of its entry.
    ::std::optional<int64_t> getSequenceNumber();
  }];
}

def Rt_LaunchOp : Rt_Step<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a compiled kernel";
  let description = [{
    The kernel's arguments are `inputs`, then `outputs`. `grains` is the number of
    independent parts; any split of them over threads gives the same bits. `in_place`
    pairs the numbers of an output and of an input whose bytes the output may take. Memory
    that the kernel needs while it runs, its `workspace`, is its last argument, with
    undefined contents.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Rt_ViewArrayAttr:$inputs,
    Rt_ViewArrayAttr:$outputs, I64Attr:$grains,
    OptionalAttr<Rt_ViewAttr>:$workspace, Rt_StepAttr:$step,
    OptionalAttr<DenseI32ArrayAttr>:$in_place);
  let assemblyFormat = [{
    $kernel `reads` $inputs `writes` $outputs `grains` $grains
    (`workspace` $workspace^)? $step attr-dict
  }];
}

def Rt_CopyOp : Rt_Step<"copy"> {
  let summary = "copies bytes";
  let arguments = (ins Rt_ViewAttr:$source, Rt_ViewAttr:$target,
    Rt_StepAttr:$step);
  let assemblyFormat = "$source `to` $target $step attr-dict";
}

def Rt_OffloadOp : Rt_Step<"offload"> {
  let summary = "copies bytes to host memory";
  let description = [{
    `host` is the offset there, a multiple of 64 bytes. The step ends the copy, which a
    device may begin as soon as the source is written (see `sg.offload`).

    ```mlir
    rt.offload <2 + 0 : tensor<8x4xf32>> to host 256
      <"offload" in "fc" forward, flops 0, bytes 256>
    ```
  }];
  let arguments = (ins Rt_ViewAttr:$source, I64Attr:$host, Rt_StepAttr:$step);
  let assemblyFormat = "$source `to` `host` $host $step attr-dict";
}

def Rt_FetchOp : Rt_Step<"fetch"> {
  let summary = "copies bytes back from host memory";
  let description = [{
    The step begins the copy; the first step that touches the target waits for its end
    (see `sg.fetch`). An `rt.offload` of the target's type and of this offset comes
    before it.

    ```mlir
    rt.fetch host 256 to <3 + 0 : tensor<8x4xf32>>
      <"fetch" in "fc" recompute, flops 0, bytes 256>
    ```
  }];
  let arguments = (ins I64Attr:$host, Rt_ViewAttr:$target, Rt_StepAttr:$step);
  let assemblyFormat = "`host` $host `to` $target $step attr-dict";
}

#endif // REPRISE_IR_RTOPS

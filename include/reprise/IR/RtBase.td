//===- RtBase.td - The rt dialect and its attributes --------*- tablegen -*-===//
#ifndef REPRISE_IR_RTBASE
#define REPRISE_IR_RTBASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "reprise/IR/Terms.td"

def Rt_Dialect : Dialect {
  let name = "rt";
  let cppNamespace = "::reprise::rt_dialect";
  let summary = "Programs: ordered steps on placed memory";
  let description = [{
    The level below the graph. There are no values: every step names the bytes that it
    reads and writes, as views of the buffers of one arena. This level corresponds one to
    one to the contents of the artifact and the actions of the runtime.

    Buffers are numbered. Those of the program (variables and constants) come first; an
    entry's own buffers continue the count.
  }];
  let dependentDialects = ["::reprise::sg::SgDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
  private:
    void registerOps();
    void registerAttributes();
  public:
    /// The certificate of a function that is marked sg.scheduled, until there is
    /// an entry to hold it.
    static constexpr ::llvm::StringLiteral kCertificateAttr = "rt.certificate";
    /// The command line that compiles a program (a string, on the program).
    static constexpr ::llvm::StringLiteral kCommandAttr = "rt.command";
  }];
}

/// An attribute that holds a value of an enum of reprise, see
/// include/reprise/ProgramTerms.h.
class Rt_Term<string type, string name, string text>
    : AttrDef<Rt_Dialect, type> {
  let mnemonic = name;
  let summary = text;
  let description = "One of the names of `" # type # "`, see "
    # "`include/reprise/ProgramTerms.h` and `LibraryFunctions.h`.";
  let parameters = (ins Reprise_TermParameter<type>:$value);
  let assemblyFormat = "$value";
  let returnType = "::reprise::" # type;
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall =
      "::reprise::rt_dialect::" # type # "Attr::get($_builder.getContext(), $0)";
}

def Rt_BufferKindAttr : Rt_Term<"BufferKind", "kind", "what a buffer holds">;
def Rt_ReasonAttr : Rt_Term<"Reason", "reason", "why bytes are in memory">;
def Rt_LibraryOpAttr
    : Rt_Term<"LibraryOp", "library_op", "a function of the library">;
def Rt_EpilogueAttr
    : Rt_Term<"LibraryEpilogue", "epilogue", "what a call does to its result">;

def Rt_TargetAttr : AttrDef<Rt_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the device that a program is for";
  let description = [{
    The runtime's name of the device, the features that the program needs, in the device's
    own terms, and the alignment of its buffers in bytes.

    ```mlir
    #rt.target<"cpu", "">
    #rt.target<"pocket", "", alignment 256>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$device,
    StringRefParameter<>:$features,
    DefaultValuedParameter<"uint64_t", "::reprise::kAlignment">:$alignment);
  let assemblyFormat = [{
    `<` $device `,` $features (`,` `alignment` $alignment^)? `>`
  }];
  let genVerifyDecl = 1;
}

def Rt_ViewAttr : AttrDef<Rt_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "a typed window on a buffer";
  let description = [{
    The number of the buffer, the offset within it in bytes, and the type. Strides are in
    elements; without them, the view is dense and row-major.

    ```mlir
    #rt.view<12 + 64 : tensor<8x4xf32>>
    #rt.view<12 + 0 : tensor<4x8xf32>, strides [1, 4]>
    ```
  }];
  let parameters = (ins "uint32_t":$buffer, "uint64_t":$offset,
    "::mlir::RankedTensorType":$type,
    OptionalArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = [{
    `<` $buffer `+` $offset `:` $type (`,` `strides` `[` $strides^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes from the first element to the end of the last.
    uint64_t getBytes() const;
    /// Returns true if the elements are row-major without gaps.
    bool isDense() const;
  }];
}

def Rt_BindingAttr : AttrDef<Rt_Dialect, "Binding"> {
  let mnemonic = "binding";
  let summary = "a named input or output of an entry";
  let description = [{
    Has the role (`#sg.binding`) unless it is data, and for an input the integers that are
    in range (`#sg.index_range`).

    ```mlir
    #rt.binding<"left", <30 + 0 : tensor<8x4xf32>>>
    #rt.binding<"cost" as <loss>, <31 + 0 : tensor<f32>>>
    #rt.binding<"kind" as <label> in [#sg.index_range<class 4 at [0, 1]>],
                <32 + 0 : tensor<8xi32>>>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
    OptionalParameter<"::reprise::sg::BindingAttr">:$binding,
    OptionalParameter<"::mlir::ArrayAttr">:$ranges, "ViewAttr":$view);
  let assemblyFormat = [{
    `<` $name (`as` $binding^)? (`in` $ranges^)? `,` $view `>`
  }];
  let extraClassDeclaration = [{
    ::reprise::sg::BindingRole getRole() const {
      return getBinding() ? getBinding().getRole()
                          : ::reprise::sg::BindingRole::Data;
    }
  }];
}

def Rt_StepAttr : AttrDef<Rt_Dialect, "Step"> {
  let mnemonic = "step";
  let summary = "what a step is, for people and tools";
  let description = [{
    The name of the op, the path of its module, the phase, arithmetic operations, and
    bytes read and written. Optional are modelled picoseconds, the number of the step
    whose computation this step repeats, and whether the user requested that it runs once.

    ```mlir
    #rt.step<"conv2d" in "layer1.0.conv1" forward, flops 2048, bytes 640>
    #rt.step<"relu" in "layer1.0" forward, flops 9, bytes 72, takes 530, asked>
    #rt.step<"relu" in "layer1.0" recompute, flops 9, bytes 72, takes 530, again 4>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
    StringRefParameter<>:$module,
    Reprise_TermParameter<"Phase">:$phase, "uint64_t":$flops, "uint64_t":$bytes,
    DefaultValuedParameter<"uint64_t", "0">:$picoseconds,
    OptionalParameter<"std::optional<uint64_t>">:$cloneOf,
    DefaultValuedParameter<"bool", "false">:$isAsked);
  let hasCustomAssemblyFormat = 1;
}

def Rt_PointAttr : AttrDef<Rt_Dialect, "Point"> {
  let mnemonic = "point";
  let summary = "bytes and time of a schedule";
  let description = [{
    The bytes of the whole program, including variables and constants, the modelled
    picoseconds of a step, and the checkpointing mode that formed the kernels, unless
    these are the step's own.

    ```mlir
    #rt.point<1048640 bytes, 52000000 ps>
    #rt.point<1048640 bytes, 52000000 ps, "per-block">
    ```
  }];
  let parameters = (ins "uint64_t":$bytes, "uint64_t":$picoseconds,
    OptionalParameter<"::mlir::StringAttr">:$kernels);
  let assemblyFormat = [{
    `<` $bytes `bytes` `,` $picoseconds `ps` (`,` $kernels^)? `>`
  }];
}

def Rt_PinnedAttr : AttrDef<Rt_Dialect, "Pinned"> {
  let mnemonic = "pinned";
  let summary = "a value that every schedule holds at an op";
  let description = [{
    The name, the path of its module, the bytes, and the modelled picoseconds of the op
    that makes it.

    ```mlir
    #rt.pinned<"layer1.0:conv2d" in "layer1.0", 4096 bytes, 530 ps>
    ```
  }];
  let parameters = (ins StringRefParameter<>:$name,
    StringRefParameter<>:$module, "uint64_t":$bytes, "uint64_t":$picoseconds);
  let assemblyFormat = [{
    `<` $name `in` $module `,` $bytes `bytes` `,` $picoseconds `ps` `>`
  }];
}

def Rt_CertificateAttr : AttrDef<Rt_Dialect, "Certificate"> {
  let mnemonic = "certificate";
  let summary = "what is known about a step with a budget";
  let description = [{
    - `budget`: bytes that no entry exceeds;
    - `plan`: the training step as it is, `plain` the one without recomputation,
      `smallest` the one of the smallest feasible budget;
    - `bound`: picoseconds that no schedule within the budget beats, for these kernels and
      those of checkpointing modes;
    - `price`: the most picoseconds a step that one more MiB of budget can save;
    - `proven`: bytes below which no schedule of these kernels exists, the op that needs
      them at once, and the largest values that it needs.

    ```mlir
    #rt.certificate<budget 4096, plan <4000 bytes, 70 ps>,
      plain <8000 bytes, 60 ps>, smallest <3584 bytes, 90 ps>,
      bound 68, price 1200, proven 3500 at "fc:matmul"
      holding [#rt.pinned<"fc:relu" in "fc", 1024 bytes, 8 ps>]>
    ```
  }];
  let parameters = (ins "uint64_t":$budget, "PointAttr":$plan,
    "PointAttr":$plain, "PointAttr":$smallest, "uint64_t":$bound,
    "uint64_t":$price, "uint64_t":$provenBytes,
    StringRefParameter<>:$provenAt,
    OptionalArrayRefParameter<"PinnedAttr">:$pinned);
  let assemblyFormat = [{
    `<` `budget` $budget `,` `plan` $plan `,` `plain` $plain `,`
    `smallest` $smallest `,` `bound` $bound `,` `price` $price `,`
    `proven` $provenBytes `at` $provenAt (`holding` `[` $pinned^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
}

def Rt_ViewArrayAttr : TypedArrayAttrBase<Rt_ViewAttr, "views">;
def Rt_EpilogueArrayAttr : TypedArrayAttrBase<Rt_EpilogueAttr, "epilogues">;
def Rt_BindingArrayAttr : TypedArrayAttrBase<Rt_BindingAttr, "bindings">;

#endif // REPRISE_IR_RTBASE
